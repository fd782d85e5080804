/** All containers have been ready: from now on the instance is the player's until it ends, and its health is watched. */
import type { InstanceService } from "@berg/resources";
import { conditionTypes, reasons } from "../vocabulary.ts";
import type { StatusDraft } from "./draft.ts";
import type { PodHealth } from "./pod-health.ts";

export function running(draft: StatusDraft, health: PodHealth, services: InstanceService[]): void {
  draft.status.readyAt ??= draft.now;
  draft.status.services = services;
  const { ready, reason, message } = health;
  if (ready) {
    draft.condition(conditionTypes.podsReady, "True", reasons.ready, message);
    draft.condition(conditionTypes.healthy, "True", reasons.ready, "The instance is reachable.");
    draft.enter("Running");
  } else {
    draft.condition(conditionTypes.podsReady, "False", reason, message);
    draft.condition(conditionTypes.healthy, "False", reason, message);
    draft.enterBecause("Running", reason, message);
  }
}
