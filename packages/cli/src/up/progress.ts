import type { Clock } from "@berg/kube";

/** One line for each part that has started, and how long it took. */
export class Progress {
  readonly #clock: Clock;
  readonly #write: (text: string) => void;
  readonly #started: number;

  constructor(clock: Clock, write: (text: string) => void) {
    this.#clock = clock;
    this.#write = write;
    this.#started = clock.monotonic();
  }

  async step<T>(what: string, work: () => Promise<T>): Promise<T> {
    const began = this.#clock.monotonic();
    const done = await work();
    this.#write(`  ${what.padEnd(24)}${seconds(this.#clock.monotonic() - began)}\n`);
    return done;
  }

  /** Since the first of them began. */
  get elapsed(): string {
    return seconds(this.#clock.monotonic() - this.#started);
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
