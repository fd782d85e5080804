/** Whether a pod may run on a node, and where it fits best. Reasons are in the words of kube-scheduler. */
import { compileNodeExpressions, type LabelExpression, ParseError } from "@berg/apimachinery";
import { isConditionTrue, type Node, type Pod } from "@berg/kube";
import { type Amounts, allocatableOf, requestsOf } from "./requests.ts";
import { hostPortsOf, isPortTaken, type Taken } from "./rooms.ts";

export interface Misfit {
  reasons: string[];
  /** Whether the end of other pods could help. */
  isForNow: boolean;
}

interface Taint {
  key: string;
  value?: string;
  effect: string;
}

const never = (...reasons: string[]): Misfit => ({ reasons, isForNow: false });
const notReady = "node.kubernetes.io/not-ready";
const readiness = new Set([notReady, "node.kubernetes.io/unreachable"]);
const untolerated = "node(s) had untolerated taint(s)";

/** The first thing that speaks against it, as kube-scheduler asks. */
export function misfitOf(pod: Pod, node: Node, taken: Taken): Misfit | undefined {
  const cordoned = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  if (node.spec?.unschedulable && !isTolerated(pod, cordoned)) return never("node(s) were unschedulable");
  if (!canBeHere(pod, node)) return never(untolerated);
  const full = { key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" };
  if (isConditionTrue(node.status?.conditions, "DiskPressure") && !isTolerated(pod, full))
    return never("node(s) had disk pressure");
  if (!isWanted(pod, node)) return never("node(s) didn't match Pod's node affinity/selector");
  if (hostPortsOf(pod).some((port) => isPortTaken(taken, port)))
    return { reasons: ["node(s) didn't have free ports for the requested pod ports"], isForNow: true };
  return shortage(requestsOf(pod), allocatableOf(node), taken);
}

/**
 * Whether a node is ready, its condition says. The API server taints each new node as not ready, and where no node
 * controller runs nobody ever takes that back: so the taints that repeat the condition do not count.
 */
function canBeHere(pod: Pod, node: Node): boolean {
  const taints = ((node.spec?.taints ?? []) as Taint[]).filter(
    ({ key, effect }) => effect !== "PreferNoSchedule" && !(effect === "NoSchedule" && readiness.has(key)),
  );
  if (!isConditionTrue(node.status?.conditions, "Ready")) taints.push({ key: notReady, effect: "NoSchedule" });
  return taints.every((taint) => isTolerated(pod, taint));
}

function isTolerated({ spec }: Pod, { key, value = "", effect }: Taint): boolean {
  return (spec?.tolerations ?? []).some((toleration) => {
    if (toleration.effect && toleration.effect !== effect) return false;
    if (toleration.key && toleration.key !== key) return false;
    if (toleration.operator === "Exists") return true;
    return Boolean(toleration.key) && (toleration.value ?? "") === value;
  });
}

interface Term {
  matchExpressions?: LabelExpression[];
  matchFields?: LabelExpression[];
}

function isWanted({ spec }: Pod, { metadata }: Node): boolean {
  const labels = metadata.labels ?? {};
  if (!Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return true;
  return (required.nodeSelectorTerms as Term[]).some((term) => isMet(term, labels, metadata.name));
}

/** A term that says nothing is met by no node. */
function isMet(
  { matchExpressions = [], matchFields = [] }: Term,
  labels: Record<string, string>,
  name: string,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  // The name is the only field there is.
  const fieldsMet = matchFields.every(({ key, operator, values = [] }) => {
    return key === "metadata.name" && values.includes(name) === (operator === "In");
  });
  try {
    return fieldsMet && (matchExpressions.length === 0 || compileNodeExpressions(matchExpressions).matches(labels));
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
}

function shortage(requests: Amounts, allocatable: Amounts, taken: Taken): Misfit | undefined {
  const lacking = Object.entries(requests).filter(
    ([name, amount]) => amount > 0 && amount > (allocatable[name] ?? 0) - (taken.amounts[name] ?? 0),
  );
  const reasons = lacking.map(([name]) => `Insufficient ${name}`);
  if (taken.pods + 1 > (allocatable.pods ?? 0)) reasons.unshift("Too many pods");
  if (reasons.length === 0) return undefined;
  return { reasons, isForNow: lacking.every(([name, amount]) => amount <= (allocatable[name] ?? 0)) };
}

// A pod that asks for nothing still takes something, or a thousand of them would all go to one node.
const assumed: Amounts = { cpu: 100, memory: 200 * 2 ** 20 };

/** The more of the node is left after it, the higher: from 0 to 1. */
export function freeShare(pod: Pod, node: Node, taken: Taken): number {
  const allocatable = allocatableOf(node);
  const requests = requestsOf(pod);
  const shares = Object.entries(assumed).map(([name, least]) => {
    const all = allocatable[name] ?? 0;
    const used = Math.max(taken.amounts[name] ?? 0, taken.pods * least) + (requests[name] || least);
    return all === 0 ? 0 : Math.max(0, all - used) / all;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** Why no node will do, in one line. */
export function refusal(misfits: readonly Misfit[]): string {
  if (misfits.length === 0) return "no nodes available to schedule pods";
  const none = `0/${misfits.length} nodes are available`;
  const hopes = misfits.map(({ isForNow }) =>
    isForNow ? "No preemption victims found for incoming pod" : "Preemption is not helpful for scheduling",
  );
  const why = counted(misfits.flatMap(({ reasons }) => reasons));
  return `${none}: ${why}. no new claims to deallocate, preemption: ${none}: ${counted(hopes)}.`;
}

function counted(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const texts = [...counts].map(([reason, count]) => `${count} ${reason}`);
  return texts.sort((a, b) => (a < b ? -1 : 1)).join(", ");
}
