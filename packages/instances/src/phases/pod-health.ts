/** How the pods of an instance are, in the words of a player: which containers are ready, and what keeps the others. */
import { type Deployment, findCondition, isConditionTrue, type Pod } from "@berg/kube";
import { labels } from "@berg/resources";
import type { Snapshot } from "../observe/snapshot.ts";
import { type Reason, reasons } from "../vocabulary.ts";

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
  const deployments = [...seen.children.values()].filter(({ kind }) => kind === "Deployment") as Deployment[];
  const waiting: string[] = [];
  for (const deployment of deployments) {
    const { name } = deployment.metadata;
    const pods = seen.pods.filter(({ metadata }) => metadata.labels?.[labels.container] === name);
    if (pods.some(isReady)) continue;
    const trouble = pods.map(podTrouble).find(Boolean) ?? (pods.length === 0 && deploymentTrouble(deployment));
    if (trouble) return { ready: false, reason: trouble.reason, message: `Container ${name}: ${trouble.message}` };
    waiting.push(name);
  }
  if (waiting.length === 0) return { ready: true, reason: reasons.ready, message: "All containers are ready." };
  return { ready: false, reason: reasons.waitingForPods, message: `Waiting for ${waiting.join(", ")}.` };
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
  for (const { state, lastState, image, restartCount } of status?.containerStatuses ?? []) {
    const { waiting } = state ?? {};
    if (waiting?.reason && imageReasons.has(waiting.reason)) {
      const message = `the image ${image} cannot be pulled${pullProblem(waiting.message)}`;
      return { reason: reasons.imageCannotBePulled, message };
    }
    if (waiting?.reason && startReasons.has(waiting.reason)) {
      return { reason: reasons.containerCannotStart, message: `it cannot be started (${waiting.reason})` };
    }
    const last = lastState?.terminated ?? state?.terminated;
    if (last && (restartCount > 0 || state?.terminated)) {
      if (last.reason === "OOMKilled") {
        return { reason: reasons.outOfMemory, message: "it was stopped because it used more memory than it may" };
      }
      return { reason: reasons.containerCrashes, message: `it ends by itself (exit code ${last.exitCode})` };
    }
  }
  return undefined;
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

/** What a registry's words come down to: they differ from try to try. */
function pullProblem(message = ""): string {
  if (/not found|manifest unknown|does not exist/i.test(message)) return ": it does not exist";
  if (/unauthorized|denied|forbidden|authentication/i.test(message)) return ": the registry asks for other credentials";
  if (/no such host|timeout|refused|unreachable|reset by peer/i.test(message)) return ": the registry is not reached";
  return "";
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
