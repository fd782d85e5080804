/** How long to leave a registry alone after a pull failed: 10 s, doubled up to 5 minutes, for each pod and image. */
import type { Clock } from "@berg/kube";

const firstMs = 10_000;
const longestMs = 300_000;

interface Failure {
  at: number;
  delayMs: number;
  /** Why, for those who ask meanwhile. */
  why: string;
}

export class PullBackOff {
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failure>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined where it may be tried now. */
  waiting(key: string): { leftMs: number; why: string } | undefined {
    const failure = this.#failures.get(key);
    if (!failure) return undefined;
    const leftMs = failure.at + failure.delayMs - this.#clock.monotonic();
    return leftMs > 0 ? { leftMs, why: failure.why } : undefined;
  }

  failed(key: string, why: string): { delayMs: number } {
    this.#forgetOld();
    const before = this.#failures.get(key);
    const delayMs = before ? Math.min(before.delayMs * 2, longestMs) : firstMs;
    this.#failures.set(key, { at: this.#clock.monotonic(), delayMs, why });
    return { delayMs };
  }

  /** The pod is gone, or has its image. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** What went well for twice the longest time starts anew. */
  #forgetOld(): void {
    const oldest = this.#clock.monotonic() - 2 * longestMs;
    for (const [key, { at }] of this.#failures) if (at < oldest) this.#failures.delete(key);
  }
}
