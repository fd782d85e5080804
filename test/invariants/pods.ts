/** I6: no pod without its network policy. I10: no pod that could leave its box, whatever the Challenge says. */
import type { KubeObject } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import { type Invariant, isMarked, nameOf, type Observed, replay, revisionOf, type Violation } from "./record.ts";

const policies = new Set(["networkpolicies", "ciliumnetworkpolicies"]);

export const policyBeforePods: Invariant = ({ changes, hasPolicies }) => {
  if (!hasPolicies) return [];
  const violations: Violation[] = [];
  // They may have gone long before anybody noticed.
  const wentUnseen = new Set(changes.flatMap(({ isMissed, object }) => (isMissed ? object.metadata.uid : [])));
  for (const [change, alive] of replay(changes)) {
    const { namespace } = change.object.metadata;
    const isPod = change.resource === "pods" && change.type === "added";
    const isLoss = policies.has(change.resource) && change.type === "deleted" && !change.isMissed;
    if (!isPod && !isLoss) continue;
    const there = [...alive.values()].filter(({ object }) => object.metadata.namespace === namespace);
    if (!isOurNamespace(alive, namespace)) continue;
    if (there.some(({ resource, object }) => policies.has(resource) && isMarked(object))) continue;
    const pods = there.filter(({ resource, object }) => resource === "pods" && !hasEnded(object));
    for (const pod of pods.filter(({ object }) => !wentUnseen.has(object.metadata.uid))) {
      const text = `at revision ${revisionOf(change)} ${nameOf(pod)} is there and its network policy is not`;
      violations.push({ invariant: "I6 policy before pods", text });
    }
  }
  return violations;
};

export const noEscalation: Invariant = ({ changes }) => {
  const violations: Violation[] = [];
  for (const [change, alive] of replay(changes)) {
    if (change.resource !== "pods" || change.type !== "added") continue;
    if (!isOurNamespace(alive, change.object.metadata.namespace)) continue;
    for (const way of waysOut(change.object as Pod)) {
      const text = `at revision ${revisionOf(change)} ${nameOf(change)} has ${way}`;
      violations.push({ invariant: "I10 no escalation", text });
    }
  }
  return violations;
};

function waysOut({ spec }: Pod): string[] {
  const ways: string[] = [];
  for (const field of ["hostNetwork", "hostPID", "hostIPC"] as const) if (spec?.[field]) ways.push(field);
  if (spec?.automountServiceAccountToken !== false) ways.push("the token of a service account");
  for (const { name, hostPath } of spec?.volumes ?? []) if (hostPath) ways.push(`a hostPath volume, ${name}`);
  for (const { name, securityContext, ports } of [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]) {
    if (securityContext?.privileged) ways.push(`a privileged container, ${name}`);
    if (ports?.some(({ hostPort }) => hostPort)) ways.push(`a port of the node, in ${name}`);
  }
  return ways;
}

function isOurNamespace(alive: ReadonlyMap<string, Observed>, namespace: string | undefined): boolean {
  return [...alive.values()].some(
    ({ resource, object }) => resource === "namespaces" && object.metadata.name === namespace && isMarked(object),
  );
}

function hasEnded(pod: KubeObject): boolean {
  return ["Succeeded", "Failed"].includes((pod as Pod).status?.phase ?? "");
}
