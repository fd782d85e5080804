/** How the pods of an instance are, in the words of a player: which containers are ready, and what keeps the others. */
import type { KubeObject } from "@berg/apimachinery";
import { type Deployment, findCondition, isConditionTrue, type Pod } from "@berg/kube";
import { labels } from "@berg/resources";
import type { Snapshot } from "../observe/snapshot.ts";
import { type Reason, reasons } from "../vocabulary.ts";
import { pullProblem } from "./pull-problem.ts";

export interface PodHealth {
  ready: boolean;
  reason: Reason;
  message: string;
}

/**
 * Texts do not change while nothing changes for the player: no counts, no times, no backoffs. Each new text is a write
 * for every instance that has it.
 */
export function podHealth(seen: Snapshot): PodHealth {
  const deployments = inOrder([...seen.children.values()].filter(({ kind }) => kind === "Deployment")) as Deployment[];
  if (deployments.length === 0)
    return { ready: false, reason: reasons.podsMissing, message: "Its containers are gone." };
  const waiting: string[] = [];
  for (const deployment of deployments) {
    const { name } = deployment.metadata;
    const pods = inOrder(seen.pods.filter(({ metadata }) => metadata.labels?.[labels.container] === name));
    if (pods.some(isReady)) continue;
    const trouble =
      aliveFirst(pods).map(podTrouble).find(Boolean) ?? (pods.length === 0 && deploymentTrouble(deployment));
    if (trouble) return { ready: false, reason: trouble.reason, message: `Container ${name}: ${trouble.message}` };
    waiting.push(name);
  }
  if (waiting.length === 0) return { ready: true, reason: reasons.ready, message: "All containers are ready." };
  return { ready: false, reason: reasons.waitingForPods, message: `Waiting for ${waiting.join(", ")}.` };
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
    return { reason: reasons.noNodeFits, message: "no node of the cluster has room for it" };
  }
  if (status?.reason === "Evicted") return evicted(status.message);
  for (const { state, lastState, image, restartCount } of status?.containerStatuses ?? []) {
    const { waiting } = state ?? {};
    if (waiting?.reason && imageReasons.has(waiting.reason)) {
      const message = `the image ${image} cannot be pulled${pullProblem(waiting.message)}`;
      return { reason: reasons.imageCannotBePulled, message };
    }
    if (waiting?.reason && startReasons.has(waiting.reason)) return cannotStart(waiting.reason);
    const last = state?.terminated ?? lastState?.terminated;
    if (last && (restartCount > 0 || state?.terminated)) {
      // Between two tries it looks as if something had run and ended.
      if (last.reason === "StartError") return cannotStart("RunContainerError");
      if (last.reason === "OOMKilled") {
        return { reason: reasons.outOfMemory, message: "it was stopped because it used more memory than it may" };
      }
      return { reason: reasons.containerCrashes, message: `it ends by itself (exit code ${last.exitCode})` };
    }
  }
  return undefined;
}

/** By the node it ran on: for what it did itself, or because somebody else took too much. */
function evicted(message = ""): Trouble {
  if (/exceed/i.test(message)) {
    return { reason: reasons.outOfDisk, message: "it was stopped because it used more disk space than it may" };
  }
  return { reason: reasons.evicted, message: "it was stopped because its node ran short of memory or disk space" };
}

function cannotStart(why: string): Trouble {
  return { reason: reasons.containerCannotStart, message: `it cannot be started (${why})` };
}

const imageReasons = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
  "RegistryUnavailable",
]);

const startReasons = new Set(["CreateContainerConfigError", "CreateContainerError", "RunContainerError"]);

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
