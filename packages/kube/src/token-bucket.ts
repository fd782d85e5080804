import type { Clock, Timer } from "./clock.ts";
import { Waiters } from "./queue/waiters.ts";

export interface Rate {
  /** Above 0; `Infinity` for no limit. */
  perSecond: number;
  /** How many may go at once after a pause; a whole number from 1. */
  burst: number;
}

export const unlimited: Rate = { perSecond: Number.POSITIVE_INFINITY, burst: 1 };

/**
 * At most `burst` + `perSecond` · t tokens in any stretch of t seconds.
 *
 * The state is one moment: when the bucket will be full again. Unlike a count of tokens it gathers no rounding error,
 * and a pause of days cannot fill it beyond its burst.
 *
 *     const limit = new TokenBucket(clock, { perSecond: 50, burst: 100 });
 *     await limit.wait(signal);
 */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #burstMs: number;
  readonly #waiters = new Waiters<void>();
  #fullAt = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock, { perSecond, burst }: Rate) {
    if (!(perSecond > 0))
      throw new RangeError(`cannot limit to ${perSecond} per second: nothing would ever pass (Infinity is no limit)`);
    if (!Number.isSafeInteger(burst) || burst < 1)
      throw new RangeError(`cannot limit with a burst of ${burst}: it must be a whole number from 1`);
    this.#clock = clock;
    this.#intervalMs = 1000 / perSecond;
    this.#burstMs = (burst - 1) * this.#intervalMs;
  }

  /**
   * Takes a token, in advance if there is none, and says in how many ms it is valid. It cannot be given back, so reserve
   * only for what will surely be done. Goes ahead of those in `wait`.
   */
  reserve(): number {
    const wait = this.#untilNext();
    this.#take();
    return wait;
  }

  /** Waits in line for a token. Who is aborted takes none, so a thousand given-up requests do not delay the next. */
  wait(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#waiters.size === 0 && this.#untilNext() === 0) {
      this.#take();
      return Promise.resolve();
    }
    const turn = this.#waiters.join(signal, () => this.#arm());
    this.#arm();
    return turn;
  }

  #untilNext(): number {
    return Math.max(0, this.#fullAt - this.#burstMs - this.#clock.monotonic());
  }

  #take(): void {
    this.#fullAt = Math.max(this.#fullAt, this.#clock.monotonic()) + this.#intervalMs;
  }

  #arm(): void {
    if (this.#waiters.size === 0) {
      this.#timer?.cancel();
      this.#timer = undefined;
    } else {
      this.#timer ??= this.#clock.setTimer(this.#untilNext(), () => this.#release());
    }
  }

  #release(): void {
    this.#timer = undefined;
    while (this.#waiters.size > 0 && this.#untilNext() === 0) {
      this.#take();
      this.#waiters.releaseFirst();
    }
    this.#arm();
  }
}
