/**
 * Who may run at once, where the organiser has set a limit: first come, first served.
 *
 * A place is taken in memory before it is written down, without a pause in between; else two instances that are looked
 * at side by side would both take the last one, or two of one owner would both begin.
 */
import { keyOf, type ObjectKey, type Stored } from "@berg/apimachinery";
import type { ChallengeInstance } from "@berg/resources";
import { reasons } from "../vocabulary.ts";

type Instance = Stored<ChallengeInstance>;

export class Places {
  readonly #limit: number;
  readonly #all: () => Iterable<Instance>;
  /** Those whose status is being written: by UID, their owner. */
  readonly #taken = new Map<string, string>();

  /** `limit` 0: everybody may run. */
  constructor(limit: number, all: () => Iterable<Instance>) {
    this.#limit = limit;
    this.#all = all;
  }

  has(instance: Instance): boolean {
    if (this.#limit === 0 || this.#holds(instance)) return true;
    const ahead = this.waiting().filter(
      (other) => other.metadata.uid !== instance.metadata.uid && isBefore(other, instance),
    );
    return this.#held() + ahead.length < this.#limit;
  }

  /** False where another instance of the same owner is taking one at this moment. */
  take({ metadata, spec }: Instance): boolean {
    for (const [uid, ownerId] of this.#taken) if (ownerId === spec.ownerId && uid !== metadata.uid) return false;
    this.#taken.set(metadata.uid, spec.ownerId);
    return true;
  }

  /** To be told when the status that holds the place is written, or could not be. */
  release(uid: string): void {
    this.#taken.delete(uid);
  }

  /** Those who would get the places that are free now. */
  next(): ObjectKey[] {
    if (this.#limit === 0) return [];
    return this.waiting()
      .sort((one, other) => (isBefore(one, other) ? -1 : 1))
      .slice(0, Math.max(0, this.#limit - this.#held()))
      .map(keyOf);
  }

  waiting(): Instance[] {
    return [...this.#all()].filter((instance) => isWaiting(instance) && !this.#holds(instance));
  }

  #held(): number {
    let held = 0;
    for (const instance of this.#all()) if (this.#holds(instance)) held++;
    return held;
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
