/**
 * Limits how many namespaces of ended instances are in deletion at the same time. Removing a namespace costs the API
 * server and kube-controller-manager twice as much as starting an instance: where many instances end at once and all of
 * their namespaces were deleted at once, no other instance would start or stop in time. So workloads are deleted
 * immediately, and namespaces as this limit allows: in the order in which the instances ended, and the fewer the more
 * instances start and stop.
 *
 * Namespaces in deletion are counted from the cache, so the count is right after a restart. The queue is rebuilt by the
 * reconciles that follow a restart.
 */
import { keyOf, type ObjectKey, parseTime, type Stored } from "@berg/apimachinery";
import type { Clock, Namespace } from "@berg/kube";
import type { ChallengeInstance } from "@berg/resources";
import { instanceNamespaceName } from "../builders/names.ts";
import { busyForMs } from "./busy.ts";
import { OrderedQueue } from "./ordered-queue.ts";

type Instance = Stored<ChallengeInstance>;

/**
 * - `whileBusy`: namespaces being removed while instances start or stop, each counted by `weights`.
 * - `whileIdle`: namespaces in deletion while no instance starts or stops, and half as many for each of the first
 *   instances that do, so that one slow start or stop does not delay all deletions.
 *
 * A namespace that has to wait is gone at least `graceMs` later, since Kubernetes waits for so long once more. 128 keep
 * the ten workers of kube-controller-manager occupied at 25 namespaces a second. More would not be removed sooner, and a
 * deletion cannot be taken back when an instance starts.
 */
const defaultLimits = { whileBusy: 16, whileIdle: 128 };
/** Kubernetes waits for this long before it removes a deleted namespace, which costs nothing meanwhile. */
const graceMs = 5000;
/** Namespaces that are deleted within this time are removed at the same time. */
const concurrentMs = 1000;
/** Costs, relative to each other. kube-controller-manager needs some eighty requests to remove a namespace. */
const weights = { removing: 5, inGrace: 1, busy: 4 };
/** A namespace that is still there after this time is held by a finalizer, is reported as stuck, and costs nothing. */
const countsForMs = 60_000;
/** The longest time for which a namespace waits for starts and stops: without it, the queue could grow for hours. */
const longestWaitMs = 600_000;
/**
 * Queued instances are reconciled when a namespace is gone or an instance has started or stopped. These intervals are for
 * what only time changes: shorter for the head of the queue.
 */
const retryMs = { head: 1000, others: 30_000 };

interface Entry {
  instance: Instance;
  /** When the instance began to end, in ms since 1970. */
  since: number;
}

export class NamespaceDeletionLimit {
  readonly #instance: (key: ObjectKey) => Instance | undefined;
  readonly #namespace: (name: string) => Stored<Namespace> | undefined;
  readonly #clocks: { own: Clock; server: Clock };
  readonly #limits: { whileBusy: number; whileIdle: number };
  readonly #queue = new OrderedQueue<Entry>(isBefore);
  /** Instances that start or stop, and until when they count, in monotonic ms. */
  readonly #busy = new Map<ObjectKey, number>();
  /** Namespaces in deletion, and since when, in monotonic ms. */
  readonly #deleting = new Map<string, number>();
  /** Those of them whose delete request is not answered yet. */
  readonly #requested = new Set<string>();

  /** `instance` and `namespace` return the current object, including this process's own writes. */
  constructor(
    instance: (key: ObjectKey) => Instance | undefined,
    namespace: (name: string) => Stored<Namespace> | undefined,
    clocks: { own: Clock; server: Clock },
    limits = defaultLimits,
  ) {
    this.#instance = instance;
    this.#namespace = namespace;
    this.#clocks = clocks;
    this.#limits = limits;
  }

