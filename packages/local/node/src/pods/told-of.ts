/**
 * Containers that the engine's events told of, and that nobody asked about since. What we do ourselves comes with several
 * events, and we ask when it is done: each question costs the engine as much as a good part of a start.
 */
import type { Clock, Timer } from "@berg/kube";

const settleMs = 25;

export class ToldOf {
  readonly #clock: Clock;
  readonly #ask: (id: string) => void;
  readonly #waiting = new Map<string, Timer>();

  constructor(clock: Clock, ask: (id: string) => void) {
    this.#clock = clock;
    this.#ask = ask;
  }

  /** Has it asked about soon, unless somebody does so before. */
  hear(id: string): void {
    if (this.#waiting.has(id)) return;
    this.#waiting.set(
      id,
      this.#clock.setTimer(settleMs, () => this.#ask(id)),
    );
  }

  /** It is being asked about from now on: the answer has all that was told of. */
  asked(id: string): void {
    this.#waiting.get(id)?.cancel();
    this.#waiting.delete(id);
  }

  clear(): void {
    for (const id of [...this.#waiting.keys()]) this.asked(id);
  }
}
