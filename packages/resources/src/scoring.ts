/** How many points a solve gives: the fields that a Competition and, in their place, a Challenge can set. */
import { z } from "zod";
import { list } from "./fields.ts";
import type { Rule } from "./rules.ts";

export const scoringFormulas = ["berg", "static", "linear", "quadratic", "exponential", "gzctf"] as const;
export type ScoringFormula = (typeof scoringFormulas)[number];

export const points = (min: number) => z.int().min(min).max(1_000_000);

export const scoringFields = {
  formula: z
    .enum(scoringFormulas)
    .describe(
      "How the value of a challenge falls from maximum to minimum with its solves. static: it does not fall. linear and quadratic: as in CTFd. exponential: as in rCTF. gzctf: as in GZ::CTF.",
    ),
  maximum: points(1).describe("What a challenge without solves is worth."),
  minimum: points(0).describe("What a challenge is worth at least."),
  solvesBeforeMinimum: z
    .int()
    .min(1)
    .max(100_000)
    .describe(
      "After how many solves a challenge is worth the minimum. static and exponential do not use it; gzctf takes a tenth of it for its difficulty.",
    ),
  bonuses: list(points(0).describe("Points for one place."), 10).describe(
    "Additional points for the first solves of each challenge: the first item is for the first one.",
  ),
};

export function minimumUpToMaximum(cel: string, message: string): Rule<{ minimum?: number; maximum?: number }> {
  return {
    cel,
    message,
    field: "minimum",
    holds: ({ minimum, maximum }) => minimum === undefined || maximum === undefined || minimum <= maximum,
  };
}
