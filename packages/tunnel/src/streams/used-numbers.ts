/**
 * The numbers of the data connections of a session, each of which is good once. They come roughly in order, as many
 * connections as are dialled at once may overtake each other. So only the last thousands are remembered, and what is
 * older than those is refused unseen.
 */

/** Far more than a server proxy dials at once. */
const remembered = 4096;

export class UsedNumbers {
  readonly #used = new Set<number>();
  #highest = 0;

  /** Whether it may be used; from now on it may not. */
  take(number: number): boolean {
    if (!Number.isSafeInteger(number) || number < 1) return false;
    if (number <= this.#highest - remembered || this.#used.has(number)) return false;
    this.#used.add(number);
    this.#highest = Math.max(this.#highest, number);
    if (this.#used.size > 2 * remembered) this.#forgetOld();
    return true;
  }

  /** For a test: this must not grow without bound. */
  get size(): number {
    return this.#used.size;
  }

  #forgetOld(): void {
    for (const number of this.#used) if (number <= this.#highest - remembered) this.#used.delete(number);
  }
}
