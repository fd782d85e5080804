/** Log lines that a stranger can cause: a few are worth reading, thousands would fill the disk. */
import type { Clock, Logger } from "@berg/kube/process";

const quietMs = 10_000;

export class SeldomLog {
  readonly #clock: Clock;
  readonly #log: Logger;
  #quietUntil = Number.NEGATIVE_INFINITY;
  #unsaid = 0;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** At most one line in ten seconds; the next one says how many were left out. */
  warn(fields: object, message: string): void {
    const now = this.#clock.monotonic();
    if (now < this.#quietUntil) {
      this.#unsaid++;
      return;
    }
    this.#log.warn({ ...fields, leftOut: this.#unsaid }, message);
    this.#quietUntil = now + quietMs;
    this.#unsaid = 0;
  }
}
