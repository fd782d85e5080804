/**
 * How fast all streams of a tunnel together may go one way. Bytes are passed on first and paid for afterwards: who has
 * read more than was in store reads on only when it is paid for, in the order of reading. So nothing is cut or held
 * back, and over any longer time the rate is exact.
 */
import type { Clock } from "@berg/kube/process";

/** After a pause so much may go at once: enough to be smooth, too little to matter. */
const storeMs = 100;

export class Pace {
  readonly clock: Clock;
  readonly #bytesPerMs: number;
  #paidAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, bytesPerSecond: number) {
    this.clock = clock;
    this.#bytesPerMs = bytesPerSecond / 1000;
  }

  /** In how many ms they are paid for; 0 where they were in store. */
  spend(bytes: number): number {
    const now = this.clock.monotonic();
    this.#paidAt = Math.max(this.#paidAt, now - storeMs) + bytes / this.#bytesPerMs;
    return Math.max(0, this.#paidAt - now);
  }
}
