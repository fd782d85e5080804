/** A cluster that somebody has brought along: it is reached from time to time, and gets its administrators. */
import type { ClusterStatus } from "@berg/resources";
import type { Draft } from "../draft.ts";
import { isAbout, type Reached, type Seen } from "../seen.ts";
import type { Decision } from "../step.ts";
import { conditionTypes, reasons, texts } from "../vocabulary.ts";
import { decideAdministrators, sayUnderWay } from "./administrators.ts";

export function decideBrought(seen: Seen, draft: Draft): Decision {
  const { cluster, facts, now, monotonic, time } = seen;
  const { reached } = facts;
  const wasReady = cluster.status?.provisioningCompletedAt !== undefined;
  if (!reached || !isAbout(reached, seen) || reached.until <= monotonic) {
    if (!cluster.status?.phase) draft.in("Pending");
    return { step: { do: "reach" }, status: draft.status };
  }
  const { status, reason, message, isFinal, until } = reached;
  draft.say(conditionTypes.reachable, { status, reason, message });
  if (status === "True") {
    if (isElsewhere(reached, cluster.status) && cluster.status?.administrators?.length) {
      // Also where nobody is to be: it may be the same cluster after all.
      sayUnderWay(draft.without("administrators"));
    }
    const { server, authorityHash } = reached;
    draft.in("Ready").set({
      ...(server !== undefined && { apiServerURL: server }),
      ...(authorityHash !== undefined && { certificateAuthorityHash: authorityHash }),
    });
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

/**
 * The Secret leads to another cluster by now, where nobody is administrator; or to one that was built anew at the same
 * address, which shows in its certificate authority. To set them once more where it is the same one after all is harmless.
 */
function isElsewhere({ server, authorityHash }: Reached, status: ClusterStatus = {}): boolean {
  return server !== status.apiServerURL || authorityHash !== status.certificateAuthorityHash;
}
