import { formatTime, keyOf, parseTime, type Stored } from "@berg/apimachinery";
import type { Namespace } from "@berg/kube";
import type { ChallengeInstance } from "@berg/resources";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { instanceNamespaceName } from "../builders/names.ts";
import { type InstanceBuilder, makeInstance, startOfTest } from "../testing/make-objects.ts";
import { makeSnapshot } from "../testing/make-snapshot.ts";
import { Turns } from "./turns.ts";

const second = 1000;
const minute = 60 * second;

/** The nth, of an owner of its own. */
const nth = (n: number) => makeInstance(`i${n}`, `owner-${n}`);
const starting = (n: number, at = startOfTest) =>
  nth(n).inPhase("Starting").withCondition("Admitted", "True", "Admitted", at);
const stopping = (n: number, at = startOfTest) =>
  nth(n)
    .inPhase("Terminating")
    .withStatus({ terminationReason: "Timeout" })
    .withCondition("NamespaceDeleted", "False", "StoppingWorkload", at);

/** Stopped, or never ran. */
const stopped = (n: number) => nth(n).inPhase("Failed", "ManifestRefused");

/** Instances and namespaces as they are, and one who looks at them as the controller does. */
class Cluster {
  now = startOfTest;
  readonly instances = new Map<string, Stored<ChallengeInstance>>();
  readonly namespaces = new Map<string, Stored<Namespace>>();
  readonly most: number;
  turns: Turns;

  constructor(most: number) {
    this.most = most;
    this.turns = this.#begin();
  }

  #begin(): Turns {
    const clock = { now: () => this.now, monotonic: () => this.now, setTimer: () => ({ cancel() {} }) };
    return new Turns(
      (key) => this.instances.get(key),
      (name) => this.namespaces.get(name),
      { own: clock, server: clock },
      this.most,
    );
  }

  /** All that is known afterwards is what stands here. */
  restart(): void {
    this.turns = this.#begin();
    for (const name of this.namespaces.keys()) this.turns.namespaceChanged(name);
    for (const key of this.instances.keys()) this.turns.instanceChanged(key);
  }

  put(...builders: InstanceBuilder[]): this {
    for (const { object } of builders) {
      this.instances.set(keyOf(object), object);
      this.turns.instanceChanged(keyOf(object));
    }
    return this;
  }

  remove({ object }: InstanceBuilder): void {
    this.instances.delete(keyOf(object));
    this.turns.instanceChanged(keyOf(object));
  }

  namespace(builder: InstanceBuilder, deletedAt?: number): this {
    const { object } = builder;
    const name = instanceNamespaceName(object.spec.ownerId);
    const more = deletedAt === undefined ? {} : { deletionTimestamp: formatTime(deletedAt) };
    this.namespaces.set(name, makeSnapshot(builder).withNamespace(undefined, more).seen.namespace as Stored<Namespace>);
    this.turns.namespaceChanged(name);
    this.turns.instanceChanged(keyOf(object));
    return this;
  }

  gone({ object }: InstanceBuilder): void {
    const name = instanceNamespaceName(object.spec.ownerId);
    this.namespaces.delete(name);
    this.turns.namespaceChanged(name);
    this.turns.instanceChanged(keyOf(object));
  }

  /** Has stopped, and wants its namespace deleted. Returns whether that was done. */
  look(builder: InstanceBuilder, since = startOfTest): boolean {
    const { object } = builder;
    this.turns.leave(keyOf(object));
    if (this.turns.waitMs(object, since) > 0) {
      this.turns.wait(object, since);
      return false;
    }
    this.turns.take(object);
    this.namespace(builder, this.now);
    this.turns.release(object);
    return true;
  }

  /** How long they have been going, in ms. */
  get ages(): number[] {
    return [...this.namespaces.values()].flatMap(({ metadata }) =>
      metadata.deletionTimestamp ? this.now - parseTime(metadata.deletionTimestamp) : [],
    );
  }

  get going(): number {
    return this.ages.length;
  }
}

