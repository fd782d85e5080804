import { firstVersion } from "./objects.ts";

export interface Seen {
  events: number;
  perSecond: number;
}

/** Measures from the first change to the last, which its version tells, and counts what came in between. */
export class Stopwatch {
  readonly #lastVersion: string;
  readonly #report: (seen: Seen) => void;
  #events = 0;
  #startedAt = 0;

  constructor(changes: number, report: (seen: Seen) => void) {
    this.#lastVersion = String(firstVersion + changes - 1);
    this.#report = report;
  }

  saw(object: { metadata?: { resourceVersion?: string } }): void {
    if (this.#events++ === 0) this.#startedAt = performance.now();
    if (object.metadata?.resourceVersion !== this.#lastVersion) return;
    const seconds = (performance.now() - this.#startedAt) / 1000;
    this.#report({ events: this.#events, perSecond: (this.#events - 1) / seconds });
  }
}
