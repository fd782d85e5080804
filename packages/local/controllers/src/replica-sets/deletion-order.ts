/** Which pods a ReplicaSet that has too many deletes first: those that are missed least. */
import type { Stored } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import { isActive, isReady, readySince } from "./pods.ts";

const costAnnotation = "controller.kubernetes.io/pod-deletion-cost";

/** Below zero: the first goes earlier. Zero decides nothing, and the next rule is asked. */
type Rule = (a: Stored<Pod>, b: Stored<Pod>) => number;

/**
 * `related` are the pods of all ReplicaSets with the same owner: of two equal pods the one with more company on its
 * node goes.
 */
export function inDeletionOrder(
  pods: readonly Stored<Pod>[],
  related: readonly Stored<Pod>[],
  now: number,
): Stored<Pod>[] {
  const company = new Map<string | undefined, number>();
  for (const pod of related) {
    if (isActive(pod)) company.set(pod.spec?.nodeName, (company.get(pod.spec?.nodeName) ?? 0) + 1);
  }
  const rules: Rule[] = [
    by(({ spec }) => (spec?.nodeName ? 1 : 0)),
    by(({ status }) => ["Pending", "Unknown", "Running"].indexOf(status?.phase ?? "")),
    by((pod) => (isReady(pod) ? 1 : 0)),
    by(deletionCost),
    by(({ spec }) => -(company.get(spec?.nodeName) ?? 0)),
    byAge(readySince, now),
    by((pod) => -mostRestarts(pod)),
    byAge(({ metadata }) => Date.parse(metadata.creationTimestamp), now),
  ];
  return pods.toSorted((a, b) => {
    for (const rule of rules) {
      const order = rule(a, b);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function by(rankOf: (pod: Stored<Pod>) => number): Rule {
  return (a, b) => rankOf(a) - rankOf(b);
}

/**
 * The younger first, but ages count as equal within a power of two: then chance decides, by UID. Else the pods that a
 * rollout made last, all on the same few nodes, would always be the ones to go.
 */
function byAge(since: (pod: Stored<Pod>) => number | undefined, now: number): Rule {
  return (a, b) => {
    const [one, other] = [since(a), since(b)];
    if (one === other) return 0;
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    return ageRank(now - one) - ageRank(now - other) || (a.metadata.uid < b.metadata.uid ? -1 : 1);
  };
}

// Of nanoseconds, as Kubernetes counts.
const ageRank = (ms: number) => (ms > 0 ? Math.trunc(Math.log2(ms * 1e6)) : -1);

function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[costAnnotation];
  return text !== undefined && /^(0|[+-]?[1-9]\d*)$/.test(text) ? Number(text) : 0;
}

function mostRestarts({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount ?? 0));
}
