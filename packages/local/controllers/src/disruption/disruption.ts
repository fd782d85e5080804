/** Keeps the status of PodDisruptionBudgets: how many of their pods may be evicted right now. */
import {
  compileLabelSelector,
  jsonEqual,
  type KubeObject,
  keyOf,
  type LabelSelector,
  type Stored,
} from "@berg/apimachinery";
import {
  type Clock,
  Deployments,
  type Manager,
  type PodDisruptionBudget,
  PodDisruptionBudgets,
  Pods,
  ReplicaSets,
  timestamp,
  watchMapped,
  watchSelf,
} from "@berg/kube";
import type { ServedKinds } from "../served/served-kinds.ts";
import { type BudgetStatus, budgetStatus, dependsOnScale, failedStatus, nextRecheckMs } from "./budget-status.ts";
import { CannotCount, scaleOf } from "./scales.ts";

export function addDisruptionController(
  manager: Manager,
  { served, clock }: { served: ServedKinds; clock: Clock },
): void {
  const { client } = manager;
  const recorder = manager.recorderFor("controllermanager");
  const budgets = manager.informer(PodDisruptionBudgets);
  const pods = manager.informer(Pods);
  const replicaSets = manager.informer(ReplicaSets);
  const deployments = manager.informer(Deployments);
  const byNamespace = "namespace";
  for (const informer of [budgets, pods] as const) {
    informer.ensureIndex(byNamespace, ({ metadata }: KubeObject) => [metadata.namespace as string]);
  }
  const budgetsIn = ({ metadata }: KubeObject) => budgets.byIndex(byNamespace, metadata.namespace as string);

  manager.addController({
    name: "disruption",
    watches: [
      watchSelf(budgets),
      watchMapped(pods, (pod) =>
        budgetsIn(pod)
          .filter((budget) => matcherOf(budget).matches(pod.metadata.labels))
          .map(keyOf),
      ),
      watchMapped(replicaSets, (set) => budgetsIn(set).filter(dependsOnScale).map(keyOf)),
      watchMapped(deployments, (deployment) => budgetsIn(deployment).filter(dependsOnScale).map(keyOf)),
    ],
    async reconcile(key, { signal }) {
      const budget = budgets.get(key);
      if (!budget) return;
      try {
        const status = await count(budget, signal);
        await write(budget, status, signal);
        const requeueAfterMs = nextRecheckMs(status, clock.now());
        return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
      } catch (error) {
        if (!(error instanceof CannotCount)) throw error;
        const text = `Failed to calculate the number of expected pods: ${error.message}`;
        recorder.event(budget, "Warning", "CalculateExpectedPodCountFailed", text);
        await write(budget, failedStatus(budget, error.message, timestamp(clock)), signal);
        return;
      }
    },
  });

  async function count(budget: Stored<PodDisruptionBudget>, signal: AbortSignal): Promise<BudgetStatus> {
    const matcher = matcherOf(budget);
    const chosen = pods
      .byIndex(byNamespace, budget.metadata.namespace as string)
      .filter(({ metadata }) => matcher.matches(metadata.labels));
    if (chosen.length === 0) recorder.event(budget, "Normal", "NoPods", "No matching pods found");
    const scale = dependsOnScale(budget)
      ? await scaleOf(chosen, { client, served, replicaSets, deployments }, signal)
      : { total: 0, unmanaged: [] };
    if (scale.unmanaged.length > 0) recorder.event(budget, "Warning", "UnmanagedPods", unmanagedText(budget));
    return budgetStatus({ budget, pods: chosen, scale: scale.total, now: clock.now(), timestamp: timestamp(clock) });
  }

  async function write(budget: Stored<PodDisruptionBudget>, status: BudgetStatus, signal: AbortSignal): Promise<void> {
    if (jsonEqual(budget.status, status)) return;
    await client.update(PodDisruptionBudgets, { ...budget, status }, { subresource: "status", signal });
  }
}

function matcherOf({ spec }: PodDisruptionBudget) {
  return compileLabelSelector(spec?.selector as LabelSelector | undefined);
}

function unmanagedText({ spec }: PodDisruptionBudget): string {
  return `Pods selected by this PodDisruptionBudget (selector: ${goText(spec?.selector as LabelSelector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
}

/** As Go prints it: that is what stands in the event. */
function goText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
