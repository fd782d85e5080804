import { keyOf, type ObjectKey, type Stored } from "@berg/apimachinery";
import type { ChallengeInstance } from "@berg/resources";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type InstanceBuilder, makeInstance, startOfTest } from "../testing/make-objects.ts";
import { Places } from "./places.ts";

/** The nth to come, of an owner of its own. */
const nth = (n: number) => makeInstance(`i${n}`, `owner-${n}`).createdAt(startOfTest + n * 1000);
const running = (n: number) => nth(n).withStatus({ phase: "Running", revision: "r" });
const waiting = (n: number) =>
  nth(n).inPhase("Pending", "CapacityReached").withCondition("Admitted", "False", "CapacityReached");
const places = (limit: number, all: InstanceBuilder[]) => {
  const objects = new Map(all.map(({ object }) => [keyOf(object), object]));
  const made = new Places(limit, (key) => objects.get(key));
  for (const key of objects.keys()) made.changed(key);
  return made;
};

test("without a limit everybody has a place, and nobody waits", () => {
  const all = [running(1), running(2), waiting(3)];
  expect(places(0, all).has(nth(4).object)).toBe(true);
  expect(places(0, all).next()).toEqual([]);
});

test("the last place goes to the first who waits, and nobody overtakes", () => {
  const all = [running(1), waiting(2), waiting(3), nth(4)];
  expect([2, 3, 4].map((n) => places(2, all).has(waiting(n).object))).toEqual([true, false, false]);
  expect(places(2, all).next()).toEqual(["berg/i2"]);
  expect(places(3, all).next()).toEqual(["berg/i2", "berg/i3"]);
});

test("of the same second the lower UID goes first", () => {
  const twins = [waiting(1).createdAt(startOfTest), waiting(2).createdAt(startOfTest)];
  expect(places(1, twins.toReversed()).next()).toEqual(["berg/i1"]);
});

describe("a place is held", () => {
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
    expect(places(1, [holder]).has(nth(2).object)).toBe(free);
  });
});

describe("nobody is held up by one that", () => {
  test.each([
    { name: "waited and has since failed", first: waiting(1).inPhase("Failed", "ChallengeMissing") },
    { name: "waits for something else by now", first: waiting(1).inPhase("Pending", "KindMissing") },
    { name: "is deleted", first: waiting(1).deletedAt(startOfTest) },
  ])("$name", ({ first }) => {
    expect(places(1, [first, waiting(2)]).has(waiting(2).object)).toBe(true);
    expect(places(1, [first, waiting(2)]).next()).toEqual(["berg/i2"]);
  });
});

test("of two who are looked at side by side, one gets the last place", () => {
  const both = places(1, [nth(1), nth(2)]);
  expect(both.has(nth(2).object)).toBe(true);
  expect(both.take(nth(2).object)).toBe(true);
  expect(both.has(nth(1).object)).toBe(false);
  both.release(nth(2).object);
  expect(both.has(nth(1).object)).toBe(true);
});

test("of two of one owner who begin at once, one has to look again", () => {
  const [one, other] = [makeInstance("one", "owner"), makeInstance("other", "owner")];
  const both = places(0, [one, other]);
  expect(both.take(one.object)).toBe(true);
  expect(both.take(other.object)).toBe(false);
  expect(both.take(one.object)).toBe(true);
  both.release(one.object);
  expect(both.take(other.object)).toBe(true);
});

test("whatever changes, in whatever order, it is as if all were counted anew", () => {
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
      const kept = new Places(limit, (key) => now.get(key)?.object);
      for (const { n, state } of changes) {
        const key = keyOf(nth(n).object);
        const instance = state(n);
        if (instance) now.set(key, instance);
        else now.delete(key);
        kept.changed(key);
      }
      const anew = places(limit, [...now.values()]);
      expect(kept.next()).toEqual(anew.next());
      for (let n = 0; n <= 6; n++) expect(kept.has(nth(n).object)).toBe(anew.has(nth(n).object));
    }),
  );
});

test("with ten thousand instances, a change costs a handful of steps", () => {
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
  const many = new Places(9_001, (key) => byKey.get(key));
  for (const key of byKey.keys()) many.changed(key);
  const one = byKey.get("berg/i9500") as Stored<ChallengeInstance>;
  reads = 0;
  many.changed("berg/i1");
  many.changed("berg/i9500");
  expect([many.has(one), many.next()]).toEqual([false, ["berg/i9000"]]);
  many.take(one);
  many.release(one);
  // A search among a thousand takes ten steps, and each reads both sides.
  expect(reads).toBeLessThan(250);
});
