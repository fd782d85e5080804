/** Sends live messages when the objects or rows behind them change. */
import { isVisible, present } from "../challenges/routes.ts";
import type { ApiContext, Caches } from "../context.ts";
import { currentInstance } from "../instances/commands.ts";

/** To the owner, if one of the owner's pages is open. */
export async function publishInstance(context: ApiContext, ownerId: string): Promise<void> {
  const { hub, log } = context;
  if (!hub.isConnected(ownerId)) return;
  try {
    hub.sendInstance(ownerId, { type: "instance", message: await currentInstance(context, ownerId) });
  } catch (error) {
    // The page reads it again when the connection or the database is back.
    log.debug({ error: error instanceof Error ? error.name : "unknown" }, "an instance could not be sent");
  }
}

/** Returns its undo. */
export function publishChanges(context: ApiContext, caches: Caches): () => void {
  const { hub, clock } = context;
  const undo = [
    caches.instances.onChange(({ object }) => {
      void publishInstance(context, object.spec.ownerId);
    }),
    caches.challenges.onChange((change) => {
      const { type, object } = change;
      const now = clock.now();
      if (type !== "deleted" && isVisible(object, now)) {
        hub.broadcast({ type: "challenge", message: present(object) });
        return;
      }
      // The name of one that players could not see yet is not told.
      const before = type === "updated" ? change.old : type === "deleted" ? object : undefined;
      if (before && isVisible(before, now)) hub.broadcast({ type: "challenge-delete", message: object.metadata.name });
    }),
  ];
  return () => {
    for (const one of undo) one();
  };
}
