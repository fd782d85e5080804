/**
 * Who may run at once, where the organiser has set a limit: first come, first served.
 *
 * A place is taken in memory before it is written down, without a pause in between; else two instances that are looked
 * at side by side would both take the last one, or two of one owner would both begin.
 *
 * Who holds one and who waits is kept from change to change: with ten thousand instances, to count them anew each time
 * would cost more than all else that a change leads to.
 */
import { keyOf, type ObjectKey, type Stored } from "@berg/apimachinery";
import type { ChallengeInstance } from "@berg/resources";
import { reasons } from "../vocabulary.ts";

type Instance = Stored<ChallengeInstance>;

export class Places {
  readonly #limit: number;
  readonly #find: (key: ObjectKey) => Instance | undefined;
  /** Those whose status is being written: by UID, their owner. */
  readonly #taken = new Map<string, string>();
  readonly #held = new Set<ObjectKey>();
  /** In the order in which they came. */
  readonly #waiting: Instance[] = [];
  /** The same, by key, as they were when they were put there. */
  readonly #waitingByKey = new Map<ObjectKey, Instance>();

  /** `limit` 0: everybody may run. `find` gives an instance as it is now, with what this process has written. */
  constructor(limit: number, find: (key: ObjectKey) => Instance | undefined) {
    this.#limit = limit;
    this.#find = find;
  }

  /** To be told of every change of an instance before anybody looks at it. */
  changed(key: ObjectKey): void {
    if (this.#limit === 0) return;
    const instance = this.#find(key);
    const holds = instance !== undefined && this.#holds(instance);
    if (holds) this.#held.add(key);
    else this.#held.delete(key);
    this.#leave(key);
    if (instance && !holds && isWaiting(instance)) {
      this.#waiting.splice(this.#ahead(instance), 0, instance);
      this.#waitingByKey.set(key, instance);
    }
  }

  has(instance: Instance): boolean {
    if (this.#limit === 0 || this.#holds(instance)) return true;
    return this.#held.size + this.#ahead(instance) < this.#limit;
  }

  /** False where another instance of the same owner is taking one at this moment. */
  take(instance: Instance): boolean {
    const { uid } = instance.metadata;
    const { ownerId } = instance.spec;
    for (const [other, owner] of this.#taken) if (owner === ownerId && other !== uid) return false;
    this.#taken.set(uid, ownerId);
    this.changed(keyOf(instance));
    return true;
  }

  /** To be told when the status, which may hold a place, is written, or could not be. */
  release(instance: Instance): void {
    this.#taken.delete(instance.metadata.uid);
    this.changed(keyOf(instance));
  }

  /** Those who would get the places that are free now. */
  next(): ObjectKey[] {
    return this.#waiting.slice(0, Math.max(0, this.#limit - this.#held.size)).map(keyOf);
  }

  #leave(key: ObjectKey): void {
    const known = this.#waitingByKey.get(key);
    if (!known) return;
    this.#waitingByKey.delete(key);
    this.#waiting.splice(this.#ahead(known), 1);
  }

  /** How many of those who wait came before it. */
  #ahead(instance: Instance): number {
    let [low, high] = [0, this.#waiting.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(this.#waiting[middle] as Instance, instance)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** One that ends has stopped its containers, or is about to: its place is free. */
  #holds({ metadata, status }: Instance): boolean {
    if (metadata.deletionTimestamp || status?.terminationReason) return false;
    if (this.#taken.has(metadata.uid)) return true;
    return status?.revision !== undefined && status.phase !== "Failed" && status.phase !== "Pending";
  }
}

/** For a place and nothing else: one that waits for a flag as well must not hold up those behind it. */
function isWaiting({ metadata, status }: Instance): boolean {
  if (metadata.deletionTimestamp || status?.terminationReason) return false;
  return status?.phase === "Pending" && status.reason === reasons.capacityReached;
}

function isBefore(one: Instance, other: Instance): boolean {
  const [a, b] = [one.metadata, other.metadata];
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp;
  return a.uid < b.uid;
}
