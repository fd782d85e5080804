/**
 * Live messages about the scoreboard. A solve that the public cut does not count, such as one during the freeze, is sent to
 * those who know of it anyway: the members of the scorer, and admins.
 */
import { errorText } from "@berg/kube";
import type { SolveRow } from "../board/rows.ts";
import type { ApiContext } from "../context.ts";
import { presentSolve } from "../submissions/present.ts";
import { findTeam } from "../teams/store.ts";

export function publishBoard(context: ApiContext): void {
  const { board, hub, log } = context;
  board.listen({
    onChange: () => hub.setBoard({ version: board.model.public.version, full: board.model.full.version }),
    onSolve(solve) {
      publishSolve(context, solve).catch((error) =>
        log.debug({ error: errorText(error) }, "a solve could not be sent"),
      );
    },
  });
}

async function publishSolve({ db, board, hub }: ApiContext, solve: SolveRow): Promise<void> {
  const { scorerId, playerId } = solve;
  const isPublic = board.model.public.solvesOf(scorerId).some(({ id }) => id === solve.id);
  const team = scorerId === playerId ? undefined : await findTeam(db, scorerId);
  const members = new Set(team?.players ?? [playerId]);
  hub.sendSolve({ type: "solve", message: presentSolve(solve) }, (identity) => {
    if (identity?.isAdmin || (identity && members.has(identity.playerId))) return true;
    return isPublic && hub.mayReadBoard(identity);
  });
}
