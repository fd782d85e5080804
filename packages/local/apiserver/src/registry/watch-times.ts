/** When a watch ends, and when it is due for a bookmark. */
import type { Clock, Random, Timer } from "@berg/kube";

const bookmarkEveryMs = 60_000;
/** So that the next watch can start from close to where this one ends. */
const lastBookmarkMs = 2_000;
const shortestDefaultMs = 30 * 60_000;

export class WatchTimes implements Disposable {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #end: number;
  #nextBookmark: number;
  #timer: Timer | undefined;
  // Kept over many waits: it is used up only when it has fired.
  #wake = new AbortController();
  readonly #onAbort = () => this.#wake.abort();

  constructor(
    { clock, random }: { clock: Clock; random: Random },
    { timeoutSeconds }: { timeoutSeconds?: number },
    signal: AbortSignal,
  ) {
    this.#clock = clock;
    this.#signal = signal;
    // Spread, so that those who came together do not come back together.
    const lengthMs = timeoutSeconds ? timeoutSeconds * 1000 : shortestDefaultMs * (1 + random());
    this.#end = clock.monotonic() + lengthMs;
    this.#nextBookmark = this.#bookmarkAfter(clock.monotonic());
    signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#arm();
  }

  get isOver(): boolean {
    return this.#signal.aborted || this.#clock.monotonic() >= this.#end;
  }

  get isBookmarkDue(): boolean {
    return this.#clock.monotonic() >= this.#nextBookmark;
  }

  bookmarkSent(): void {
    this.#nextBookmark = this.#bookmarkAfter(this.#clock.monotonic());
    this.#arm();
  }

  /** Aborted when there is something to do beside reading events. */
  get wake(): AbortSignal {
    return this.#wake.signal;
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  #bookmarkAfter(now: number): number {
    const beforeEnd = this.#end - lastBookmarkMs;
    if (now >= beforeEnd) return Number.POSITIVE_INFINITY;
    return Math.min(now + bookmarkEveryMs, beforeEnd);
  }

  #arm(): void {
    this.#timer?.cancel();
    if (this.#wake.signal.aborted && !this.#signal.aborted) this.#wake = new AbortController();
    if (this.#signal.aborted) this.#wake.abort();
    const due = Math.min(this.#nextBookmark, this.#end) - this.#clock.monotonic();
    this.#timer = this.#clock.setTimer(due, () => this.#wake.abort());
  }
}
