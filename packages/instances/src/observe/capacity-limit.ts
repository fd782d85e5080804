/**
 * The limit on instances that run at the same time (`MAX_INSTANCES`): first come, first served.
 *
 * A slot is reserved in memory, synchronously, before the status that holds it is written. Otherwise two reconciles that
 * run concurrently could both take the last slot, or two instances of one owner could both start.
 *
 * Holders and queue are updated with each change: counting ten thousand instances at each reconcile would cost more than
 * the rest of the reconcile.
 */
import { keyOf, type ObjectKey, type Stored } from "@berg/apimachinery";
import { isConditionTrue } from "@berg/kube";
import type { ChallengeInstance } from "@berg/resources";
import { conditionTypes, reasons } from "../vocabulary.ts";
import { OrderedQueue } from "./ordered-queue.ts";

type Instance = Stored<ChallengeInstance>;

export class CapacityLimit {
  readonly #limit: number;
  readonly #find: (key: ObjectKey) => Instance | undefined;
  /** Instances whose status is being written: UID → owner. */
  readonly #reserved = new Map<string, string>();
  readonly #holders = new Set<ObjectKey>();
  readonly #queue = new OrderedQueue(isBefore);

  /** `limit` 0: no limit. `find` returns the current instance, including this process's own writes. */
  constructor(limit: number, find: (key: ObjectKey) => Instance | undefined) {
    this.#limit = limit;
    this.#find = find;
  }

  /** To be called for every change of an instance, before it is reconciled. */
  instanceChanged(key: ObjectKey): void {
    if (this.#limit === 0) return;
    const instance = this.#find(key);
    const holds = instance !== undefined && this.#holds(instance);
    if (holds) this.#holders.add(key);
    else this.#holders.delete(key);
    if (instance && !holds && isQueued(instance)) this.#queue.add(key, instance);
    else this.#queue.remove(key);
  }

  admits(instance: Instance): boolean {
    if (this.#limit === 0 || this.#holds(instance)) return true;
    return this.#holders.size + this.#queue.countBefore(instance) < this.#limit;
  }

  /** Returns false while another instance of the same owner holds a reservation. */
  reserve(instance: Instance): boolean {
    const { uid } = instance.metadata;
    const { ownerId } = instance.spec;
    for (const [other, owner] of this.#reserved) if (owner === ownerId && other !== uid) return false;
    this.#reserved.set(uid, ownerId);
    this.instanceChanged(keyOf(instance));
    return true;
  }

  /** To be called when the status is written, or could not be: from then on the status alone decides. */
  release(instance: Instance): void {
    this.#reserved.delete(instance.metadata.uid);
    this.instanceChanged(keyOf(instance));
  }

  /** The queued instances for which there is capacity now. */
  admissible(): ObjectKey[] {
    return this.#queue.first(this.#limit - this.#holders.size).map(keyOf);
  }

  /** A terminating instance has stopped its containers, or is about to: its slot is free. */
  #holds({ metadata, status }: Instance): boolean {
    if (metadata.deletionTimestamp || status?.terminationReason) return false;
    if (this.#reserved.has(metadata.uid)) return true;
    if (status?.revision === undefined || status.phase === "Pending") return false;
    // A failed instance holds a slot only while its namespace exists: a stuck one, not one that was never created.
    return status.phase !== "Failed" || isConditionTrue(status.conditions, conditionTypes.namespaceCreated);
  }
}

/** Waits for capacity alone: an instance that also waits for a flag must not block those behind it. */
function isQueued({ metadata, status }: Instance): boolean {
  if (metadata.deletionTimestamp || status?.terminationReason) return false;
  return status?.phase === "Pending" && status.reason === reasons.capacityReached;
}

function isBefore(one: Instance, other: Instance): boolean {
  const [a, b] = [one.metadata, other.metadata];
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp;
  return a.uid < b.uid;
}
