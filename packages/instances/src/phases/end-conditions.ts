/**
 * What the status of an instance that ends says about its parts, so that no condition contradicts NamespaceDeleted: from
 * the beginning of its termination nothing is ready, healthy or reachable, and at its completion nothing exists.
 */
import { findCondition } from "@berg/kube";
import { conditionTypes, reasons } from "../vocabulary.ts";
import type { StatusDraft } from "./draft.ts";

export function setTerminatingConditions(draft: StatusDraft): void {
  delete draft.status.services;
  draft.condition(conditionTypes.podsReady, "False", reasons.terminating, "The containers are being stopped.");
  draft.condition(conditionTypes.healthy, "False", reasons.terminating, "The instance is ending.");
}

/** Also sets the conditions above: an instance that has nothing to remove completes its termination at once. */
export function setTerminatedConditions(draft: StatusDraft): void {
  setTerminatingConditions(draft);
  for (const type of createdTypes) {
    const { status } = findCondition(draft.status.conditions, type) ?? {};
    // One that is False says why that part was never created.
    if (status === "True" || status === "Unknown")
      draft.condition(type, "False", reasons.gone, "It was removed with the instance.");
  }
  draft.condition(conditionTypes.namespaceDeleted, "True", reasons.gone, "Nothing of this instance is left.");
}

const createdTypes = [
  conditionTypes.namespaceCreated,
  conditionTypes.networkPolicyCreated,
  conditionTypes.servicesCreated,
  conditionTypes.routesCreated,
  conditionTypes.deploymentsCreated,
];
