import type { Clock } from "../clock.ts";

/** A clock that a test moves. */
export class FakeClock implements Clock {
  chance = 0;
  #now = 0;
  #timers: { at: number; fire: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  random(): number {
    return this.chance;
  }

  setTimer(delayMs: number, fire: () => void): () => void {
    const timer = { at: this.#now + delayMs, fire };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Fires everything that is due, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = next.at;
      next.fire();
    }
    this.#now = end;
  }
}
