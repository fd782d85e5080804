/** Where nothing can be done until somebody changes something. */

import { annotations } from "../../vocabulary.ts";
import type { Draft } from "../draft.ts";
import type { Seen } from "../seen.ts";
import type { Problem } from "../shoot/problem.ts";
import type { Decision } from "../step.ts";
import { conditionTypes, reasons, texts } from "../vocabulary.ts";

export function refused(draft: Draft, { reason, message }: Problem): Decision {
  const finding = { status: "False", reason, message } as const;
  draft.in("Failed").say(conditionTypes.shootCreated, finding).say(conditionTypes.clusterProvisioned, finding);
  return { status: draft.status };
}

/** Somebody else's Shoot has the name. It may have been ours once, and have been given away. */
export function taken({ shootName }: Seen, draft: Draft): Decision {
  return refused(draft, { reason: reasons.nameConflict, message: texts.nameConflict(shootName) });
}

/** It is ours by its UID alone, which is not enough to write to it: he who took our marks off may have had a reason. */
export function unmarked({ cluster, shootName }: Seen, draft: Draft): Decision {
  const mark = `${annotations.clusterUid}=${cluster.metadata.uid}`;
  return refused(draft, { reason: reasons.shootUnmarked, message: texts.shootUnmarked(shootName, mark) });
}

/** The Shoot that was made for it is gone. */
export function lost({ cluster, shootName, shoot }: Seen, draft: Draft): Decision {
  const text = shoot ? texts.shootReplaced : texts.shootMissing;
  const message = text(shootName, cluster.status?.shootRef?.uid ?? "", annotations.recreateShoot);
  draft.without("progress", "apiServerURL").say(conditionTypes.clusterHealthy, {
    status: "False",
    reason: reasons.shootMissing,
    message,
  });
  return refused(draft, { reason: reasons.shootMissing, message });
}
