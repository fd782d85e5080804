/** A queue in a given order, in which the position of an entry is found by binary search. */
import type { ObjectKey } from "@berg/apimachinery";

export class OrderedQueue<T> {
  readonly #isBefore: (one: T, other: T) => boolean;
  readonly #entries: T[] = [];
  /** The same entries by key, as they were when they were added: their order may have changed since. */
  readonly #byKey = new Map<ObjectKey, T>();

  constructor(isBefore: (one: T, other: T) => boolean) {
    this.#isBefore = isBefore;
  }

  /** Replaces an earlier entry of the same key. */
  add(key: ObjectKey, entry: T): void {
    this.remove(key);
    this.#entries.splice(this.countBefore(entry), 0, entry);
    this.#byKey.set(key, entry);
  }

  remove(key: ObjectKey): void {
    const entry = this.#byKey.get(key);
    if (entry === undefined) return;
    this.#byKey.delete(key);
    this.#entries.splice(this.countBefore(entry), 1);
  }

  has(key: ObjectKey): boolean {
    return this.#byKey.has(key);
  }

  first(count: number): T[] {
    return this.#entries.slice(0, Math.max(0, count));
  }

  countBefore(entry: T): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#isBefore(this.#entries[middle] as T, entry)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
