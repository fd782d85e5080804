/** What this replica does about the changes of all of them. */
import { errorText } from "@berg/kube";
import { findAnnouncement, presentAnnouncement } from "../announcements/store.ts";
import type { ApiContext } from "../context.ts";
import { publishInstance, publishInstancesAgain } from "../events/publish.ts";
import { presentPlayer } from "../players/present.ts";
import { findPlayer } from "../players/store.ts";
import { presentTeam } from "../teams/present.ts";
import { findTeam } from "../teams/store.ts";
import { isRevoked, type ReplicaEvent, type ReplicaListener } from "./replicas.ts";

export function listenerOf(context: ApiContext, reconcileOwner: (ownerId: string) => void): ReplicaListener {
  return {
    onEvent: (event) => applyEvent(context, event),
    onHint(hint) {
      if (hint.kind === "ledger") return context.board.follow();
      if (hint.kind === "owner") reconcileOwner(hint.ownerId);
      void publishInstance(context, hint.ownerId);
    },
    onReconnect: () => void publishInstancesAgain(context),
  };
}

function applyEvent(context: ApiContext, event: ReplicaEvent): void {
  switch (event.kind) {
    case "revoked":
      // Also empties the cache of sessions.
      context.hub.disconnect(event.playerId, (identity) => isRevoked(event.what, identity));
      return;
    case "player":
      context.sessions.invalidate(event.playerId);
      context.playerList.invalidate();
      context.board.follow();
      publish(context, () => publishPlayer(context, event.playerId));
      return;
    case "team":
      context.board.follow();
      publish(context, () => publishTeam(context, event.teamId));
      return;
    case "announcement":
      publish(context, () => publishAnnouncement(context, event.id));
      return;
    case "ledger":
      context.board.follow();
  }
}

/** Pages read it again when the database is back. */
function publish({ log }: ApiContext, run: () => Promise<void>): void {
  run().catch((error) => log.debug({ error: errorText(error) }, "a change could not be sent"));
}

async function publishPlayer(context: ApiContext, id: string): Promise<void> {
  const { db, hub } = context;
  const player = await findPlayer(db, id);
  if (player) hub.broadcast({ type: "player", message: presentPlayer(player, context.competition().playerAttributes) });
  else hub.broadcast({ type: "player-delete", message: id });
}

async function publishTeam({ db, hub }: ApiContext, id: string): Promise<void> {
  const team = await findTeam(db, id);
  if (team) hub.broadcast({ type: "team", message: presentTeam(team) });
  else hub.broadcast({ type: "team-delete", message: id });
}

async function publishAnnouncement({ db, hub }: ApiContext, id: string): Promise<void> {
  const found = await findAnnouncement(db, id);
  if (found) hub.broadcast({ type: "announcement", message: presentAnnouncement(found) });
  else hub.broadcast({ type: "announcement-delete", message: id });
}
