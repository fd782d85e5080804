import { type ScoringFormula, scoringFormulas } from "@berg/resources";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bonusOf, challengeValue, type Scoring, scoringOf } from "./formulas.ts";

const scoring = (given: Partial<Scoring> = {}): Scoring => ({
  formula: "berg",
  maximum: 500,
  minimum: 100,
  solvesBeforeMinimum: 50,
  bonuses: [],
  ...given,
});

const solves = [0, 1, 2, 10, 50, 1000];

/** What the source systems' own functions gave for `solves`; those were run apart, and are not part of this repository. */
const golden: [ScoringFormula, maximum: number, minimum: number, solvesBeforeMinimum: number, want: number[]][] = [
  // BergCTF/platform, data.service.ts: the statement that sets challDetail.value.
  ["berg", 500, 100, 50, [500, 500, 500, 484, 100, 100]],
  ["berg", 1000, 50, 30, [1000, 999, 996, 895, 50, 50]],
  ["berg", 500, 100, 7, [500, 492, 468, 100, 100, 100]],
  ["static", 500, 100, 50, [500, 500, 500, 500, 500, 500]],
  // CTFd 3.8.7, decay.py: linear with a decay of 8 (twice) and 19.
  ["linear", 500, 100, 50, [500, 500, 492, 428, 108, 100]],
  ["linear", 1000, 50, 50, [1000, 1000, 981, 829, 69, 50]],
  ["linear", 500, 100, 8, [500, 500, 450, 100, 100, 100]],
  // CTFd 3.8.7, decay.py: logarithmic.
  ["quadratic", 500, 100, 50, [500, 500, 500, 488, 116, 100]],
  ["quadratic", 1000, 50, 30, [1000, 1000, 999, 915, 50, 50]],
  ["quadratic", 500, 100, 7, [500, 500, 492, 100, 100, 100]],
  // rCTF v2, classic.ts.
  ["exponential", 500, 100, 50, [500, 500, 481, 334, 162, 102]],
  ["exponential", 1000, 50, 50, [1000, 1000, 954, 605, 196, 55]],
  ["exponential", 500, 0, 50, [500, 500, 476, 292, 77, 2]],
  // GZCTF 1.8.5, GameChallenge.CalculateChallengeScore: rates 0.25, 0.2, 0.05; difficulties 5, 5, 3.
  ["gzctf", 1000, 250, 50, [1000, 1000, 864, 373, 250, 250]],
  ["gzctf", 500, 100, 50, [500, 500, 427, 166, 100, 100]],
  ["gzctf", 1000, 50, 30, [1000, 1000, 730, 97, 50, 50]],
];

test.each(golden)("%s from %i to %i by %i is as in its source system", (formula, maximum, minimum, by, want) => {
  const given = scoring({ formula, maximum, minimum, solvesBeforeMinimum: by });
  expect(solves.map((n) => challengeValue(given, n))).toEqual(want);
});

const anyScoring = fc
  .record({
    formula: fc.constantFrom(...scoringFormulas),
    high: fc.integer({ min: 1, max: 1_000_000 }),
    low: fc.integer({ min: 0, max: 1_000_000 }),
    solvesBeforeMinimum: fc.integer({ min: 1, max: 100_000 }),
  })
  .map(({ formula, high, low, solvesBeforeMinimum }) =>
    scoring({ formula, maximum: Math.max(high, low), minimum: Math.min(high, low), solvesBeforeMinimum }),
  );

test("every value is a whole number between minimum and maximum, and never rises with solves", () => {
  fc.assert(
    fc.property(anyScoring, fc.nat(200_000), fc.nat(1000), (given, n, more) => {
      const [before, after] = [challengeValue(given, n), challengeValue(given, n + more)];
      expect(Number.isInteger(before)).toBe(true);
      expect(before).toBeLessThanOrEqual(given.maximum);
      expect(after).toBeGreaterThanOrEqual(given.minimum);
      expect(after).toBeLessThanOrEqual(before);
    }),
  );
});

describe("the scoring of one challenge", () => {
  const competition = scoring({ bonuses: [30] });

  test("is the Competition's, field by field replaced by the Challenge's", () => {
    expect(scoringOf(competition)).toEqual(competition);
    expect(scoringOf(competition, { formula: "static", bonuses: [] })).toEqual({
      ...competition,
      formula: "static",
      bonuses: [],
    });
  });

  test("keeps minimum and maximum in order where the Challenge sets one of them", () => {
    expect(scoringOf(competition, { maximum: 50 })).toMatchObject({ maximum: 50, minimum: 50 });
    expect(scoringOf(competition, { minimum: 600 })).toMatchObject({ maximum: 600, minimum: 600 });
  });

  test("gives the bonuses to the first solves", () => {
    expect([1, 2, 3].map((position) => bonusOf(scoring({ bonuses: [30, 10] }), position))).toEqual([30, 10, 0]);
  });
});
