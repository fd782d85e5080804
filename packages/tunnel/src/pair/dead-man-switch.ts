/** Fires once nobody has been there for a while, counted from the start or from when the last one left. */
import type { Clock, Timer } from "@berg/kube/process";

export class DeadManSwitch implements Disposable {
  readonly #clock: Clock;
  readonly #afterMs: number;
  readonly #fire: () => void;
  #present = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock, afterMs: number, fire: () => void) {
    this.#clock = clock;
    this.#afterMs = afterMs;
    this.#fire = fire;
    this.#arm();
  }

  /** Returns how to leave; leaving twice is leaving once. */
  arrive(): () => void {
    this.#present++;
    this.#timer?.cancel();
    let isPresent = true;
    return () => {
      if (!isPresent) return;
      isPresent = false;
      this.#present--;
      if (this.#present === 0) this.#arm();
    };
  }

  [Symbol.dispose](): void {
    // Whoever leaves from now on starts nothing.
    this.#present = Number.POSITIVE_INFINITY;
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer = this.#clock.setTimer(this.#afterMs, this.#fire);
  }
}
