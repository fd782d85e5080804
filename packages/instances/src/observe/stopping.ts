/**
 * Those whose end has begun while something of theirs still runs that nobody has told to stop. Whoever starts makes way
 * for them, the more the longer it takes: on a busy API server every start makes every step of an end wait.
 */
import type { ObjectKey } from "@berg/apimachinery";
import type { Clock } from "@berg/kube";

/** What takes longer is held up by something else than those who start: a refusal, or somebody's finalizer. */
const countsForMs = 10_000;

export class Stopping {
  readonly #clock: Clock;
  /** Since when, in monotonic ms; the first has waited longest. */
  readonly #since = new Map<ObjectKey, number>();
  /** Those of which that was too long ago for anybody to make way. */
  readonly #heldUp = new Map<ObjectKey, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What a look has found. `began`: when the end began, in ms since 1970; undefined where nothing has to be told. */
  note(key: ObjectKey, began: number | undefined): void {
    if (began === undefined) {
      this.#since.delete(key);
      this.#heldUp.delete(key);
    } else if (!this.#since.has(key) && !this.#heldUp.has(key)) {
      const counts = began + countsForMs > this.#clock.now();
      (counts ? this.#since : this.#heldUp).set(key, this.#clock.monotonic());
    }
  }

  /** For how long this process has known that it has to be told. */
  msOf(key: ObjectKey): number {
    const since = this.#since.get(key) ?? this.#heldUp.get(key);
    return since === undefined ? 0 : this.#clock.monotonic() - since;
  }

  /** Whether others make way for it. */
  counts(key: ObjectKey): boolean {
    return this.#since.has(key) && this.msOf(key) < countsForMs;
  }

  /** How long the first of them has been waiting; undefined where nobody is. */
  get longestMs(): number | undefined {
    for (const [key, since] of this.#since) {
      if (this.counts(key)) return this.msOf(key);
      this.#since.delete(key);
      this.#heldUp.set(key, since);
    }
    return undefined;
  }
}
