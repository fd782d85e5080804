/** Those who wait, in order. However many they are, to find a place among them takes a handful of steps. */
import type { ObjectKey } from "@berg/apimachinery";

export class Line<T> {
  readonly #isBefore: (one: T, other: T) => boolean;
  readonly #waiting: T[] = [];
  /** The same, by key, as they were when they joined. */
  readonly #byKey = new Map<ObjectKey, T>();

  constructor(isBefore: (one: T, other: T) => boolean) {
    this.#isBefore = isBefore;
  }

  join(key: ObjectKey, one: T): void {
    this.leave(key);
    this.#waiting.splice(this.ahead(one), 0, one);
    this.#byKey.set(key, one);
  }

  leave(key: ObjectKey): void {
    const known = this.#byKey.get(key);
    if (known === undefined) return;
    this.#byKey.delete(key);
    this.#waiting.splice(this.ahead(known), 1);
  }

  has(key: ObjectKey): boolean {
    return this.#byKey.has(key);
  }

  first(count: number): T[] {
    return this.#waiting.slice(0, Math.max(0, count));
  }

  /** How many of those who wait go before it. */
  ahead(one: T): number {
    let [low, high] = [0, this.#waiting.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#isBefore(this.#waiting[middle] as T, one)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
