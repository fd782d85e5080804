/** Challenges that can be played once others are solved. */
import type { Stored } from "@berg/apimachinery";
import type { Challenge } from "@berg/resources";
import { isAdmin } from "../competition/rules.ts";
import type { ApiContext } from "../context.ts";
import type { Player } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import { hasSolved } from "../submissions/store.ts";
import { teamOfPlayer } from "../teams/store.ts";

/** Throws a problem where the scorer of the player has not solved them all. Admins may play everything. */
export async function requirePrerequisites(
  { db, competition }: ApiContext,
  { metadata, spec }: Stored<Challenge>,
  player: Player,
): Promise<void> {
  const prerequisites = spec.prerequisites ?? [];
  if (prerequisites.length === 0 || isAdmin(player)) return;
  const scorerId = competition().teams.enabled ? (await teamOfPlayer(db, player.id))?.id : player.id;
  for (const name of prerequisites) {
    if (scorerId !== undefined && (await hasSolved(db, scorerId, name))) continue;
    throw new ProblemError("challenge_locked", `Solve "${name}" before "${metadata.name}".`, { field: "challenge" });
  }
}
