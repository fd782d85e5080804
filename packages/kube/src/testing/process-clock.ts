import type { Clock, Timer } from "../clock.ts";
import type { FakeClock } from "./fake-clock.ts";

/**
 * The clocks of one process in a simulated world. They may run fast or slow, and the process may be stopped (SIGSTOP:
 * its clocks go on) or suspended with its machine (the monotonic clock stands still). What falls due meanwhile happens
 * when it goes on.
 */
export class ProcessClock implements Clock {
  readonly #world: FakeClock;
  readonly #rate: number;
  #wallOffset: number;
  #suspendedFor = 0;
  #frozen: { since: number; suspended: boolean } | undefined;
  #held: (() => void)[] = [];

  constructor(world: FakeClock, { rate = 1, wallOffset = 0 } = {}) {
    this.#world = world;
    this.#rate = rate;
    this.#wallOffset = wallOffset;
  }

  now(): number {
    return this.#world.now() + this.#wallOffset + (this.#rate - 1) * this.#world.monotonic();
  }

  monotonic(): number {
    const awake = this.#frozen?.suspended ? this.#frozen.since : this.#world.monotonic();
    return this.#rate * (awake - this.#suspendedFor);
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    const due = this.monotonic() + Math.max(0, delayMs);
    let cancelled = false;
    let timer: Timer;
    const arm = () => {
      timer = this.#world.setTimer((due - this.monotonic()) / this.#rate, () => this.whenAwake(ring));
    };
    const ring = () => {
      if (cancelled) return;
      if (due - this.monotonic() > 0.001) arm();
      else fire();
    };
    arm();
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
      },
    };
  }

  get isFrozen(): boolean {
    return this.#frozen !== undefined;
  }

  /** Does it now, or when the process goes on: how an answer from the network reaches it. */
  whenAwake(action: () => void): void {
    if (this.#frozen) this.#held.push(action);
    else action();
  }

  freeze(how: "stopped" | "suspended"): void {
    this.#frozen ??= { since: this.#world.monotonic(), suspended: how === "suspended" };
  }

  /** `first` sees the process as it wakes, before any of its timers has fired. */
  thaw(first: () => void = () => {}): void {
    if (this.#frozen?.suspended) this.#suspendedFor += this.#world.monotonic() - this.#frozen.since;
    this.#frozen = undefined;
    first();
    for (const action of this.#held.splice(0)) action();
  }

  jumpWall(ms: number): void {
    this.#wallOffset += ms;
  }
}
