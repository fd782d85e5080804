/** How many of those who start, or have anything else to do that is no end, may do so beside those who stop. */
import type { Clock } from "@berg/kube";

/**
 * Some workers are kept free always: as many starts as workers, held up by a webhook, would hold up every end with them.
 * And while others stop, few start: each start writes up to eight objects side by side, and has the controllers of
 * Kubernetes write twice as many. Where the API server is busy, many at once would start none of them sooner, and make
 * every step of an end wait for all of theirs.
 */
const atOnce = { most: 24, besideEnds: 4, afterLateEnds: 1 };
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
  atOnce(stoppingMs: number | undefined): number {
    const now = this.#clock.monotonic();
    if (stoppingMs !== undefined && stoppingMs >= lateMs) this.#lateAt = now;
    const calmMs = now - this.#lateAt - staysBusyMs;
    if (calmMs >= 0 || stoppingMs === undefined) this.#pausedSince = undefined;
    if (calmMs >= 0) {
      const most = Math.min(atOnce.most, 2 ** (1 + Math.floor(calmMs / doublesEveryMs)));
      return stoppingMs === undefined ? most : Math.min(most, atOnce.besideEnds);
    }
    if (stoppingMs === undefined) return atOnce.afterLateEnds;
    this.#pausedSince ??= now;
    return (now - this.#pausedSince) % (2 * pauseMs) < pauseMs ? 0 : atOnce.afterLateEnds;
  }
}