/** `count` have stopped, the first ended first, and were looked at in that order. */
function ended(most: number, count: number) {
  const cluster = new Cluster(most);
  const all = Array.from({ length: count }, (_, n) => stopped(n));
  for (const one of all) cluster.put(one).namespace(one);
  const looks = all.map((one, n) => cluster.look(one, startOfTest + n * second));
  return { cluster, all, looks };
}

test("a few go at once, and the others when one of them is gone, in the order in which they ended", () => {
  const { cluster, looks } = ended(2, 5);
  expect(looks).toEqual([true, true, false, false, false]);
  expect(cluster.turns.next()).toEqual([]);
  cluster.gone(stopped(0));
  expect(cluster.turns.next()).toEqual(["berg/i2"]);
  expect([4, 3, 2].map((n) => cluster.turns.waitMs(stopped(n).object, startOfTest + n * second) > 0)).toEqual([
    true,
    true,
    false,
  ]);
  cluster.gone(stopped(1));
  expect(cluster.turns.next()).toEqual(["berg/i2", "berg/i3"]);
});

test("of the same moment the lower UID goes first", () => {
  const { cluster } = ended(1, 1);
  for (const n of [3, 2]) cluster.put(stopped(n)).look(stopped(n));
  cluster.gone(stopped(0));
  expect(cluster.turns.next()).toEqual(["berg/i2"]);
});

test("of two who are looked at side by side, one gets the last turn", () => {
  const cluster = new Cluster(1).put(stopped(1), stopped(2)).namespace(stopped(1)).namespace(stopped(2));
  const isFree = () => cluster.turns.waitMs(stopped(2).object, startOfTest) === 0;
  cluster.turns.take(stopped(1).object);
  // Whatever is told of it meanwhile, and however long that takes.
  cluster.namespace(stopped(1));
  expect(isFree()).toBe(false);
  cluster.now += 2 * minute;
  expect(isFree()).toBe(false);
  // It could not be deleted.
  cluster.turns.release(stopped(1).object);
  expect(isFree()).toBe(true);
});

test("a namespace that we have deleted counts by our clock, whatever the server's says", () => {
  const cluster = new Cluster(1).put(stopped(1), stopped(2)).namespace(stopped(1)).namespace(stopped(2));
  cluster.turns.take(stopped(1).object);
  cluster.namespace(stopped(1), startOfTest - 10 * minute);
  cluster.turns.release(stopped(1).object);
  cluster.namespace(stopped(1), startOfTest - 10 * minute);
  expect(cluster.look(stopped(2))).toBe(false);
});

describe("nobody is held up", () => {
  test("by a namespace that does not go", () => {
    const { cluster } = ended(1, 2);
    cluster.now += minute - 1;
    expect(cluster.turns.next()).toEqual([]);
    cluster.now += 1;
    expect(cluster.turns.next()).toEqual(["berg/i1"]);
    // Nor is it counted again when something is said about it.
    cluster.namespace(stopped(0), startOfTest);
    expect(cluster.turns.next()).toEqual(["berg/i1"]);
  });

  test.each<[string, (cluster: Cluster) => void]>([
    ["is gone", (cluster) => cluster.remove(stopped(1))],
    ["cannot be looked at", (cluster) => cluster.turns.leave("berg/i1")],
  ])("by one that waited and %s", (_, happen) => {
    const { cluster } = ended(1, 3);
    cluster.gone(stopped(0));
    expect(cluster.turns.next()).toEqual(["berg/i1"]);
    happen(cluster);
    expect(cluster.turns.next()).toEqual(["berg/i2"]);
  });

  test("for more than ten minutes by those who start and stop", () => {
    const { cluster } = ended(4, 6);
    for (const n of [0, 1, 2]) cluster.gone(stopped(n));
    cluster.now += 10 * minute - second;
    cluster.gone(stopped(3));
    cluster.look(stopped(3), startOfTest + 3 * second);
    for (let n = 11; n < 20; n++) cluster.put(starting(n, cluster.now));
    expect(cluster.turns.next()).toEqual([]);
    expect(cluster.turns.waitMs(stopped(8).object, startOfTest - minute)).toBe(0);
    // The first that waits ended four seconds after the others.
    cluster.now += 5 * second;
    expect(cluster.turns.next()).toEqual(["berg/i4", "berg/i5"]);
    expect(cluster.turns.waitMs(stopped(5).object, startOfTest + 5 * second)).toBe(0);
  });
});

