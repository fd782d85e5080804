/** Which pods a quota is for. A quota with scopes is for no other kind. Pure. */
import type { Pod, ResourceQuota } from "@berg/kube";
import { podTotals } from "./pod-usage.ts";

interface Requirement {
  scopeName: string;
  operator: string;
  values?: readonly string[];
}

export function scopesOf({ spec }: ResourceQuota): Requirement[] {
  const plain = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" }));
  return [...plain, ...((spec?.scopeSelector?.matchExpressions ?? []) as Requirement[])];
}

export function isInScopes(pod: Pod, scopes: readonly Requirement[]): boolean {
  return scopes.every((scope) => isInScope(pod, scope));
}

function isInScope(pod: Pod, { scopeName, operator, values = [] }: Requirement): boolean {
  switch (scopeName) {
    case "Terminating":
      return pod.spec?.activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return pod.spec?.activeDeadlineSeconds === undefined;
    case "BestEffort":
      return isBestEffort(pod);
    case "NotBestEffort":
      return !isBestEffort(pod);
    case "PriorityClass":
      return isPriority(pod.spec?.priorityClassName || undefined, operator, values);
    case "CrossNamespacePodAffinity":
      return looksAbroad(pod);
    default:
      return false;
  }
}

function isPriority(name: string | undefined, operator: string, values: readonly string[]): boolean {
  if (operator === "Exists") return name !== undefined;
  if (operator === "DoesNotExist") return name === undefined;
  const isNamed = name !== undefined && values.includes(name);
  return operator === "In" ? isNamed : !isNamed;
}

function isBestEffort(pod: Pod): boolean {
  if (pod.status?.qosClass) return pod.status.qosClass === "BestEffort";
  const counts = [...podTotals(pod, "requests"), ...podTotals(pod, "limits")];
  return !counts.some(([name, amount]) => ["cpu", "memory"].includes(name) && amount.nanos > 0n);
}

function looksAbroad({ spec }: Pod): boolean {
  const sides = [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity];
  const terms = sides.flatMap((side) => [
    ...(side?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(side?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(({ namespaces, namespaceSelector }) => (namespaces?.length ?? 0) > 0 || namespaceSelector);
}
