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
import { isConditionTrue } from "@berg/kube";
import type { ChallengeInstance } from "@berg/resources";
import { conditionTypes, reasons } from "../vocabulary.ts";
import { Line } from "./line.ts";

type Instance = Stored<ChallengeInstance>;

export class Places {
  readonly #limit: number;
  readonly #find: (key: ObjectKey) => Instance | undefined;
  /** Those whose status is being written: by UID, their owner. */
  readonly #taken = new Map<string, string>();
  readonly #held = new Set<ObjectKey>();
  readonly #line = new Line(isBefore);

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
    if (instance && !holds && isWaiting(instance)) this.#line.join(key, instance);
    else this.#line.leave(key);
  }

  has(instance: Instance): boolean {
    if (this.#limit === 0 || this.#holds(instance)) return true;
    return this.#held.size + this.#line.ahead(instance) < this.#limit;
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
    return this.#line.first(this.#limit - this.#held.size).map(keyOf);
  }

  /** One that ends has stopped its containers, or is about to: its place is free. */
  #holds({ metadata, status }: Instance): boolean {
    if (metadata.deletionTimestamp || status?.terminationReason) return false;
    if (this.#taken.has(metadata.uid)) return true;
    if (status?.revision === undefined || status.phase === "Pending") return false;
    // What failed before anything was made, or was taken away again, holds nothing; what is stuck does.
    return status.phase !== "Failed" || isConditionTrue(status.conditions, conditionTypes.namespaceCreated);
  }
}

/** For a place and nothing else: one that waits for a flag as well must not hold up those behind it. */
function isWaiting({ metadata, status }: Instance): boolean {
  if (metadata.deletionTimestamp || status?.terminationReason) return false;
  return status?.phase === "Pending" && status.reason === reasons.capacityReached;
}

/** In the order in which they came. */
function isBefore(one: Instance, other: Instance): boolean {
  const [a, b] = [one.metadata, other.metadata];
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp;
  return a.uid < b.uid;
}
