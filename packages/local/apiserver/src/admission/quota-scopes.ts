/** Which pods a ResourceQuota with scopes is about. */
import { containersOf, type Pod } from "./pods.ts";

export interface ScopedQuota {
  scopes?: string[];
  scopeSelector?: { matchExpressions?: ScopeExpression[] };
}

interface ScopeExpression {
  scopeName: string;
  operator: string;
  values?: string[];
}

/** All scopes must hold. Only pods have any. */
export function isInScope({ scopes = [], scopeSelector }: ScopedQuota, pod: Pod | undefined): boolean {
  const expressions = [
    ...scopes.map((scopeName): ScopeExpression => ({ scopeName, operator: "Exists" })),
    ...(scopeSelector?.matchExpressions ?? []),
  ];
  return expressions.every((expression) => pod !== undefined && holds(expression, pod));
}

function holds({ scopeName, operator, values = [] }: ScopeExpression, pod: Pod): boolean {
  const { spec = {} } = pod;
  switch (scopeName) {
    case "Terminating":
      return spec.activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return spec.activeDeadlineSeconds === undefined;
    case "BestEffort":
      return isBestEffort(pod);
    case "NotBestEffort":
      return !isBestEffort(pod);
    case "PriorityClass":
      return hasPriority(spec.priorityClassName ?? "", operator, values);
    default:
      return false;
  }
}

function hasPriority(name: string, operator: string, values: readonly string[]): boolean {
  if (operator === "Exists") return name !== "";
  if (operator === "DoesNotExist") return name === "";
  if (operator === "In") return name !== "" && values.includes(name);
  return operator === "NotIn" && !values.includes(name);
}

/** Asks for nothing, and so gets what is left. */
function isBestEffort(pod: Pod): boolean {
  const all = [pod.spec?.resources, ...containersOf(pod).map(({ resources }) => resources)];
  return all.every((resources) => isEmpty(resources?.requests) && isEmpty(resources?.limits));
}

function isEmpty(amounts: object | undefined): boolean {
  return Object.keys(amounts ?? {}).length === 0;
}
