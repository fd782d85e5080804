import type { Clock, Timer } from "../clock.ts";

interface Pending {
  due: number;
  order: number;
  fire: () => void;
}

/**
 * Time that stands still until a test moves it.
 *
 *     const clock = new FakeClock();
 *     clock.setTimer(1000, () => …);
 *     await clock.advance(1000);
 */
export class FakeClock implements Clock {
  #wall: number;
  #monotonic = 0;
  #order = 0;
  #pending = new Set<Pending>();

  constructor(start = Date.parse("2026-01-01T00:00:00Z")) {
    this.#wall = start;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    const pending = { due: this.#monotonic + Math.max(0, delayMs), order: this.#order++, fire };
    this.#pending.add(pending);
    return { cancel: () => this.#pending.delete(pending) };
  }

  /** How many timers wait; a test's way to see that nothing was left behind. */
  get timers(): number {
    return this.#pending.size;
  }

  /** Moves both clocks, firing what falls due in order, and lets promises settle after each. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    for (;;) {
      await settle();
      const next = this.#next(end);
      if (!next) break;
      this.#move(next.due);
      this.#pending.delete(next);
      next.fire();
    }
    this.#move(end);
    await settle();
  }

  /** A step of the wall clock alone, as by NTP or a person. */
  jumpWall(ms: number): void {
    this.#wall += ms;
  }

  #move(to: number): void {
    this.#wall += to - this.#monotonic;
    this.#monotonic = to;
  }

  #next(end: number): Pending | undefined {
    let first: Pending | undefined;
    for (const pending of this.#pending) {
      if (pending.due > end) continue;
      if (!first || pending.due < first.due || (pending.due === first.due && pending.order < first.order))
        first = pending;
    }
    return first;
  }
}

/** Lets everything that is ready to run, run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
