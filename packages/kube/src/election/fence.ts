import type { Clock } from "../clock.ts";

/** We do not lead, or can no longer be sure that we do: what was to be written must not be. */
export class LeadershipLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LeadershipLost";
  }
}

/** A moment on both clocks. */
export interface Instant {
  readonly monotonic: number;
  readonly wall: number;
}

export function instant(clock: Clock): Instant {
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/**
 * Open while we may write: from the first renewal until one is `deadlineMs` old, and then never again.
 *
 * Asked right before each write, it needs no timer: a process that wakes from SIGSTOP, or a machine from suspension,
 * finds it closed before anything else of it has run. The wall clock counts as well because the monotonic one stands
 * still in a suspended machine; a wall clock that is set forward costs a restart, never a second leader. Not covered
 * is a wall clock set back in the seconds before a suspension of about the same length.
 */
export class Fence {
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  #renewedAt: Instant | undefined;
  #closed = false;

  constructor(clock: Clock, deadlineMs: number) {
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
  }

  get isOpen(): boolean {
    return !this.#closed && this.leftMs > 0;
  }

  /** Until it closes by itself; below 0 when it is too late, or when it was never open. */
  get leftMs(): number {
    return this.#deadlineMs - this.ageMs;
  }

  /** Since the last renewal began. */
  get ageMs(): number {
    return this.#renewedAt ? this.#since(this.#renewedAt) : Number.POSITIVE_INFINITY;
  }

  /** Whether it has ever been open. */
  get wasOpen(): boolean {
    return this.#renewedAt !== undefined;
  }

  /**
   * A renewal was confirmed. What counts is when its request was begun: the server may have written it at once and
   * answered late, and others count from then. False where it came too late: a fence that was open is then shut for good.
   */
  renewed(begun: Instant): boolean {
    if (this.wasOpen && !this.isOpen) this.close();
    if (this.#closed || this.#since(begun) >= this.#deadlineMs) return false;
    this.#renewedAt = begun;
    return true;
  }

  close(): void {
    this.#closed = true;
  }

  #since(moment: Instant): number {
    return Math.max(this.#clock.monotonic() - moment.monotonic, this.#clock.now() - moment.wall);
  }
}
