import { type Clock, systemClock, type Timer } from "../clock.ts";

/** Lets every wait pass at once, and remembers how long each was: for tests whose sockets need real time. */
export class HastyClock implements Clock {
  readonly waits: number[] = [];
  #skipped = 0;

  now(): number {
    return systemClock.now() + this.#skipped;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#skipped;
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    this.waits.push(delayMs);
    const handle = setImmediate(() => {
      this.#skipped += delayMs;
      fire();
    });
    return { cancel: () => clearImmediate(handle) };
  }
}
