import type { Clock, Timer } from "../clock.ts";

/** Says in plain words what is wrong, for anyone to read; undefined when all is well. Answers at once. */
export type HealthCheck = () => string | undefined;

const tickMs = 1000;

/**
 * Measures how late this process comes to its own timers: what every request, renewal and timer here suffers when
 * something computes for too long.
 */
export class LagMonitor {
  readonly #clock: Clock;
  #due: number;
  #lastLagMs = 0;
  #timer: Timer;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#due = clock.monotonic() + tickMs;
    this.#timer = clock.setTimer(tickMs, () => this.#tick());
  }

  /** At the last tick, or up to now if the next one is overdue. */
  get lagMs(): number {
    return Math.max(this.#lastLagMs, this.#clock.monotonic() - this.#due, 0);
  }

  stop(): void {
    this.#timer.cancel();
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    this.#lastLagMs = now - this.#due;
    this.#due = now + tickMs;
    this.#timer = this.#clock.setTimer(tickMs, () => this.#tick());
  }
}

export function eventLoopCheck(monitor: { readonly lagMs: number }, limitMs = 5000): HealthCheck {
  return () =>
    monitor.lagMs < limitMs ? undefined : `the event loop is ${(monitor.lagMs / 1000).toFixed(1)} s behind`;
}

/** What an informer has to say about itself. */
export interface InformerTraffic {
  /** `deployments.apps` */
  readonly resource: string;
  /**
   * How long its open watch has brought nothing, 0 while none is open; one that is alive brings a bookmark about every
   * minute. An informer that tries to reach a server that is away is well: a restart would not bring the server back.
   */
  readonly silentSeconds: number;
}

/** An informer that hears nothing for so long, and has not noticed, works on a picture of the past. */
export function informersCheck(informers: () => Iterable<InformerTraffic>, limitSeconds = 300): HealthCheck {
  return () => {
    const silent = [...informers()].filter(({ silentSeconds }) => silentSeconds > limitSeconds);
    if (silent.length === 0) return undefined;
    return `nothing heard for over ${limitSeconds} s about ${silent.map(({ resource }) => resource).join(", ")}`;
  };
}
