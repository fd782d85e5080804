import type { SolveRow } from "../board/rows.ts";
import type { Solve } from "../wire.ts";

/** Where teams score, the scorer is not the player. */
export function presentSolve({ playerId, scorerId, challenge, at }: Omit<SolveRow, "id">): Solve {
  return {
    playerId,
    challengeName: challenge,
    solvedAt: new Date(at).toISOString(),
    teamId: scorerId === playerId ? null : scorerId,
    isPractice: false,
  };
}
