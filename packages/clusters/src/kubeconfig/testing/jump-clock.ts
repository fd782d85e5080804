import { type Clock, systemClock, type Timer } from "@berg/kube";

interface Waiting {
  due: number;
  fire: () => void;
  timer: Timer;
}

/** Time as it is, that can be moved ahead: what waits for it comes at once. For tests whose servers need real time. */
export class JumpClock implements Clock {
  #ahead = 0;
  readonly #waiting = new Set<Waiting>();

  now(): number {
    return systemClock.now() + this.#ahead;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#ahead;
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    const waiting: Waiting = { due: this.monotonic() + delayMs, fire, timer: { cancel() {} } };
    this.#waiting.add(waiting);
    this.#arm(waiting);
    return {
      cancel: () => {
        waiting.timer.cancel();
        this.#waiting.delete(waiting);
      },
    };
  }

  jump(ms: number): void {
    this.#ahead += ms;
    for (const waiting of [...this.#waiting]) {
      waiting.timer.cancel();
      this.#arm(waiting);
    }
  }

  #arm(waiting: Waiting): void {
    waiting.timer = systemClock.setTimer(Math.max(0, waiting.due - this.monotonic()), () => {
      this.#waiting.delete(waiting);
      waiting.fire();
    });
  }
}
