import type { Clock, Timer } from "../clock.ts";

/** Calls `onSilence` when nothing was heard for so long. One timer, moved forward only when it fires. */
export class Watchdog {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onSilence: () => void;
  #last: number;
  #timer: Timer;

  constructor(clock: Clock, limitMs: number, onSilence: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onSilence = onSilence;
    this.#last = clock.monotonic();
    this.#timer = clock.setTimer(limitMs, () => this.#check());
  }

  get silentForMs(): number {
    return this.#clock.monotonic() - this.#last;
  }

  heard(): void {
    this.#last = this.#clock.monotonic();
  }

  stop(): void {
    this.#timer.cancel();
  }

  #check(): void {
    const left = this.#limitMs - this.silentForMs;
    if (left <= 0) this.#onSilence();
    else this.#timer = this.#clock.setTimer(left, () => this.#check());
  }
}
