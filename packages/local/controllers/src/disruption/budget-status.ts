/** What a PodDisruptionBudget says about its pods. Pure. */
import { type Condition, parseTime, type Stored } from "@berg/apimachinery";
import { isConditionTrue, type Pod, type PodDisruptionBudget, setCondition } from "@berg/kube";

export type BudgetStatus = NonNullable<PodDisruptionBudget["status"]>;

export interface Counted {
  budget: Stored<PodDisruptionBudget>;
  pods: readonly Stored<Pod>[];
  /** How many pods their controllers are to have, all together. */
  scale: number;
  /** In ms since 1970, and the same as RFC 3339. */
  now: number;
  timestamp: string;
}

/** For so long a pod whose eviction was granted is taken for as good as gone, even if nobody deletes it. */
const deletionTimeoutMs = 2 * 60_000;

export function budgetStatus({ budget, pods, scale, now, timestamp }: Counted): BudgetStatus {
  const { expectedPods, desiredHealthy } = expectations(budget, pods.length, scale);
  const disruptedPods = stillExpected(budget, pods, now);
  const currentHealthy = pods.filter(
    ({ metadata, status }) =>
      !metadata.deletionTimestamp && !(metadata.name in disruptedPods) && isConditionTrue(status?.conditions, "Ready"),
  ).length;
  // A budget without pods allows nothing: its first ones are safe before they have been counted.
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  const observedGeneration = budget.metadata.generation ?? 0;
  const isAllowed = disruptionsAllowed > 0;
  const condition = {
    type: "DisruptionAllowed",
    status: isAllowed ? "True" : "False",
    reason: isAllowed ? "SufficientPods" : "InsufficientPods",
    message: "",
    observedGeneration,
  } as const;
  const conditions = setCondition(budget.status?.conditions as Condition[] | undefined, condition, timestamp);
  return {
    conditions: conditions as NonNullable<BudgetStatus["conditions"]>,
    currentHealthy,
    desiredHealthy,
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    disruptionsAllowed,
    expectedPods,
    observedGeneration,
  };
}

/** Where nothing can be counted, nothing is allowed. */
export function failedStatus({ status }: PodDisruptionBudget, message: string, timestamp: string): BudgetStatus {
  const { observedGeneration = 0 } = status ?? {};
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "SyncFailed",
    message,
    observedGeneration,
  } as const;
  const conditions = setCondition(status?.conditions as Condition[] | undefined, condition, timestamp);
  return {
    ...(status ?? { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
    conditions: conditions as NonNullable<BudgetStatus["conditions"]>,
    disruptionsAllowed: 0,
  };
}

/** When the next pod that was granted an eviction counts again; undefined where none was. */
export function nextRecheckMs({ disruptedPods }: BudgetStatus, now: number): number | undefined {
  const times = Object.values(disruptedPods ?? {}).map((time) => parseTime(time) + deletionTimeoutMs - now);
  return times.length > 0 ? Math.max(0, Math.min(...times)) + 1 : undefined;
}

/** Whether the answer depends on how many pods their controllers are to have, and not on how many there are. */
export function dependsOnScale({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string";
}

function expectations({ spec }: PodDisruptionBudget, found: number, scale: number) {
  if (spec?.maxUnavailable !== undefined) {
    return { expectedPods: scale, desiredHealthy: Math.max(0, scale - partOf(spec.maxUnavailable, scale)) };
  }
  if (typeof spec?.minAvailable === "string")
    return { expectedPods: scale, desiredHealthy: partOf(spec.minAvailable, scale) };
  return spec?.minAvailable === undefined
    ? { expectedPods: 0, desiredHealthy: 0 }
    : { expectedPods: found, desiredHealthy: spec.minAvailable };
}

/** `3`, or `"30%"` of the whole, rounded up. */
function partOf(amount: number | string, whole: number): number {
  if (typeof amount === "number") return amount;
  return Math.ceil((Number.parseInt(amount, 10) * whole) / 100);
}

function stillExpected(
  { status }: PodDisruptionBudget,
  pods: readonly Stored<Pod>[],
  now: number,
): Record<string, string> {
  const left: Record<string, string> = {};
  for (const { metadata } of pods) {
    const time = status?.disruptedPods?.[metadata.name];
    if (time === undefined || metadata.deletionTimestamp) continue;
    if (parseTime(time) + deletionTimeoutMs >= now) left[metadata.name] = time;
  }
  return left;
}
