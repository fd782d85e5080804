import type { Team as WireTeam } from "../wire.ts";
import type { Team } from "./store.ts";

/** A team as everybody sees it: without the join token. */
export function presentTeam({ id, name, players, captainId, division }: Team): WireTeam {
  return { id, name, players, captainId, division };
}
