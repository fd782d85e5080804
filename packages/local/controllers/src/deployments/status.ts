/** What a Deployment says about itself, in the words that `kubectl rollout status` and people know. */
import type { Stored } from "@berg/apimachinery";
import { type Deployment, findCondition, type ReplicaSet } from "@berg/kube";
import { positive, type ReplicaSetStatus } from "../replica-sets/status.ts";
import { type Limits, limitsOf } from "./limits.ts";
import { sizeOf, sum } from "./sizes.ts";

export type DeploymentStatus = NonNullable<Deployment["status"]> & { terminatingReplicas?: number };
export type DeploymentCondition = NonNullable<DeploymentStatus["conditions"]>[number];

export interface Moment {
  /** RFC 3339. */
  now: string;
  nowMs: number;
}

const neverSeconds = 2 ** 31 - 1;

/** Undefined where nobody asked for one. */
export function deadlineOf({ spec }: Deployment): number | undefined {
  const seconds = spec?.progressDeadlineSeconds;
  return seconds === neverSeconds ? undefined : seconds;
}

/** Replaces the one of its type, which keeps its times where status and reason stay. The latest change stands last. */
export function withCondition(
  conditions: readonly DeploymentCondition[] | undefined,
  wanted: Pick<DeploymentCondition, "type" | "status" | "reason" | "message">,
  now: string,
): DeploymentCondition[] {
  const old = findCondition(conditions, wanted.type);
  if (old?.status === wanted.status && old?.reason === wanted.reason) return [...(conditions ?? [])];
  const lastTransitionTime = old?.status === wanted.status ? (old.lastTransitionTime ?? now) : now;
  return [...without(conditions, wanted.type), { ...wanted, lastUpdateTime: now, lastTransitionTime }];
}

function without(conditions: readonly DeploymentCondition[] | undefined, type: string): DeploymentCondition[] {
  return conditions?.filter((condition) => condition.type !== type) ?? [];
}

/** Counts and availability; whether it gets on is left as it is. */
export function countedStatus(
  deployment: Stored<Deployment>,
  current: Stored<ReplicaSet> | undefined,
  old: readonly Stored<ReplicaSet>[],
  { now }: Moment,
): DeploymentStatus {
  const all = current ? [...old, current] : old;
  const total = (countOf: (status: ReplicaSetStatus) => number | undefined) =>
    sum(all.map(({ status }) => (status ? (countOf(status) ?? 0) : 0)));
  const available = total(({ availableReplicas }) => availableReplicas);
  const terminating = terminatingReplicas(all);
  const { collisionCount, conditions } = deployment.status ?? {};
  return {
    ...positive({
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: total(({ replicas }) => replicas),
      updatedReplicas: current?.status?.replicas ?? 0,
      readyReplicas: total(({ readyReplicas }) => readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, sum(all.map(sizeOf)) - available),
    }),
    ...(terminating !== undefined && { terminatingReplicas: terminating }),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: withCondition(conditions, availability(available, limitsOf(deployment)), now),
  };
}

function availability(available: number, { replicas, maxUnavailable }: Limits) {
  const type = "Available";
  return available >= replicas - maxUnavailable
    ? {
        type,
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      }
    : {
        type,
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      };
}

/** Unknown where one of them does not say; one that nobody has looked at yet has none. */
function terminatingReplicas(all: readonly ReplicaSet[]): number | undefined {
  const seen = all.map(({ status }) => (status ?? {}) as Partial<ReplicaSetStatus>);
  const said = seen.filter((status) => status.observedGeneration || status.terminatingReplicas !== undefined);
  const counts = said.map((status) => status.terminatingReplicas);
  return counts.includes(undefined) ? undefined : sum(counts as number[]);
}

/** All that a rollout wants is there, and nothing else. */
export function isComplete({ spec, metadata }: Deployment, status: DeploymentStatus | undefined): boolean {
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status ?? {};
  return (
    [updatedReplicas, replicas, availableReplicas].every((count) => count === (spec?.replicas ?? 1)) &&
    observedGeneration >= (metadata.generation ?? 0)
  );
}
