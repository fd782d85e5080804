/**
 * What a challenge is worth after a number of solves. Each formula follows the system that it comes from, operation by
 * operation, so that it rounds as that system does; `formulas.test.ts` holds the values that those systems gave.
 *
 * The value applies to all solvers, also to earlier ones.
 */
import type { ChallengeScoring, CompetitionScoring, ScoringFormula } from "@berg/resources";

/** The scoring of one challenge. */
export type Scoring = Readonly<Omit<CompetitionScoring, "bonuses">> & { readonly bonuses: readonly number[] };

/**
 * The Competition's scoring with what the Challenge sets in its place. A Challenge may set a maximum below the
 * Competition's minimum, or the other way round: what the Challenge sets counts, and the other one follows it.
 */
export function scoringOf(competition: Scoring, override: ChallengeScoring = {}): Scoring {
  const merged = { ...competition, ...override };
  if (merged.minimum <= merged.maximum) return merged;
  return override.maximum === undefined
    ? { ...merged, maximum: merged.minimum }
    : { ...merged, minimum: merged.maximum };
}

/** What a challenge is worth after so many counted solves, without bonus. */
export function challengeValue(scoring: Scoring, solves: number): number {
  const value = formulas[scoring.formula](scoring, solves);
  return Math.max(scoring.minimum, Math.min(scoring.maximum, value));
}

/** The additional points of the solve at this position, which counts from 1. */
export function bonusOf({ bonuses }: Scoring, position: number): number {
  return position <= bonuses.length ? (bonuses[position - 1] as number) : 0;
}

type Formula = (scoring: Scoring, solves: number) => number;

/** Solves after the first one: in these systems the first solver gets the maximum. */
const afterFirst = (solves: number) => Math.max(solves - 1, 0);

/** A parabola from the maximum to the minimum. */
function parabola({ maximum, minimum, solvesBeforeMinimum }: Scoring, solves: number): number {
  return Math.ceil(((minimum - maximum) / solvesBeforeMinimum ** 2) * solves ** 2 + maximum);
}

/** Constants of rCTF; the same in every competition. */
const rctf = { scale: 11.92201, exponent: 1.206069 };

const formulas: Record<ScoringFormula, Formula> = {
  /** The original Berg: the first solve lowers the value already. */
  berg: parabola,

  static: ({ maximum }) => maximum,

  /** CTFd's `linear`, whose decay is (maximum − minimum) / solvesBeforeMinimum. */
  linear({ maximum, minimum, solvesBeforeMinimum }, solves) {
    // Multiplied first: the minimum is reached exactly.
    return Math.ceil(maximum - ((maximum - minimum) * afterFirst(solves)) / solvesBeforeMinimum);
  },

  /** CTFd's `logarithmic`, which is a parabola. */
  quadratic: (scoring, solves) => parabola(scoring, afterFirst(solves)),

  /** rCTF's `classic`. */
  exponential({ maximum, minimum }, solves) {
    const share = 1 / (1 + (afterFirst(solves) / rctf.scale) ** rctf.exponent);
    return Math.round(minimum + (maximum - minimum) * share);
  },

  /** GZ::CTF, whose difficulty is a tenth of solvesBeforeMinimum: 50 gives its default of 5. */
  gzctf({ maximum, minimum, solvesBeforeMinimum }, solves) {
    if (solves <= 1) return maximum;
    const [rate, difficulty] = [minimum / maximum, solvesBeforeMinimum / 10];
    return Math.floor(maximum * (rate + (1 - rate) * Math.exp((1 - solves) / difficulty)));
  },
};
