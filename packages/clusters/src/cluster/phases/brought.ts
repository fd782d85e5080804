/** A cluster that somebody has brought along: it is reached from time to time, and gets its administrators. */
import type { Draft } from "../draft.ts";
import type { Seen } from "../seen.ts";
import type { Decision } from "../step.ts";
import { conditionTypes, reasons, texts } from "../vocabulary.ts";
import { decideAdministrators } from "./administrators.ts";

export function decideBrought(seen: Seen, draft: Draft): Decision {
  const { cluster, facts, now, monotonic, time } = seen;
  const { reached } = facts;
  const wasReady = cluster.status?.provisioningCompletedAt !== undefined;
  const isOld = reached?.generation !== cluster.metadata.generation || reached?.secret !== seen.secret;
  if (!reached || isOld || reached.until <= monotonic) {
    if (!cluster.status?.phase) draft.in("Pending");
    return { step: { do: "reach" }, status: draft.status };
  }
  const { status, reason, message, isFinal, server, until } = reached;
  draft.say(conditionTypes.reachable, { status, reason, message });
  if (status === "True") {
    // Its Secret leads elsewhere by now, and nobody is administrator there.
    if (server !== cluster.status?.apiServerURL) draft.without("administrators");
    draft.in("Ready").set({ ...(server !== undefined && { apiServerURL: server }) });
    if (!wasReady) draft.set({ provisioningCompletedAt: time });
  } else {
    draft.in(isFinal ? "Failed" : wasReady ? "Degraded" : "Pending");
  }
  draft.say(
    conditionTypes.clusterProvisioned,
    draft.status.provisioningCompletedAt === undefined
      ? { status: "False", reason, message }
      : { status: "True", reason: reasons.externallyProvided, message: texts.externallyProvided },
  );
  const waits = status === "True" ? undefined : { reason, message };
  return decideAdministrators(seen, draft, waits) ?? { status: draft.status, lookAt: now + until - monotonic };
}
