import { type Clock, systemClock, type Timer } from "@berg/kube";

interface Pending {
  due: number;
  fire: () => void;
  timer: Timer;
}

/** Goes as every clock does, until a test lets some time pass at once: `clock.skip(60_000)`. */
export class SkippingClock implements Clock {
  #skipped = 0;
  readonly #pending = new Set<Pending>();

  now(): number {
    return systemClock.now() + this.#skipped;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#skipped;
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    const due = this.monotonic() + delayMs;
    const pending: Pending = {
      due,
      fire: () => {
        this.#pending.delete(pending);
        fire();
      },
      timer: systemClock.setTimer(delayMs, () => pending.fire()),
    };
    this.#pending.add(pending);
    return {
      cancel: () => {
        this.#pending.delete(pending);
        pending.timer.cancel();
      },
    };
  }

  skip(ms: number): void {
    this.#skipped += ms;
    for (const pending of this.#pending) {
      pending.timer.cancel();
      pending.timer = systemClock.setTimer(pending.due - this.monotonic(), () => pending.fire());
    }
  }
}
