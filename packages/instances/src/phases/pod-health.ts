/** How the pods of an instance are, in the words of a player: which containers are ready, and what keeps the others. */
import type { KubeObject } from "@berg/apimachinery";
import { type Deployment, findCondition, isConditionTrue, type Pod } from "@berg/kube";
import { imageReasons, isOverItsDisk, labels, startReasons, troubleTexts as texts } from "@berg/resources";
import { deploymentsOf, type Snapshot } from "../observe/snapshot.ts";
import { type Reason, reasons } from "../vocabulary.ts";
import { evictedUntil } from "./evictions.ts";
import { isOutdated } from "./restart.ts";
import { steadyAt } from "./stuck.ts";

export interface PodHealth {
  ready: boolean;
  reason: Reason;
  message: string;
  /** Whether it has failed, whatever its pods do next. */
  failed?: boolean;
  /** When there is reason to look again, though nobody says anything. */
  dueAt?: number | undefined;
}

/**
 * Texts do not change while nothing changes for the player: no counts, no times, no backoffs. Each new text is a write
 * for every instance that has it.
 */
export function podHealth(seen: Snapshot): PodHealth {
  const deployments = inOrder(deploymentsOf(seen));
  if (deployments.length === 0)
    return { ready: false, reason: reasons.podsMissing, message: "Its containers are gone." };
  const waiting: string[] = [];
  let dueAt: number | undefined;
  for (const deployment of deployments) {
    const { name } = deployment.metadata;
    const pods = inOrder(
      seen.pods.filter((pod) => pod.metadata.labels?.[labels.container] === name && !isOutdated(pod, deployment)),
    );
    const until = evictedUntil(seen, pods);
    if (until !== undefined) return evictedAgain(name, pods, until);
    const ready = pods.filter(isReady);
    const times = ready.map((pod) => steadyAt(seen, pod));
    if (times.includes(undefined)) continue;
    if (ready.length > 0) dueAt = Math.min(...(times as number[]));
    const trouble =
      aliveFirst(pods).map(podTrouble).find(Boolean) ?? (pods.length === 0 && deploymentTrouble(deployment));
    if (trouble)
      return { ready: false, reason: trouble.reason, message: `Container ${name}: ${trouble.message}`, dueAt };
    waiting.push(name);
  }
  if (waiting.length === 0) return { ready: true, reason: reasons.ready, message: "All containers are ready." };
  return { ready: false, reason: reasons.waitingForPods, message: `Waiting for ${waiting.join(", ")}.`, dueAt };
}

function evictedAgain(name: string, pods: readonly Pod[], dueAt: number): PodHealth {
  const { reason, message } = evicted(pods.findLast(({ status }) => status?.reason === "Evicted")?.status?.message);
  return { ready: false, failed: true, reason, message: `Container ${name}: again and again, ${message}.`, dueAt };
}

/** By name: in whatever order they are found, the same one is told of. */
function inOrder<T extends KubeObject>(objects: T[]): T[] {
  return objects.toSorted(({ metadata: one }, { metadata: other }) => (one.name < other.name ? -1 : 1));
}

/** A pod that was evicted stays: what it says counts only until its successor says something. */
function aliveFirst<P extends Pod>(pods: P[]): P[] {
  return pods.toSorted(
    ({ status: one }, { status: other }) => Number(one?.phase === "Failed") - Number(other?.phase === "Failed"),
  );
}

function isReady({ metadata, status }: Pod): boolean {
  return !metadata.deletionTimestamp && status?.phase === "Running" && isConditionTrue(status.conditions, "Ready");
}

interface Trouble {
  reason: Reason;
  message: string;
}

function podTrouble({ metadata, status }: Pod): Trouble | undefined {
  if (metadata.deletionTimestamp) return undefined;
  const scheduled = findCondition(status?.conditions, "PodScheduled");
  if (scheduled?.status === "False" && scheduled.reason === "Unschedulable") {
    return { reason: reasons.noNodeFits, message: texts.noNodeFits };
  }
  if (status?.reason === "Evicted") return evicted(status.message);
  // A node that does not admit a pod makes no container of it.
  if (status?.phase === "Failed" && !status.containerStatuses?.length && status.message)
    return { reason: reasons.podsRefused, message: `the node refuses its pod: ${status.message}` };
  for (const { state, lastState, image, restartCount } of status?.containerStatuses ?? []) {
    const { waiting } = state ?? {};
    if (waiting?.reason && imageReasons.has(waiting.reason)) {
      return { reason: reasons.imageCannotBePulled, message: texts.cannotBePulled(image, waiting.message) };
    }
    if (waiting?.reason && startReasons.has(waiting.reason)) return cannotStart(waiting.reason);
    const last = state?.terminated ?? lastState?.terminated;
    if (last && (restartCount > 0 || state?.terminated)) {
      // Between two tries it looks as if something had run and ended.
      if (last.reason === "StartError") return cannotStart("RunContainerError");
      if (last.reason === "OOMKilled") {
        return { reason: reasons.outOfMemory, message: texts.outOfMemory };
      }
      return { reason: reasons.containerCrashes, message: texts.crashes(last.exitCode) };
    }
  }
  return undefined;
}

function evicted(message?: string): Trouble {
  if (isOverItsDisk(message)) return { reason: reasons.outOfDisk, message: texts.outOfDisk };
  return { reason: reasons.evicted, message: texts.evicted };
}

function cannotStart(why: string): Trouble {
  return { reason: reasons.containerCannotStart, message: texts.cannotBeStarted(why) };
}

/** Pods that are not even made: a quota or an admission rule is in the way. */
function deploymentTrouble({ status }: Deployment): Trouble | undefined {
  const failure = findCondition(status?.conditions, "ReplicaFailure");
  if (failure?.status !== "True") return undefined;
  return {
    reason: reasons.podsRefused,
    message: `the cluster refuses its pod: ${withoutPodName(failure.message ?? "")}`,
  };
}

/** `pods "web-6f5d-x2x9q" is forbidden: …`: every try has another name. */
function withoutPodName(message: string): string {
  return message.replace(/^pods "[^"]*" is /, "it is ");
}
