import { keyOf, type ObjectKey, type Stored } from "@berg/apimachinery";
import type { ChallengeInstance } from "@berg/resources";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type InstanceBuilder, makeInstance, startOfTest } from "../testing/make-objects.ts";
import { CapacityLimit } from "./capacity-limit.ts";

/** The nth to come, of an owner of its own. */
const nth = (n: number) => makeInstance(`i${n}`, `owner-${n}`).createdAt(startOfTest + n * 1000);
const running = (n: number) => nth(n).withStatus({ phase: "Running", revision: "r" });
const waiting = (n: number) =>
  nth(n).inPhase("Pending", "CapacityReached").withCondition("Admitted", "False", "CapacityReached");
const makeLimit = (limit: number, all: InstanceBuilder[]) => {
  const objects = new Map(all.map(({ object }) => [keyOf(object), object]));
  const made = new CapacityLimit(limit, (key) => objects.get(key));
  for (const key of objects.keys()) made.instanceChanged(key);
  return made;
};

test("without a limit every instance is admitted, and none is queued", () => {
  const all = [running(1), running(2), waiting(3)];
  expect(makeLimit(0, all).admits(nth(4).object)).toBe(true);
  expect(makeLimit(0, all).admissible()).toEqual([]);
});

test("the last slot goes to the head of the queue", () => {
  const all = [running(1), waiting(2), waiting(3), nth(4)];
  expect([2, 3, 4].map((n) => makeLimit(2, all).admits(waiting(n).object))).toEqual([true, false, false]);
  expect(makeLimit(2, all).admissible()).toEqual(["berg/i2"]);
  expect(makeLimit(3, all).admissible()).toEqual(["berg/i2", "berg/i3"]);
});

test("of instances of the same second, the one with the lower UID is first", () => {
  const twins = [waiting(1).createdAt(startOfTest), waiting(2).createdAt(startOfTest)];
  expect(makeLimit(1, twins.toReversed()).admissible()).toEqual(["berg/i1"]);
});

describe("a slot is held", () => {
  test.each([
    { name: "by one that runs", holder: running(1), free: false },
    { name: "by one that is being made", holder: nth(1).withStatus({ phase: "Creating", revision: "r" }), free: false },
    {
      name: "by one that is stuck: its namespace is there",
      holder: running(1).inPhase("Failed", "ImageCannotBePulled").withCondition("NamespaceCreated", "True", "Created"),
      free: false,
    },
    {
      name: "not by one that is taken back",
      holder: running(1)
        .inPhase("Failed", "ManifestRefused")
        .withCondition("NamespaceCreated", "False", "ManifestRefused"),
      free: true,
    },
    { name: "not by one that has failed", holder: running(1).withStatus({ phase: "Failed" }), free: true },
    { name: "not by one that went back to waiting", holder: running(1).withStatus({ phase: "Pending" }), free: true },
    { name: "not by one that is deleted", holder: running(1).deletedAt(startOfTest), free: true },
    { name: "not by one that ends", holder: running(1).withStatus({ terminationReason: "Timeout" }), free: true },
  ])("$name", ({ holder, free }) => {
    expect(makeLimit(1, [holder]).admits(nth(2).object)).toBe(free);
  });
});

describe("the queue is not blocked by an instance that", () => {
  test.each([
    { name: "waited and has since failed", first: waiting(1).inPhase("Failed", "ChallengeMissing") },
    { name: "waits for something else by now", first: waiting(1).inPhase("Pending", "KindMissing") },
    { name: "is deleted", first: waiting(1).deletedAt(startOfTest) },
  ])("$name", ({ first }) => {
    expect(makeLimit(1, [first, waiting(2)]).admits(waiting(2).object)).toBe(true);
    expect(makeLimit(1, [first, waiting(2)]).admissible()).toEqual(["berg/i2"]);
  });
});

test("of two concurrent reconciles, one gets the last slot", () => {
  const both = makeLimit(1, [nth(1), nth(2)]);
  expect(both.admits(nth(2).object)).toBe(true);
  expect(both.reserve(nth(2).object)).toBe(true);
  expect(both.admits(nth(1).object)).toBe(false);
  both.release(nth(2).object);
  expect(both.admits(nth(1).object)).toBe(true);
});

test("of two instances of one owner that start at once, one has to retry", () => {
  const [one, other] = [makeInstance("one", "owner"), makeInstance("other", "owner")];
  const both = makeLimit(0, [one, other]);
  expect(both.reserve(one.object)).toBe(true);
  expect(both.reserve(other.object)).toBe(false);
  expect(both.reserve(one.object)).toBe(true);
  both.release(one.object);
  expect(both.reserve(other.object)).toBe(true);
});

test("after any changes, the result is as if all instances were counted", () => {
  const state = fc.constantFrom<(n: number) => InstanceBuilder | undefined>(
    nth,
    running,
    waiting,
    (n) => waiting(n).deletedAt(startOfTest),
    (n) => running(n).withStatus({ terminationReason: "Timeout" }),
    (n) => waiting(n).createdAt(startOfTest),
    () => undefined,
  );
  const change = fc.record({ n: fc.nat({ max: 6 }), state });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), fc.integer({ min: 1, max: 4 }), (changes, limit) => {
      const now = new Map<ObjectKey, InstanceBuilder>();
      const kept = new CapacityLimit(limit, (key) => now.get(key)?.object);
      for (const { n, state } of changes) {
        const key = keyOf(nth(n).object);
        const instance = state(n);
        if (instance) now.set(key, instance);
        else now.delete(key);
        kept.instanceChanged(key);
      }
      const anew = makeLimit(limit, [...now.values()]);
      expect(kept.admissible()).toEqual(anew.admissible());
      for (let n = 0; n <= 6; n++) expect(kept.admits(nth(n).object)).toBe(anew.admits(nth(n).object));
    }),
  );
});

test("with ten thousand instances, a change takes few steps", () => {
  let reads = 0;
  const counted = ({ object }: InstanceBuilder): Stored<ChallengeInstance> => {
    const { metadata } = object;
    return Object.defineProperty({ ...object }, "metadata", {
      get: () => {
        reads++;
        return metadata;
      },
    });
  };
  const all = Array.from({ length: 10_000 }, (_, n) => counted(n < 9_000 ? running(n) : waiting(n)));
  const byKey = new Map(all.map((object) => [keyOf(object), object]));
  const many = new CapacityLimit(9_001, (key) => byKey.get(key));
  for (const key of byKey.keys()) many.instanceChanged(key);
  const one = byKey.get("berg/i9500") as Stored<ChallengeInstance>;
  reads = 0;
  many.instanceChanged("berg/i1");
  many.instanceChanged("berg/i9500");
  expect([many.admits(one), many.admissible()]).toEqual([false, ["berg/i9000"]]);
  many.reserve(one);
  many.release(one);
  // A search among a thousand takes ten steps, and each reads both sides.
  expect(reads).toBeLessThan(250);
});
