/** Status conditions, as every Kubernetes kind has them: at most one of each type. */
import type { Condition } from "@berg/apimachinery";

export interface WantedCondition {
  type: string;
  status: Condition["status"];
  /** One CamelCase word, from the vocabulary of whoever sets it. */
  reason: string;
  message: string;
  observedGeneration?: number | undefined;
}

/**
 * Adds the condition, or brings the one of its type up to date in its place. `lastTransitionTime` moves only with the
 * status. The array itself is returned where nothing changes, so that `===` tells whether there is something to write.
 *
 *     const conditions = setCondition(old, { type: "Ready", status: "True", reason: "Running", message: "" }, timestamp(clock));
 */
export function setCondition(conditions: Condition[] | undefined, wanted: WantedCondition, now: string): Condition[] {
  const existing = findCondition(conditions, wanted.type);
  if (!conditions || !existing) return [...(conditions ?? []), withTime(wanted, now)];

  const sameStatus = existing.status === wanted.status;
  const next = withTime(wanted, (sameStatus && existing.lastTransitionTime) || now);
  const rest = conditions.filter((condition) => condition === existing || condition.type !== wanted.type);
  if (rest.length === conditions.length && isSame(existing, next)) return conditions;
  return rest.map((condition) => (condition === existing ? next : condition));
}

/** The same array where there is no such condition. */
export function removeCondition(conditions: Condition[] | undefined, type: string): Condition[] {
  if (!conditions) return [];
  return findCondition(conditions, type) ? conditions.filter((condition) => condition.type !== type) : conditions;
}

/** Also for the conditions of pods, nodes and deployments. */
export function findCondition<C extends { type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(
  conditions: readonly { type: string; status: string }[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === "True";
}

function withTime(wanted: WantedCondition, lastTransitionTime: string): Condition {
  const { type, status, reason, message, observedGeneration } = wanted;
  const condition: Condition = { type, status, reason, message, lastTransitionTime };
  if (observedGeneration !== undefined) condition.observedGeneration = observedGeneration;
  return condition;
}

function isSame(a: Condition, b: Condition): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration &&
    a.lastTransitionTime === b.lastTransitionTime
  );
}