  /** To be called for every change of an instance, before it is reconciled. */
  instanceChanged(key: ObjectKey): void {
    const instance = this.#instance(key);
    if (!instance) this.#queue.remove(key);
    // A queued instance has stopped.
    const isBusy = instance && !this.#queue.has(key);
    const { own, server } = this.#clocks;
    const moment = { now: own.now(), serverNow: server.now() };
    const ms = isBusy ? busyForMs(instance, this.#namespace(nameOf(instance)), moment) : undefined;
    if (ms === undefined) this.#busy.delete(key);
    else this.#busy.set(key, own.monotonic() + ms);
  }

  /** To be called for every change of a namespace, before its instance is reconciled. */
  namespaceChanged(name: string): void {
    if (this.#requested.has(name)) return;
    const { deletionTimestamp } = this.#namespace(name)?.metadata ?? {};
    if (deletionTimestamp === undefined) this.#deleting.delete(name);
    else if (!this.#deleting.has(name)) this.#deleting.set(name, this.#monotonicAt(deletionTimestamp));
  }

  /** 0 where the namespace may be deleted now, else when to ask again. `since`: when the end began, in ms since 1970. */
  delayMs(instance: Instance, since: number): number {
    const [head = { since }] = this.#queue.first(1);
    const free = this.#free(Math.min(since, head.since), keyOf(instance));
    const position = this.#queue.countBefore({ instance, since });
    if (position < free) return 0;
    return position < this.#limits.whileBusy ? retryMs.head : retryMs.others;
  }

  /** The entry stays in the queue until the instance is reconciled again. */
  enqueue(instance: Instance, since: number): void {
    const key = keyOf(instance);
    this.#queue.add(key, { instance, since });
    this.#busy.delete(key);
  }

  /** To be called at each reconcile: an instance that fails, or no longer waits, must not block those behind it. */
  dequeue(key: ObjectKey): void {
    this.#queue.remove(key);
  }

  /** To be called synchronously after `delayMs`: else two concurrent reconciles could both take the last slot. */
  acquire(instance: Instance): void {
    const name = nameOf(instance);
    this.#requested.add(name);
    this.#deleting.set(name, this.#clocks.own.monotonic());
  }

  /** To be called when the delete request is answered, or has failed: from then on the cache alone decides. */
  release(instance: Instance): void {
    const name = nameOf(instance);
    this.#requested.delete(name);
    this.namespaceChanged(name);
    this.instanceChanged(keyOf(instance));
  }

  /** The queued instances whose namespaces may be deleted now. */
  admissible(): ObjectKey[] {
    const [head] = this.#queue.first(1);
    return head ? this.#queue.first(this.#free(head.since)).map(({ instance }) => keyOf(instance)) : [];
  }

  #monotonicAt(serverTime: string): number {
    const { own, server } = this.#clocks;
    return own.monotonic() - Math.max(0, server.now() - parseTime(serverTime));
  }

  /** How many more namespaces may be deleted now, where the first instance that waits began to end at `since`. */
  #free(since: number, except?: ObjectKey): number {
    const { own } = this.#clocks;
    const now = own.monotonic();
    const { whileBusy, whileIdle } = this.#limits;
    const budget = whileBusy * weights.removing;
    const busy = this.#countBusy(now, except);
    const isThrottled = since + longestWaitMs > own.now();
    const limit = isThrottled ? Math.max(weights.removing, budget - busy * weights.busy) : budget;
    const { count, weight, recent } = this.#countDeleting(now);
    return Math.max(
      Math.floor(whileIdle / 2 ** busy) - count,
      Math.min(Math.floor((limit - weight) / weights.removing), Math.floor(limit / weights.removing) - recent),
    );
  }

  /** Stops counting where more would not lower the limit. */
  #countBusy(now: number, except: ObjectKey | undefined): number {
    const most = (this.#limits.whileBusy * weights.removing) / weights.busy;
    let count = 0;
    for (const [key, until] of this.#busy) {
      if (until <= now) this.#busy.delete(key);
      else if (key !== except) count++;
      if (count >= most) break;
    }
    return count;
  }

  #countDeleting(now: number): { count: number; weight: number; recent: number } {
    let [count, weight, recent] = [0, 0, 0];
    for (const [name, since] of this.#deleting) {
      const age = now - since;
      if (age >= countsForMs && !this.#requested.has(name)) {
        this.#deleting.delete(name);
        continue;
      }
      count++;
      weight += age < graceMs ? weights.inGrace : weights.removing;
      if (age < concurrentMs) recent++;
    }
    return { count, weight, recent };
  }
}

function nameOf({ spec }: Instance): string {
  return instanceNamespaceName(spec.ownerId);
}

function isBefore(one: Entry, other: Entry): boolean {
  if (one.since !== other.since) return one.since < other.since;
  return one.instance.metadata.uid < other.instance.metadata.uid;
}
