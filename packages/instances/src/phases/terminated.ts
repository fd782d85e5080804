/** Nothing is left of the instance. Its last status is written before our finalizer goes, so that it can be read. */
import { isConditionTrue } from "@berg/kube";
import { type ChallengeInstance, finalizers } from "@berg/resources";
import type { Snapshot } from "../observe/snapshot.ts";
import { conditionTypes, endings } from "../vocabulary.ts";
import type { Decision, Effect } from "./decision.ts";
import { StatusDraft } from "./draft.ts";
import { setTerminatedConditions } from "./end-conditions.ts";
import type { Ending } from "./ending.ts";

export function terminated(seen: Snapshot, ending: Ending): Decision {
  const draft = new StatusDraft(seen);
  const { metadata } = seen.instance;
  if (
    draft.status.phase !== "Terminated" ||
    !isConditionTrue(draft.status.conditions, conditionTypes.namespaceDeleted)
  ) {
    draft.enter("Terminated", ending.message ?? `This instance ended because ${endings[ending.reason].because}.`);
    draft.status.terminationReason = ending.reason;
    draft.status.terminatedAt = draft.now;
    delete draft.status.expiresSoon;
    setTerminatedConditions(draft);
    return { effects: [], status: draft.status, statusFirst: true };
  }
  if (!metadata.deletionTimestamp)
    return { effects: [{ do: "deleteInstance" }], status: draft.status, statusFirst: false };
  const effects: Effect[] = isHeld(seen.instance) ? [{ do: "removeFinalizer" }] : [];
  return { effects, status: draft.status, statusFirst: false };
}

/** By our finalizer. */
export function isHeld({ metadata }: ChallengeInstance): boolean {
  return metadata.finalizers?.includes(finalizers.controller) ?? false;
}
