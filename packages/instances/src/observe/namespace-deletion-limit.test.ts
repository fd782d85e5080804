import { formatTime, keyOf, parseTime, type Stored } from "@berg/apimachinery";
import type { Namespace } from "@berg/kube";
import type { ChallengeInstance } from "@berg/resources";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { instanceNamespaceName } from "../builders/names.ts";
import { type InstanceBuilder, makeInstance, startOfTest } from "../testing/make-objects.ts";
import { makeSnapshot } from "../testing/make-snapshot.ts";
import { NamespaceDeletionLimit } from "./namespace-deletion-limit.ts";

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

/** Instances and namespaces, and the limit as the controller uses it. */
class Cluster {
  now = startOfTest;
  readonly instances = new Map<string, Stored<ChallengeInstance>>();
  readonly namespaces = new Map<string, Stored<Namespace>>();
  readonly most: number | undefined;
  limit: NamespaceDeletionLimit;

  /** `most` undefined: as many at once as by default. */
  constructor(most?: number) {
    this.most = most;
    this.limit = this.#begin();
  }

  #begin(): NamespaceDeletionLimit {
    const clock = { now: () => this.now, monotonic: () => this.now, setTimer: () => ({ cancel() {} }) };
    return new NamespaceDeletionLimit(
      (key) => this.instances.get(key),
      (name) => this.namespaces.get(name),
      { own: clock, server: clock },
      this.most === undefined ? undefined : { whileBusy: this.most, whileIdle: 0 },
    );
  }

  /** As after a restart of the controller: only the objects are left. */
  restart(): void {
    this.limit = this.#begin();
    for (const name of this.namespaces.keys()) this.limit.namespaceChanged(name);
    for (const key of this.instances.keys()) this.limit.instanceChanged(key);
  }

  put(...builders: InstanceBuilder[]): this {
    for (const { object } of builders) {
      this.instances.set(keyOf(object), object);
      this.limit.instanceChanged(keyOf(object));
    }
    return this;
  }

  remove({ object }: InstanceBuilder): void {
    this.instances.delete(keyOf(object));
    this.limit.instanceChanged(keyOf(object));
  }

  namespace(builder: InstanceBuilder, deletedAt?: number): this {
    const { object } = builder;
    const name = instanceNamespaceName(object.spec.ownerId);
    const more = deletedAt === undefined ? {} : { deletionTimestamp: formatTime(deletedAt) };
    this.namespaces.set(name, makeSnapshot(builder).withNamespace(undefined, more).seen.namespace as Stored<Namespace>);
    this.limit.namespaceChanged(name);
    this.limit.instanceChanged(keyOf(object));
    return this;
  }

  gone({ object }: InstanceBuilder): void {
    const name = instanceNamespaceName(object.spec.ownerId);
    this.namespaces.delete(name);
    this.limit.namespaceChanged(name);
    this.limit.instanceChanged(keyOf(object));
  }

  /** As for an instance that has stopped. Returns whether its namespace was deleted. */
  reconcile(builder: InstanceBuilder, since = startOfTest): boolean {
    const { object } = builder;
    this.limit.dequeue(keyOf(object));
    if (this.limit.delayMs(object, since) > 0) {
      this.limit.enqueue(object, since);
      return false;
    }
    this.limit.acquire(object);
    this.namespace(builder, this.now);
    this.limit.release(object);
    return true;
  }

  /** For how long each namespace has been in deletion, in ms. */
  get ages(): number[] {
    return [...this.namespaces.values()].flatMap(({ metadata }) =>
      metadata.deletionTimestamp ? this.now - parseTime(metadata.deletionTimestamp) : [],
    );
  }

  get deleting(): number {
    return this.ages.length;
  }
}

/** `count` instances have stopped, in this order, and were reconciled. */
function ended(most: number, count: number) {
  const cluster = new Cluster(most);
  const all = Array.from({ length: count }, (_, n) => stopped(n));
  for (const one of all) cluster.put(one).namespace(one);
  const deleted = all.map((one, n) => cluster.reconcile(one, startOfTest + n * second));
  return { cluster, all, deleted };
}

test("at the limit, the others follow when a namespace is gone, in the order in which their instances ended", () => {
  const { cluster, deleted } = ended(2, 5);
  expect(deleted).toEqual([true, true, false, false, false]);
  expect(cluster.limit.admissible()).toEqual([]);
  cluster.gone(stopped(0));
  expect(cluster.limit.admissible()).toEqual(["berg/i2"]);
  expect([4, 3, 2].map((n) => cluster.limit.delayMs(stopped(n).object, startOfTest + n * second) > 0)).toEqual([
    true,
    true,
    false,
  ]);
  cluster.gone(stopped(1));
  expect(cluster.limit.admissible()).toEqual(["berg/i2", "berg/i3"]);
});

