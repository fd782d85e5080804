/** Everything is made; the containers are not all ready yet, for the first time. */

import { conditionTypes, reasons } from "../vocabulary.ts";
import type { StatusDraft } from "./draft.ts";
import type { PodHealth } from "./pod-health.ts";

export function starting(draft: StatusDraft, { reason, message }: PodHealth): void {
  const isTrouble = reason !== reasons.waitingForPods;
  draft.condition(conditionTypes.podsReady, isTrouble ? "False" : "Unknown", reason, message);
  if (isTrouble) draft.enterBecause("Starting", reason, message);
  else draft.enter("Starting");
}
