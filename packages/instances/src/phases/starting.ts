/** Everything is created; the instance has not been ready for players yet. */
import { conditionTypes, reasons } from "../vocabulary.ts";
import type { StatusDraft } from "./draft.ts";
import type { PodHealth } from "./pod-health.ts";

export function starting(draft: StatusDraft, { reason, message }: PodHealth): void {
  const isTrouble = reason !== reasons.waitingForPods;
  draft.condition(conditionTypes.podsReady, isTrouble ? "False" : "Unknown", reason, message);
  if (isTrouble) draft.enterBecause("Starting", reason, message);
  else draft.enter("Starting");
}

/** All containers are ready; the gateway has not accepted all routes. When the wait began is the time of `PodsReady`. */
export function waitingForRoutes(draft: StatusDraft, { message }: PodHealth): void {
  draft.condition(conditionTypes.podsReady, "True", reasons.ready, message);
  draft.enter("Starting", `${message} Waiting for the gateway to accept the routes.`);
}