test("of instances that ended at the same time, the one with the lower UID is first", () => {
  const { cluster } = ended(1, 1);
  for (const n of [3, 2]) cluster.put(stopped(n)).reconcile(stopped(n));
  cluster.gone(stopped(0));
  expect(cluster.limit.admissible()).toEqual(["berg/i2"]);
});

test("of two concurrent reconciles, one gets the last slot", () => {
  const cluster = new Cluster(1).put(stopped(1), stopped(2)).namespace(stopped(1)).namespace(stopped(2));
  const isFree = () => cluster.limit.delayMs(stopped(2).object, startOfTest) === 0;
  cluster.limit.acquire(stopped(1).object);
  // Whatever the watch reports meanwhile, and however long that takes.
  cluster.namespace(stopped(1));
  expect(isFree()).toBe(false);
  cluster.now += 2 * minute;
  expect(isFree()).toBe(false);
  // It could not be deleted.
  cluster.limit.release(stopped(1).object);
  expect(isFree()).toBe(true);
});

test("a namespace that this process deleted is counted by its own clock", () => {
  const cluster = new Cluster(1).put(stopped(1), stopped(2)).namespace(stopped(1)).namespace(stopped(2));
  cluster.limit.acquire(stopped(1).object);
  cluster.namespace(stopped(1), startOfTest - 10 * minute);
  cluster.limit.release(stopped(1).object);
  cluster.namespace(stopped(1), startOfTest - 10 * minute);
  expect(cluster.reconcile(stopped(2))).toBe(false);
});

describe("the queue is not blocked", () => {
  test("by a namespace that is stuck", () => {
    const { cluster } = ended(1, 2);
    cluster.now += minute - 1;
    expect(cluster.limit.admissible()).toEqual([]);
    cluster.now += 1;
    expect(cluster.limit.admissible()).toEqual(["berg/i1"]);
    // It is not counted again when it changes.
    cluster.namespace(stopped(0), startOfTest);
    expect(cluster.limit.admissible()).toEqual(["berg/i1"]);
  });

  test.each<[string, (cluster: Cluster) => void]>([
    ["is gone", (cluster) => cluster.remove(stopped(1))],
    ["cannot be reconciled", (cluster) => cluster.limit.dequeue("berg/i1")],
  ])("by an instance that was queued and %s", (_, happen) => {
    const { cluster } = ended(1, 3);
    cluster.gone(stopped(0));
    expect(cluster.limit.admissible()).toEqual(["berg/i1"]);
    happen(cluster);
    expect(cluster.limit.admissible()).toEqual(["berg/i2"]);
  });

  test("for more than ten minutes by starts and stops", () => {
    const { cluster } = ended(4, 6);
    for (const n of [0, 1, 2]) cluster.gone(stopped(n));
    cluster.now += 10 * minute - second;
    cluster.gone(stopped(3));
    cluster.reconcile(stopped(3), startOfTest + 3 * second);
    for (let n = 11; n < 20; n++) cluster.put(starting(n, cluster.now));
    expect(cluster.limit.admissible()).toEqual([]);
    expect(cluster.limit.delayMs(stopped(8).object, startOfTest - minute)).toBe(0);
    // The first that waits ended four seconds after the others.
    cluster.now += 5 * second;
    expect(cluster.limit.admissible()).toEqual(["berg/i4", "berg/i5"]);
    expect(cluster.limit.delayMs(stopped(5).object, startOfTest + 5 * second)).toBe(0);
  });
});

