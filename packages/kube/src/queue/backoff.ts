import type { Random } from "../clock.ts";

export interface BackoffOptions {
  /** The longest delay after the first failure. */
  firstMs: number;
  /** The longest delay ever. */
  maxMs: number;
}

/** Two minutes at most: whoever mends what was wrong waits for the next try. */
const defaultBackoff: BackoffOptions = { firstMs: 200, maxMs: 120_000 };
const longestRestMs = 5_000;

interface Failures {
  count: number;
  restsUntil: number;
}

/**
 * Exponential backoff by key, with jitter: each failure doubles the ceiling, and the delay is drawn evenly from its
 * tenth part up to it, so that a thousand keys that failed together do not come back together.
 *
 * That tenth part, or 5 s where it is longer, is the key's rest: until it is over, no event may bring it back either.
 * Without it the events of its own failing (the status that it writes about it) would drive it on for ever.
 *
 * It remembers a key from its first failure until `forget`. `now` is monotonic, in ms.
 */
export class Backoff {
  readonly #random: Random;
  readonly #firstMs: number;
  readonly #maxMs: number;
  readonly #failures = new Map<string, Failures>();

  constructor(random: Random, { firstMs, maxMs }: BackoffOptions = defaultBackoff) {
    if (!(firstMs > 0 && firstMs <= maxMs && Number.isFinite(maxMs)))
      throw new RangeError(`cannot back off from ${firstMs} ms to ${maxMs} ms: it must be 0 < firstMs <= maxMs`);
    this.#random = random;
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
  }

  /** Counts a failure; returns how long to wait before the next try. */
  failed(key: string, now: number): number {
    const failures = this.retries(key);
    const ceilingMs = Math.min(this.#maxMs, this.#firstMs * 2 ** failures);
    const restMs = Math.min(longestRestMs, ceilingMs / 10);
    this.#failures.set(key, { count: failures + 1, restsUntil: now + restMs });
    return restMs + this.#random() * (ceilingMs - restMs);
  }

  /** How long it is until the key may be tried again for whatever cause; 0 where it may. */
  restMs(key: string, now: number): number {
    return Math.max(0, (this.#failures.get(key)?.restsUntil ?? now) - now);
  }

  retries(key: string): number {
    return this.#failures.get(key)?.count ?? 0;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** How many keys it remembers. */
  get size(): number {
    return this.#failures.size;
  }
}
