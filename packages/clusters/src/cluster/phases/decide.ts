/**
 * What to do next for a Cluster, and what its status says. Pure.
 *
 *     deleting.ts      it goes, with everything that was made for it
 *     brought.ts       somebody has brought it along
 *     waiting.ts       there is no Shoot yet: what it needs, and then its creation
 *     shoot.ts         there is one: kept as the Cluster asks, and judged
 */
import { Draft } from "../draft.ts";
import type { Seen } from "../seen.ts";
import { belongingOf } from "../shoot/marks.ts";
import type { Decision } from "../step.ts";
import { conditionTypes } from "../vocabulary.ts";
import { decideBrought } from "./brought.ts";
import { decideDeleting } from "./deleting.ts";
import { lost, taken, unmarked } from "./refused.ts";
import { decideShoot } from "./shoot.ts";
import { decideWaiting } from "./waiting.ts";

export function decide(seen: Seen): Decision {
  const { cluster, isHeld, away, shoot } = seen;
  const draft = new Draft(seen);
  if (cluster.metadata.deletionTimestamp)
    return isHeld ? decideDeleting(seen, draft) : { status: cluster.status ?? {} };
  if (!isHeld) return { step: { do: "hold" }, status: draft.status };
  if (cluster.spec.byoc) return decideBrought(seen, draft);
  if (away) {
    const type = cluster.status?.shootRef ? conditionTypes.clusterHealthy : conditionTypes.shootCreated;
    if (!cluster.status?.phase) draft.in("Pending");
    return { status: draft.say(type, { status: "Unknown", reason: away.reason, message: away.message }).status };
  }
  if (!shoot) return decideWaiting(seen, draft);
  switch (belongingOf(shoot, cluster)) {
    case "ours":
      return decideShoot(seen, shoot, draft);
    case "foreign":
      return taken(seen, draft);
    case "replaced":
      return lost(seen, draft);
    case "unmarked":
      return unmarked(seen, draft);
  }
}