describe("starts and stops come first:", () => {
  test.each([
    { busy: 0, want: 4 },
    { busy: 1, want: 3 },
    { busy: 2, want: 2 },
    { busy: 3, want: 1 },
    { busy: 6, want: 1 },
    { busy: 90, want: 1 },
  ])("with $busy of them, $want namespaces go at once", ({ busy, want }) => {
    for (const one of [starting, stopping]) {
      const cluster = new Cluster(4);
      for (let n = 100; n < 100 + busy; n++) cluster.put(one(n)).namespace(one(n));
      for (let n = 0; n < 20; n++) cluster.put(stopped(n)).look(stopped(n));
      expect(cluster.going).toBe(want);
    }
  });

  test("one that has stopped is never counted against itself, nor while it waits, nor when it goes", () => {
    const cluster = new Cluster(2).namespace(stopped(9), startOfTest);
    for (const n of [1, 2]) cluster.put(stopping(n)).namespace(stopping(n));
    expect([1, 2].map((n) => cluster.look(stopping(n)))).toEqual([false, false]);
    expect(cluster.turns.next()).toEqual(["berg/i1"]);
    cluster.put(stopping(1), stopping(2));
    expect(cluster.turns.next()).toEqual(["berg/i1"]);

    const alone = new Cluster(2).namespace(stopped(9), startOfTest).put(stopping(1)).namespace(stopping(1));
    expect(alone.turns.waitMs(stopping(1).object, startOfTest)).toBe(0);
    alone.turns.take(stopping(1).object);
    const [name = ""] = [...alone.namespaces.keys()].slice(1);
    const going = makeSnapshot(stopping(1)).withNamespace(undefined, { deletionTimestamp: formatTime(startOfTest) });
    alone.namespaces.set(name, going.seen.namespace as Stored<Namespace>);
    alone.turns.release(stopping(1).object);
    alone.gone(stopped(9));
    expect(alone.look(stopped(3))).toBe(true);
  });

  test("one that runs, or takes long for another reason, is no more counted", () => {
    const cluster = new Cluster(2).put(starting(11), starting(12), starting(13)).namespace(stopped(1), startOfTest);
    const isFree = () => cluster.turns.waitMs(stopped(2).object, startOfTest) === 0;
    expect(isFree()).toBe(false);
    for (const n of [11, 12, 13]) cluster.put(nth(n).inPhase("Running"));
    expect(isFree()).toBe(true);
    cluster.put(starting(11), starting(12), starting(13));
    cluster.now += 10 * second - 1;
    expect(isFree()).toBe(false);
    cluster.now += 1;
    expect(isFree()).toBe(true);
  });
});

describe("a namespace rests for five seconds before it is taken apart:", () => {
  const rests = () => {
    const { cluster } = ended(2, 9);
    return { cluster, free: () => cluster.turns.next().length };
  };

  test("meanwhile others may follow, but not in the same second", () => {
    const { cluster, free } = rests();
    expect([cluster.going, free()]).toEqual([2, 0]);
    cluster.now += second - 1;
    expect(free()).toBe(0);
    cluster.now += 1;
    expect(free()).toBe(1);
    for (const n of [2, 3]) expect(cluster.look(stopped(n), startOfTest + n * second)).toBe(true);
    expect(free()).toBe(0);
  });

  test("while it is taken apart it keeps its turn", () => {
    const { cluster, free } = rests();
    cluster.now += 5 * second - 1;
    expect(free()).toBe(1);
    cluster.now += 1;
    expect(free()).toBe(0);
    cluster.gone(stopped(0));
    expect(free()).toBe(1);
  });

  test("so those next in line look again in a second, and all others later", () => {
    const { cluster } = rests();
    const waits = [2, 3, 4, 8].map((n) => cluster.turns.waitMs(stopped(n).object, startOfTest + n * second));
    expect(waits).toEqual([second, second, 30 * second, 30 * second]);
  });
});

