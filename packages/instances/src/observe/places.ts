/**
 * Who may run at once, where the organiser has set a limit: first come, first served.
 *
 * A place is taken in memory before it is written down, without a pause in between; else two instances that are looked
 * at side by side would both take the last one.
 */
import { keyOf, type ObjectKey, type Stored } from "@berg/apimachinery";
import { findCondition } from "@berg/kube";
import type { ChallengeInstance } from "@berg/resources";
import { conditionTypes, reasons } from "../vocabulary.ts";

type Instance = Stored<ChallengeInstance>;

export class Places {
  readonly #limit: number;
  readonly #all: () => Iterable<Instance>;
  /** UIDs of those whose status is being written. */
  readonly #taken = new Set<string>();

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

  take(uid: string): void {
    if (this.#limit > 0) this.#taken.add(uid);
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

function isWaiting({ metadata, status }: Instance): boolean {
  if (metadata.deletionTimestamp) return false;
  return findCondition(status?.conditions, conditionTypes.admitted)?.reason === reasons.capacityReached;
}

function isBefore(one: Instance, other: Instance): boolean {
  const [a, b] = [one.metadata, other.metadata];
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp;
  return a.uid < b.uid;
}
