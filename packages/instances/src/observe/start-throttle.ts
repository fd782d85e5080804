/** How many instances may start, and how many ordinary reconciles may run, at the same time as instances stop. */
import type { AtOnce, Clock } from "@berg/kube";

/**
 * Some workers always stay free: starts that wait for a slow webhook could occupy all of them, and no instance could
 * stop. While instances stop, few start: each start writes up to eight objects concurrently, and the controllers of
 * Kubernetes write twice as many. On a busy API server more starts would not finish sooner, but delay every stop.
 */
const starts = { most: 24, besideStops: 4, afterLateStop: 1 };
/** Reconciles of started instances. They write little and never wait for starts, so that health is always reported. */
const ordinary = { most: 16, besideStops: 4 };
/** On an API server that is not busy, a workload is deleted within a tenth of a second. */
const lateMs = 400;
/** For how long after a late stop the API server counts as busy. */
const staysBusyMs = 5_000;
/** Afterwards the number of starts doubles at this interval: all queued starts at once would make the next stop late. */
const doublesEveryMs = 1_000;
/**
 * While the API server is busy and instances stop, no instance starts for this long, then one at a time for as long, and
 * so on. The pause is limited: where every stop is late, no instance would ever start.
 */
const pauseMs = 1_000;

export class StartThrottle {
  readonly #clock: Clock;
  /** When a stop was last late, and since when starts pause, in monotonic ms. */
  #lateAt = Number.NEGATIVE_INFINITY;
  #pausedSince: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `stoppingMs`: for how long the oldest stop has been known; undefined where no instance stops. */
  limits(stoppingMs: number | undefined): AtOnce {
    const now = this.#clock.monotonic();
    if (stoppingMs !== undefined && stoppingMs >= lateMs) this.#lateAt = now;
    const calmMs = now - this.#lateAt - staysBusyMs;
    if (calmMs >= 0 || stoppingMs === undefined) this.#pausedSince = undefined;
    const isBusy = calmMs < 0 || stoppingMs !== undefined;
    return {
      ordinary: isBusy ? ordinary.besideStops : ordinary.most,
      leisurely: calmMs < 0 ? this.#startsWhileBusy(stoppingMs !== undefined, now) : startsWhenCalm(calmMs, isBusy),
    };
  }

  #startsWhileBusy(someStop: boolean, now: number): number {
    if (!someStop) return starts.afterLateStop;
    this.#pausedSince ??= now;
    return (now - this.#pausedSince) % (2 * pauseMs) < pauseMs ? 0 : starts.afterLateStop;
  }
}

function startsWhenCalm(calmMs: number, someStop: boolean): number {
  const most = someStop ? starts.besideStops : starts.most;
  return Math.min(most, 2 ** (1 + Math.floor(calmMs / doublesEveryMs)));
}