describe("starts and stops lower the limit:", () => {
  test.each([
    { busy: 0, want: 4 },
    { busy: 1, want: 3 },
    { busy: 2, want: 2 },
    { busy: 3, want: 1 },
    { busy: 6, want: 1 },
    { busy: 90, want: 1 },
  ])("with $busy of them, $want namespaces are in deletion", ({ busy, want }) => {
    for (const one of [starting, stopping]) {
      const cluster = new Cluster(4);
      for (let n = 100; n < 100 + busy; n++) cluster.put(one(n)).namespace(one(n));
      for (let n = 0; n < 20; n++) cluster.put(stopped(n)).reconcile(stopped(n));
      expect(cluster.deleting).toBe(want);
    }
  });

  test("an instance that has stopped does not lower the limit for itself, nor while it is queued, nor when its namespace is deleted", () => {
    const cluster = new Cluster(2).namespace(stopped(9), startOfTest);
    for (const n of [1, 2]) cluster.put(stopping(n)).namespace(stopping(n));
    expect([1, 2].map((n) => cluster.reconcile(stopping(n)))).toEqual([false, false]);
    expect(cluster.limit.admissible()).toEqual(["berg/i1"]);
    cluster.put(stopping(1), stopping(2));
    expect(cluster.limit.admissible()).toEqual(["berg/i1"]);

    const alone = new Cluster(2).namespace(stopped(9), startOfTest).put(stopping(1)).namespace(stopping(1));
    expect(alone.limit.delayMs(stopping(1).object, startOfTest)).toBe(0);
    alone.limit.acquire(stopping(1).object);
    const [name = ""] = [...alone.namespaces.keys()].slice(1);
    const deleting = makeSnapshot(stopping(1)).withNamespace(undefined, { deletionTimestamp: formatTime(startOfTest) });
    alone.namespaces.set(name, deleting.seen.namespace as Stored<Namespace>);
    alone.limit.release(stopping(1).object);
    alone.gone(stopped(9));
    expect(alone.reconcile(stopped(3))).toBe(true);
  });

  test("an instance that runs, or starts for longer than ten seconds, is not counted", () => {
    const cluster = new Cluster(2).put(starting(11), starting(12), starting(13)).namespace(stopped(1), startOfTest);
    const isFree = () => cluster.limit.delayMs(stopped(2).object, startOfTest) === 0;
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

describe("Kubernetes waits for five seconds before it removes a namespace:", () => {
  const inGrace = () => {
    const { cluster } = ended(2, 9);
    return { cluster, free: () => cluster.limit.admissible().length };
  };

  test("meanwhile others may follow, but not in the same second", () => {
    const { cluster, free } = inGrace();
    expect([cluster.deleting, free()]).toEqual([2, 0]);
    cluster.now += second - 1;
    expect(free()).toBe(0);
    cluster.now += 1;
    expect(free()).toBe(1);
    for (const n of [2, 3]) expect(cluster.reconcile(stopped(n), startOfTest + n * second)).toBe(true);
    expect(free()).toBe(0);
  });

  test("while it is being removed it keeps its slot", () => {
    const { cluster, free } = inGrace();
    cluster.now += 5 * second - 1;
    expect(free()).toBe(1);
    cluster.now += 1;
    expect(free()).toBe(0);
    cluster.gone(stopped(0));
    expect(free()).toBe(1);
  });

  test("so the head of the queue is reconciled again after a second, and the others later", () => {
    const { cluster } = inGrace();
    const waits = [2, 3, 4, 8].map((n) => cluster.limit.delayMs(stopped(n).object, startOfTest + n * second));
    expect(waits).toEqual([second, second, 30 * second, 30 * second]);
  });
});

interface NamespaceController {
  workers: number;
  /** How long a worker needs for one namespace, after the five seconds for which Kubernetes leaves it alone. */
  eachMs: number;
}

/** Returns when the last of `count` namespaces is gone, in ms, where all of their instances have stopped at time 0. */
function lastGoneMs(count: number, { workers, eachMs }: NamespaceController, mayDelete: MayDelete): number {
  const cluster = new Cluster();
  const waiting = Array.from({ length: count }, (_, n) => stopped(n));
  for (const one of waiting) cluster.put(one).namespace(one);
  const resting: { one: InstanceBuilder; until: number }[] = [];
  let working: { one: InstanceBuilder; until: number }[] = [];
  while (waiting.length + resting.length + working.length > 0) {
    for (const one of working.filter(({ until }) => until <= cluster.now)) cluster.gone(one.one);
    working = working.filter(({ until }) => until > cluster.now);
    for (const one of waiting.splice(0)) {
      if (mayDelete(cluster, one)) resting.push({ one, until: cluster.now + 5 * second });
      else waiting.push(one);
    }
    while (resting[0] && resting[0].until <= cluster.now && working.length < workers) {
      working.push({ one: (resting.shift() as { one: InstanceBuilder }).one, until: cluster.now + eachMs });
    }
    cluster.now += second / 2;
  }
  return cluster.now - second / 2 - startOfTest;
}

test.each([
  { busy: 0, want: 128 },
  { busy: 1, want: 64 },
  { busy: 2, want: 32 },
  { busy: 3, want: 16 },
  { busy: 4, want: 12 },
  { busy: 10, want: 8 },
  { busy: 20, want: 1 },
])("by default, with $busy that start or stop, $want namespaces are in deletion", ({ busy, want }) => {
  for (const one of [starting, stopping]) {
    const cluster = new Cluster();
    for (let n = 1000; n < 1000 + busy; n++) cluster.put(one(n)).namespace(one(n));
    for (let n = 0; n < 150; n++) cluster.put(stopped(n)).reconcile(stopped(n));
    expect(cluster.deleting).toBe(want);
  }
});

test("when the last start is over, every queued namespace may be deleted", () => {
  const cluster = new Cluster();
  for (let n = 100; n < 130; n++) cluster.put(starting(n));
  for (let n = 0; n < 50; n++) cluster.put(stopped(n)).reconcile(stopped(n));
  expect(cluster.limit.admissible()).toEqual([]);
  for (let n = 100; n < 130; n++) cluster.put(nth(n).inPhase("Running"));
  expect(cluster.limit.admissible()).toHaveLength(49);
});

type MayDelete = (cluster: Cluster, one: InstanceBuilder) => boolean;

describe("while no instance starts or stops, the last namespace is gone as soon as without a limit:", () => {
  test.each([
    { count: 50, workers: 50, eachMs: 1000 },
    { count: 50, workers: 10, eachMs: 500 },
    { count: 128, workers: 50, eachMs: 1000 },
    { count: 200, workers: 10, eachMs: 2000 },
    { count: 300, workers: 10, eachMs: 500 },
  ])("$count with $workers workers that need $eachMs ms each", ({ count, workers, eachMs }) => {
    const bareMs = lastGoneMs(count, { workers, eachMs }, () => true);
    const limitedMs = lastGoneMs(count, { workers, eachMs }, (cluster, one) => cluster.reconcile(one));
    expect(bareMs).toBe(5 * second + Math.ceil(count / workers) * eachMs);
    expect(limitedMs / bareMs).toBeLessThanOrEqual(1.1);
  });
});

test("after a restart, namespaces in deletion are counted, and the queue is rebuilt", () => {
  const { cluster, all } = ended(2, 5);
  cluster.restart();
  expect(all.slice(2).map((one, n) => cluster.reconcile(one, startOfTest + n * second))).toEqual([false, false, false]);
  cluster.gone(stopped(1));
  expect(cluster.limit.admissible()).toEqual(["berg/i2"]);
});

test("whatever happens, the limit holds, the order is kept, and every namespace is deleted in the end", () => {
  const count = 8;
  const n = fc.nat({ max: count - 1 });
  const event = fc.oneof(
    { arbitrary: fc.record({ is: fc.constant("reconciled" as const), n }), weight: 4 },
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
      const reconcile = (n: number) => {
        const one = all[n] as InstanceBuilder;
        const found = cluster.namespaces.get(instanceNamespaceName(one.object.spec.ownerId));
        if (!found || found.metadata.deletionTimestamp) return;
        if (!cluster.reconcile(one, since(n))) return void waiting.add(n);
        waiting.delete(n);
        const counted = cluster.ages.map((age): number => (age < 5 * second ? 1 : 5));
        expect(counted.reduce((sum, weight) => sum + weight)).toBeLessThanOrEqual(5 * most);
        // A slot is left for each instance that ended earlier.
        const earlier = [...waiting].filter((other) => since(other) < since(n)).map((other) => `berg/i${other}`);
        expect(cluster.limit.admissible()).toEqual(expect.arrayContaining(earlier));
      };
      for (const { is, n } of events) {
        if (is === "reconciled") reconcile(n);
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
      // All are reconciled once; then only those that are admissible.
      for (let n = 0; n < count; n++) reconcile(n);
      for (let left = count; left >= 0; left--) {
        for (const one of all) {
          const found = cluster.namespaces.get(instanceNamespaceName(one.object.spec.ownerId));
          if (found?.metadata.deletionTimestamp) cluster.gone(one);
        }
        for (const key of cluster.limit.admissible()) reconcile(Number(key.slice("berg/i".length)));
      }
      expect(cluster.namespaces.size).toBe(0);
    }),
  );
});

test("with ten thousand in the queue, a change takes few steps", () => {
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
    cluster.limit.enqueue(counted, startOfTest);
  }
  reads = 0;
  cluster.limit.dequeue("berg/i5000");
  expect(cluster.limit.delayMs(stopping(5000).object, startOfTest)).toBe(30 * second);
  expect(cluster.limit.admissible()).toEqual([]);
  expect(reads).toBeLessThan(100);
});
