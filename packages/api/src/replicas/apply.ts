/** What this replica does about the changes of all of them. */
import { errorText } from "@berg/kube";
import type { ApiContext } from "../context.ts";
import { publishInstance, publishInstancesAgain } from "../events/publish.ts";
import { presentPlayer } from "../players/present.ts";
import { findPlayer } from "../players/store.ts";
import { isRevoked, type ReplicaEvent, type ReplicaListener } from "./replicas.ts";

export function listenerOf(context: ApiContext, reconcileOwner: (ownerId: string) => void): ReplicaListener {
  return {
    onEvent: (event) => applyEvent(context, event),
    onHint({ kind, ownerId }) {
      if (kind === "owner") reconcileOwner(ownerId);
      void publishInstance(context, ownerId);
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
      void publishPlayer(context, event.playerId);
  }
}

async function publishPlayer(context: ApiContext, id: string): Promise<void> {
  const { db, hub, log } = context;
  try {
    const player = await findPlayer(db, id);
    if (player)
      hub.broadcast({ type: "player", message: presentPlayer(player, context.competition().playerAttributes) });
    else hub.broadcast({ type: "player-delete", message: id });
  } catch (error) {
    log.debug({ error: errorText(error) }, "a player could not be sent");
  }
}
