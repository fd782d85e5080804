/** What a ReplicaSet says about its pods. */
import { formatTime, jsonEqual, type Stored } from "@berg/apimachinery";
import { findCondition, type Pod, type ReplicaSet } from "@berg/kube";
import { availableInMs, isReady } from "./pods.ts";

export type ReplicaSetStatus = NonNullable<ReplicaSet["status"]> & { terminatingReplicas?: number };
type ReplicaSetCondition = NonNullable<ReplicaSetStatus["conditions"]>[number];

export interface Counted {
  /** Those that it counts as its own and that are not on their way out. */
  active: readonly Stored<Pod>[];
  terminating: readonly Stored<Pod>[];
  /** What kept it from creating or deleting pods. */
  failure: Error | undefined;
}

export function statusOf(replicaSet: Stored<ReplicaSet>, counted: Counted, now: number): ReplicaSetStatus {
  const { active, terminating } = counted;
  const { template, minReadySeconds = 0 } = replicaSet.spec ?? {};
  const labels = Object.entries(template?.metadata?.labels ?? {});
  const count = (test: (pod: Stored<Pod>) => boolean) => active.filter(test).length;
  const conditions = conditionsOf(replicaSet, counted, formatTime(now));
  return {
    replicas: active.length,
    ...positive({
      fullyLabeledReplicas: count(({ metadata }) => labels.every(([key, value]) => metadata.labels?.[key] === value)),
      readyReplicas: count(isReady),
      availableReplicas: count((pod) => availableInMs(pod, minReadySeconds, now) === 0),
      observedGeneration: replicaSet.metadata.generation ?? 0,
    }),
    terminatingReplicas: terminating.length,
    ...(conditions.length > 0 && { conditions }),
  };
}

/** Written as Kubernetes writes it: what is 0 is left out. */
export function positive<T extends Record<string, number>>(counts: T): Partial<T> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Partial<T>;
}

/** Whether both say the same; a count that is left out is 0. */
export function isSameStatus(a: object | undefined, b: object): boolean {
  const [one, other] = [a ?? {}, b] as Record<string, unknown>[];
  const fields = new Set([...Object.keys(one as object), ...Object.keys(other as object)]);
  return [...fields].every((field) => {
    const [left, right] = [one?.[field], other?.[field]];
    if (field === "terminatingReplicas") return left === right;
    return field === "conditions" ? jsonEqual(left ?? [], right ?? []) : (left ?? 0) === (right ?? 0);
  });
}

function conditionsOf({ spec, status }: Stored<ReplicaSet>, counted: Counted, now: string): ReplicaSetCondition[] {
  const { active, failure } = counted;
  const old = status?.conditions ?? [];
  const type = "ReplicaFailure";
  if (!failure) return old.filter((condition) => condition.type !== type);
  // The first failure stays until it is over, as in Kubernetes: the message would else change with each try.
  if (findCondition(old, type)) return old;
  const reason = active.length < (spec?.replicas ?? 1) ? "FailedCreate" : "FailedDelete";
  return [...old, { type, status: "True", reason, message: failure.message, lastTransitionTime: now }];
}
