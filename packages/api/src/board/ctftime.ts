/** The standings as CTFtime polls them. */
import type { Cut } from "./cut.ts";

export interface CtftimeFeed {
  standings: { pos: number; team: string; score: number }[];
}

/** Scorers with points only; with a division, those of it, with positions of their own. */
export function ctftimeFeed({ ranking }: Cut, division?: string): CtftimeFeed {
  const scoring = ranking.filter(
    ({ score, scorer }) => score > 0 && (division === undefined || scorer.division === division),
  );
  return { standings: scoring.map(({ scorer, score }, index) => ({ pos: index + 1, team: scorer.name, score })) };
}
