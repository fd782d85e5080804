/** What the conditions say once everything is made. */
import type { Child } from "../builders/blueprint.ts";
import { type ConditionType, conditionTypes, reasons } from "../vocabulary.ts";
import type { StatusDraft } from "./draft.ts";

/** Which condition speaks for which kind; everything else is said with the Deployments. */
export function conditionOf(kind: string): ConditionType {
  return conditionByKind[kind] ?? conditionTypes.deploymentsCreated;
}

const conditionByKind: Record<string, ConditionType> = {
  Namespace: conditionTypes.namespaceCreated,
  NetworkPolicy: conditionTypes.networkPolicyCreated,
  CiliumNetworkPolicy: conditionTypes.networkPolicyCreated,
  Service: conditionTypes.servicesCreated,
  HTTPRoute: conditionTypes.routesCreated,
  TLSRoute: conditionTypes.routesCreated,
};

/** That everything is there, but for what `unmade` conditions speak for: those say why themselves. */
export function sayCreated(draft: StatusDraft, children: Child[], unmade: ReadonlySet<ConditionType>): void {
  for (const { type, created, notNeeded } of createdTexts) {
    // Were it True for a moment, the time of its last change would be another one at every look.
    if (unmade.has(type)) continue;
    const isUsed = children.some((child) => conditionOf(child.type.kind) === type);
    if (isUsed) draft.condition(type, "True", reasons.created, created);
    else draft.condition(type, "True", reasons.notNeeded, notNeeded);
  }
}

const createdTexts: { type: ConditionType; created: string; notNeeded: string }[] = [
  { type: conditionTypes.namespaceCreated, created: "The namespace is there.", notNeeded: "" },
  {
    type: conditionTypes.networkPolicyCreated,
    created: "The network policy is there.",
    notNeeded: "The organiser has turned network policies off (NETWORK_POLICY=none).",
  },
  {
    type: conditionTypes.servicesCreated,
    created: "All Services are there.",
    notNeeded: "No container has a port, so no Service is needed.",
  },
  {
    type: conditionTypes.routesCreated,
    created: "All routes are there.",
    notNeeded: "No port asks for a route.",
  },
  { type: conditionTypes.deploymentsCreated, created: "All Deployments are there.", notNeeded: "" },
];