test("after a restart, what goes is counted, and all others are looked at anew", () => {
  const { cluster, all } = ended(2, 5);
  cluster.restart();
  expect(all.slice(2).map((one, n) => cluster.look(one, startOfTest + n * second))).toEqual([false, false, false]);
  cluster.gone(stopped(1));
  expect(cluster.turns.next()).toEqual(["berg/i2"]);
});

test("whatever happens, never more go than may, nobody takes the turn of one who ended before, and nobody waits for ever", () => {
  const count = 8;
  const n = fc.nat({ max: count - 1 });
  const event = fc.oneof(
    { arbitrary: fc.record({ is: fc.constant("looked at" as const), n }), weight: 4 },
    { arbitrary: fc.record({ is: fc.constant("gone" as const), n }), weight: 2 },
    fc.record({ is: fc.constant("started" as const), n: fc.integer({ min: 100, max: 103 }) }),
    fc.record({ is: fc.constant("runs" as const), n: fc.integer({ min: 100, max: 103 }) }),
    fc.record({ is: fc.constant("restart" as const), n }),
    { arbitrary: fc.record({ is: fc.constant("time passes" as const), n: fc.integer({ min: 1, max: 6 }) }), weight: 2 },
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (events, most) => {
      const cluster = new Cluster(most);
      const since = (n: number) => startOfTest + ((n * 5) % count) * second;
      const all = Array.from({ length: count }, (_, n) => stopping(n, since(n)));
      for (const one of all) cluster.put(one).namespace(one);
      const waiting = new Set<number>();
      const look = (n: number) => {
        const one = all[n] as InstanceBuilder;
        const found = cluster.namespaces.get(instanceNamespaceName(one.object.spec.ownerId));
        if (!found || found.metadata.deletionTimestamp) return;
        if (!cluster.look(one, since(n))) return void waiting.add(n);
        waiting.delete(n);
        const counted = cluster.ages.map((age): number => (age < 5 * second ? 1 : 5));
        expect(counted.reduce((sum, weight) => sum + weight)).toBeLessThanOrEqual(5 * most);
        // Whoever goes leaves a turn for each who ended before.
        const earlier = [...waiting].filter((other) => since(other) < since(n)).map((other) => `berg/i${other}`);
        expect(cluster.turns.next()).toEqual(expect.arrayContaining(earlier));
      };
      for (const { is, n } of events) {
        if (is === "looked at") look(n);
        if (is === "gone" && all[n] && !waiting.has(n)) cluster.gone(all[n]);
        if (is === "started") cluster.put(starting(n));
        if (is === "runs") cluster.put(nth(n).inPhase("Running"));
        if (is === "time passes") cluster.now += n * second;
        if (is === "restart") {
          cluster.restart();
          waiting.clear();
        }
        expect(cluster.ages.filter((age) => age < second).length).toBeLessThanOrEqual(most);
      }
      // All are looked at once; then only those whose turn is said to be there.
      for (let n = 0; n < count; n++) look(n);
      for (let left = count; left >= 0; left--) {
        for (const one of all) {
          const found = cluster.namespaces.get(instanceNamespaceName(one.object.spec.ownerId));
          if (found?.metadata.deletionTimestamp) cluster.gone(one);
        }
        for (const key of cluster.turns.next()) look(Number(key.slice("berg/i".length)));
      }
      expect(cluster.namespaces.size).toBe(0);
    }),
  );
});

test("with ten thousand who wait, a change costs a handful of steps", () => {
  const { cluster } = ended(1, 1);
  let reads = 0;
  for (let n = 1; n <= 10_000; n++) {
    const { object } = stopping(n);
    const { metadata } = object;
    const counted = Object.defineProperty({ ...object }, "metadata", {
      get: () => {
        reads++;
        return metadata;
      },
    });
    cluster.turns.wait(counted, startOfTest);
  }
  reads = 0;
  cluster.turns.leave("berg/i5000");
  expect(cluster.turns.waitMs(stopping(5000).object, startOfTest)).toBe(30 * second);
  expect(cluster.turns.next()).toEqual([]);
  expect(reads).toBeLessThan(100);
});
