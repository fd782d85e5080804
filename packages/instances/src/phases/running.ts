/** The instance has been ready: from now on it belongs to the player until it ends, and its health is watched. */
import { isConditionTrue } from "@berg/kube";
import type { InstanceService } from "@berg/resources";
import { conditionTypes, reasons } from "../vocabulary.ts";
import type { StatusDraft } from "./draft.ts";
import type { PodHealth } from "./pod-health.ts";

/** `notReachable`: why players cannot reach it through the gateway, if so. */
export function running(
  draft: StatusDraft,
  { ready, reason, message }: PodHealth,
  services: InstanceService[],
  notReachable: string | undefined,
): void {
  draft.status.readyAt ??= draft.now;
  draft.status.services = services;
  if (notReachable !== undefined && isConditionTrue(draft.status.conditions, conditionTypes.routesCreated))
    draft.condition(conditionTypes.routesCreated, "True", reasons.routeNotAccepted, notReachable);
  draft.condition(conditionTypes.podsReady, ready ? "True" : "False", ready ? reasons.ready : reason, message);
  if (!ready) unhealthy(draft, reason, message);
  else if (notReachable !== undefined) unhealthy(draft, reasons.routeNotAccepted, notReachable);
  else {
    draft.condition(conditionTypes.healthy, "True", reasons.ready, "The instance is reachable.");
    draft.enter("Running");
  }
}

function unhealthy(draft: StatusDraft, reason: PodHealth["reason"], message: string): void {
  draft.condition(conditionTypes.healthy, "False", reason, message);
  draft.enterBecause("Running", reason, message);
}
