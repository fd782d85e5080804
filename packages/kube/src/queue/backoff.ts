import type { Random } from "../clock.ts";

export interface BackoffOptions {
  /** The longest delay after the first failure. */
  firstMs: number;
  /** The longest delay ever. */
  maxMs: number;
}

const defaultBackoff: BackoffOptions = { firstMs: 200, maxMs: 5 * 60 * 1000 };

/**
 * Exponential backoff by key, with full jitter: each failure doubles the ceiling, and the delay is drawn evenly from
 * nothing up to it, so that a thousand keys that failed together do not come back together.
 *
 * It remembers a key from its first failure until `forget`.
 */
export class Backoff {
  readonly #random: Random;
  readonly #firstMs: number;
  readonly #maxMs: number;
  readonly #failures = new Map<string, number>();

  constructor(random: Random, { firstMs, maxMs }: BackoffOptions = defaultBackoff) {
    if (!(firstMs > 0 && firstMs <= maxMs && Number.isFinite(maxMs)))
      throw new RangeError(`cannot back off from ${firstMs} ms to ${maxMs} ms: it must be 0 < firstMs <= maxMs`);
    this.#random = random;
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
  }

  /** Counts a failure; returns how long to wait before the next try. */
  failed(key: string): number {
    const failures = this.retries(key);
    this.#failures.set(key, failures + 1);
    return this.#random() * Math.min(this.#maxMs, this.#firstMs * 2 ** failures);
  }

  retries(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** How many keys it remembers. */
  get size(): number {
    return this.#failures.size;
  }
}
