/**
 * Tracks instances that have to end while one of their workloads is not deleted yet. Starts are throttled meanwhile
 * (`StartThrottle`): on a busy API server every start delays every step of a stop.
 */
import type { ObjectKey } from "@berg/apimachinery";
import type { Clock } from "@berg/kube";

/** A stop that takes longer is not delayed by starts, but by a refusal or somebody's finalizer. */
const recentMs = 10_000;

export class StopTracker {
  readonly #clock: Clock;
  /** Recent stops and since when they are known, in monotonic ms; the oldest first. */
  readonly #recent = new Map<ObjectKey, number>();
  /** Stops that take longer than `recentMs`. */
  readonly #overdue = new Map<ObjectKey, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `began`: when the end of the instance began, in ms since 1970; undefined where every workload is deleted. */
  record(key: ObjectKey, began: number | undefined): void {
    if (began === undefined) {
      this.#recent.delete(key);
      this.#overdue.delete(key);
    } else if (!this.#recent.has(key) && !this.#overdue.has(key)) {
      const isRecent = began + recentMs > this.#clock.now();
      (isRecent ? this.#recent : this.#overdue).set(key, this.#clock.monotonic());
    }
  }

  /** For how long this process has known that the instance has to stop; 0 where it need not. */
  elapsedMs(key: ObjectKey): number {
    const since = this.#recent.get(key) ?? this.#overdue.get(key);
    return since === undefined ? 0 : this.#clock.monotonic() - since;
  }

  /** Whether starts are throttled for this instance. */
  isRecent(key: ObjectKey): boolean {
    return this.#recent.has(key) && this.elapsedMs(key) < recentMs;
  }

  /** For how long the oldest recent stop has been known; undefined where there is none. */
  get longestMs(): number | undefined {
    for (const [key, since] of this.#recent) {
      if (this.isRecent(key)) return this.elapsedMs(key);
      this.#recent.delete(key);
      this.#overdue.set(key, since);
    }
    return undefined;
  }
}
