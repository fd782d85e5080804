/** Whether a rollout gets on, is done or has failed. */
import type { Stored } from "@berg/apimachinery";
import { type Deployment, findCondition, type ReplicaSet } from "@berg/kube";
import {
  countedStatus,
  type DeploymentCondition,
  type DeploymentStatus,
  deadlineOf,
  isComplete,
  type Moment,
  withCondition,
} from "./status.ts";

const type = "Progressing";

/** The counts, together with how the rollout gets on since the status that the Deployment shows. */
export function rolloutStatus(
  deployment: Stored<Deployment>,
  current: Stored<ReplicaSet> | undefined,
  old: readonly Stored<ReplicaSet>[],
  moment: Moment,
): DeploymentStatus {
  const status = countedStatus(deployment, current, old, moment);
  const conditions = progressOf(deployment, status, current, moment);
  const failure = [...(current ? [current] : []), ...old].flatMap(failuresOf)[0];
  const others = conditions.filter((condition) => condition.type !== "ReplicaFailure");
  const known = findCondition(conditions, "ReplicaFailure");
  const isKnown = known?.status === failure?.status && known?.reason === failure?.reason;
  return { ...status, conditions: failure ? (isKnown ? conditions : [...others, failure]) : others };
}

function progressOf(
  deployment: Stored<Deployment>,
  status: DeploymentStatus,
  current: Stored<ReplicaSet> | undefined,
  moment: Moment,
): DeploymentCondition[] {
  const { conditions = [] } = status;
  const deadline = deadlineOf(deployment);
  if (deadline === undefined) return conditions.filter((condition) => condition.type !== type);
  const known = findCondition(deployment.status?.conditions, type);
  // A rollout that is over stays so, whatever becomes of its pods.
  if (known?.reason === "NewReplicaSetAvailable" && (status.replicas ?? 0) === (status.updatedReplicas ?? 0))
    return conditions;
  const who = current ? `ReplicaSet "${current.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  if (isComplete(deployment, status)) {
    const message = `${who} has successfully progressed.`;
    return withCondition(conditions, { type, status: "True", reason: "NewReplicaSetAvailable", message }, moment.now);
  }
  if (hasProgressed(deployment.status, status)) {
    const message = `${who} is progressing.`;
    const lastTransitionTime = (known?.status === "True" && known.lastTransitionTime) || moment.now;
    // Told even where nothing else changes: the deadline counts from here.
    const told = { type, status: "True", reason: "ReplicaSetUpdated", message, lastUpdateTime: moment.now };
    return [...conditions.filter((condition) => condition.type !== type), { ...told, lastTransitionTime }];
  }
  if (known && isLate(known, deadline, moment.nowMs)) {
    const message = `${who} has timed out progressing.`;
    const late = { type, status: "False", reason: "ProgressDeadlineExceeded", message };
    return withCondition(conditions, late, moment.now);
  }
  return conditions;
}

function hasProgressed(before: DeploymentStatus | undefined, now: DeploymentStatus): boolean {
  const [a, b] = [counts(before), counts(now)];
  return b.updated > a.updated || b.old < a.old || b.ready > a.ready || b.available > a.available;
}

function counts({ replicas = 0, updatedReplicas = 0, readyReplicas, availableReplicas }: DeploymentStatus = {}) {
  const [ready, available] = [readyReplicas ?? 0, availableReplicas ?? 0];
  return { updated: updatedReplicas, old: replicas - updatedReplicas, ready, available };
}

/** Time changes nothing about it any more. */
function isSettled({ reason }: DeploymentCondition): boolean {
  return reason === "ProgressDeadlineExceeded" || reason === "NewReplicaSetAvailable";
}

function isLate(known: DeploymentCondition, deadlineSeconds: number, nowMs: number): boolean {
  if (known.reason === "NewReplicaSetAvailable") return false;
  if (known.reason === "ProgressDeadlineExceeded") return true;
  return Date.parse(known.lastUpdateTime ?? "") + deadlineSeconds * 1000 < nowMs;
}

/** When to look again whether the rollout has got on in time; undefined where it need not. */
export function nextCheckMs(deployment: Deployment, status: DeploymentStatus, nowMs: number): number | undefined {
  const deadline = deadlineOf(deployment);
  const known = findCondition(status.conditions, type);
  if (deadline === undefined || !known || isSettled(known)) return undefined;
  if (isComplete(deployment, status) || deployment.spec?.paused) return undefined;
  const left = Date.parse(known.lastUpdateTime ?? "") + deadline * 1000 - nowMs;
  // A second more: what is due must be past then, not almost.
  return Number.isNaN(left) ? undefined : Math.max(0, left) + 1000;
}

function failuresOf({ status }: ReplicaSet): DeploymentCondition[] {
  return (status?.conditions ?? [])
    .filter((condition) => condition.type === "ReplicaFailure")
    .map(({ type, status, reason, message, lastTransitionTime }) => {
      const time = lastTransitionTime as string;
      return {
        type,
        status,
        ...(reason !== undefined && { reason }),
        ...(message !== undefined && { message }),
        lastUpdateTime: time,
        lastTransitionTime: time,
      };
    });
}
