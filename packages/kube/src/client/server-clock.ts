import type { Clock, Timer } from "../clock.ts";
import { type Logger, silentLogger } from "../log.ts";
import type { Head } from "./transport.ts";

/** More than the whole seconds of a Date, a slow answer and a usual clock explain. */
const toleratedMs = 5000;

/**
 * The time as the API server has it, by the Date of its answers: for whoever holds "now" against times that the server,
 * or another process, wrote. Our own clock may be minutes ahead.
 *
 * A Date has whole seconds and is read a moment after it was written. Both make this clock late, by a second or so, and
 * never early. Between two answers the monotonic clock goes on, so that a step of our own clock changes nothing. Until
 * the first answer our own clock serves.
 *
 *     const serverClock = new ServerClock(systemClock);
 *     const client = createClient({ connection, serverClock });
 */
export class ServerClock implements Clock {
  readonly #own: Clock;
  readonly #log: Logger;
  /** The server's time at zero of our monotonic clock. */
  #origin: number | undefined;
  #isOff = false;

  constructor(own: Clock, log: Logger = silentLogger) {
    this.#own = own;
    this.#log = log;
  }

  now(): number {
    return this.#origin === undefined ? this.#own.now() : Math.floor(this.#origin + this.#own.monotonic());
  }

  monotonic(): number {
    return this.#own.monotonic();
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    return this.#own.setTimer(delayMs, fire);
  }

  /** How far our own clock is ahead of this one; negative where it is behind. */
  get aheadMs(): number {
    return this.#own.now() - this.now();
  }

  /** To be told of each answer as it begins. */
  heard({ status, headers }: Head): void {
    // A refusal may be a proxy's, with the proxy's time.
    if (status >= 300 || typeof headers.date !== "string") return;
    const time = Date.parse(headers.date);
    if (Number.isNaN(time)) return;
    this.#origin = time - this.#own.monotonic();
    this.#tell();
  }

  #tell(): void {
    const { aheadMs } = this;
    const wasOff = this.#isOff;
    this.#isOff = Math.abs(aheadMs) > toleratedMs;
    if (!this.#isOff || wasOff) return;
    this.#log.warn(
      { aheadSeconds: Math.round(aheadMs / 1000) },
      "our clock is not the API server's: set one of them right",
    );
  }
}
