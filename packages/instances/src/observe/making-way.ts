/** How many of those who start, and of those who have begun and do not end, may do so beside those who stop. */
import type { AtOnce, Clock } from "@berg/kube";

/**
 * Some workers are kept free always: as many starts as workers, held up by a webhook, would hold up every end with them.
 * And while others stop, few start: each start writes up to eight objects side by side, and has the controllers of
 * Kubernetes write twice as many. Where the API server is busy, many at once would start none of them sooner, and make
 * every step of an end wait for all of theirs.
 */
const starts = { most: 24, besideEnds: 4, afterLateEnds: 1 };
/** Those who have begun write little. None of them waits for a start, or nobody would learn that it runs, or is unwell. */
const begun = { most: 16, besideEnds: 4 };
/** On a server that has time, a workload is told to stop within a tenth of a second. */
const lateMs = 400;
/** After an end that came late, the server is taken to be as busy for so long. */
const staysBusyMs = 5_000;
/** Then twice as many start every second: those who have waited, all at once, would make the next end late again. */
const doublesEveryMs = 1_000;
/**
 * On a busy server nobody starts while others stop: for so long, and then one at a time for as long again, by turns. Not
 * until all have stopped: where ends are always late, nobody would ever start.
 */
const pauseMs = 1_000;

export class MakingWay {
  readonly #clock: Clock;
  /** When an end was last late, and since when nobody starts, in monotonic ms. */
  #lateAt = Number.NEGATIVE_INFINITY;
  #pausedSince: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `stoppingMs`: for how long somebody's workload has been waiting to be told to stop. */
  atOnce(stoppingMs: number | undefined): AtOnce {
    const now = this.#clock.monotonic();
    if (stoppingMs !== undefined && stoppingMs >= lateMs) this.#lateAt = now;
    const calmMs = now - this.#lateAt - staysBusyMs;
    if (calmMs >= 0 || stoppingMs === undefined) this.#pausedSince = undefined;
    const isBusy = calmMs < 0 || stoppingMs !== undefined;
    return {
      ordinary: isBusy ? begun.besideEnds : begun.most,
      leisurely: calmMs < 0 ? this.#whileBusy(stoppingMs !== undefined, now) : whenCalm(calmMs, isBusy),
    };
  }

  #whileBusy(someStop: boolean, now: number): number {
    if (!someStop) return starts.afterLateEnds;
    this.#pausedSince ??= now;
    return (now - this.#pausedSince) % (2 * pauseMs) < pauseMs ? 0 : starts.afterLateEnds;
  }
}

function whenCalm(calmMs: number, someStop: boolean): number {
  const most = someStop ? starts.besideEnds : starts.most;
  return Math.min(most, 2 ** (1 + Math.floor(calmMs / doublesEveryMs)));
}
