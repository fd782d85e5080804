/** What keeps a pod from being ready, as its status says it now. How long that may go on is not decided here. */
import { findCondition, isConditionTrue, type Pod } from "@berg/kube";
import { imageReasons, isOverItsDisk, startReasons, troubleTexts as texts } from "@berg/resources";
import { stuckReasons as reasons, type StuckReason } from "../vocabulary.ts";

export type ContainerStatus = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];

export interface Trouble {
  /** What it is, for those who ask since when: a pull that fails goes to and fro between two reasons of the kubelet. */
  readonly kind: "failed" | "unschedulable" | "error" | "crashing" | "unsteady" | "creating" | "not-ready";
  readonly reason: StuckReason;
  /** To be read after the name of the container. */
  readonly message: string;
  /** The container of the pod that has it; undefined where it is the pod. */
  readonly container?: ContainerStatus;
}

/** The worst; undefined where the pod is ready, or going. */
export function troubleOf(pod: Pod): Trouble | undefined {
  const { metadata, status } = pod;
  if (metadata.deletionTimestamp || status?.phase === "Succeeded") return undefined;
  if (status?.phase === "Failed") return failed(pod);
  const scheduled = findCondition(status?.conditions, "PodScheduled");
  if (scheduled?.status === "False" && scheduled.reason === "Unschedulable")
    return { kind: "unschedulable", reason: reasons.noNodeFits, message: texts.noNodeFits };
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  for (const find of [error, crashing, creating]) {
    const trouble = containers.map(find).find((found) => found !== undefined);
    if (trouble) return trouble;
  }
  if (status?.phase !== "Running") return { kind: "creating", reason: reasons.notStarted, message: texts.notStarted };
  if (!isConditionTrue(status.conditions, "Ready")) return notReady(status.containerStatuses ?? []);
  return containers.map(unsteady).find((found) => found !== undefined);
}

function failed({ status }: Pod): Trouble {
  const { reason = "", message = "" } = status ?? {};
  if (reason !== "Evicted") return { kind: "failed", reason: reasons.podFailed, message: texts.failed(reason) };
  if (isOverItsDisk(message)) return { kind: "failed", reason: reasons.outOfDisk, message: texts.outOfDisk };
  return { kind: "failed", reason: reasons.evicted, message: texts.evicted };
}

function error(container: ContainerStatus): Trouble | undefined {
  const { reason = "", message } = container.state?.waiting ?? {};
  if (imageReasons.has(reason)) {
    const text = texts.cannotBePulled(container.image, message);
    return { kind: "error", reason: reasons.imageCannotBePulled, message: text, container };
  }
  if (!startReasons.has(reason)) return undefined;
  return { kind: "error", reason: reasons.containerCannotStart, message: texts.cannotBeStarted(reason), container };
}

/** It has ended, and is down now. */
function crashing(container: ContainerStatus): Trouble | undefined {
  const { state, lastState } = container;
  const isDown = state?.terminated ? !isDone(container) : state?.waiting?.reason === "CrashLoopBackOff";
  if (!isDown) return undefined;
  return { kind: "crashing", ...whyItEnded(state?.terminated ?? lastState?.terminated), container };
}

/** An init container that has done its work. */
function isDone({ ready, state }: ContainerStatus): boolean {
  return ready && state?.terminated?.exitCode === 0;
}

/** It runs again, and may be down again in a moment. */
function unsteady(container: ContainerStatus): Trouble | undefined {
  const { state, lastState, restartCount } = container;
  if (!state?.running || restartCount === 0) return undefined;
  return { kind: "unsteady", ...whyItEnded(lastState?.terminated), container };
}

type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

function whyItEnded(last: Terminated | undefined): Pick<Trouble, "reason" | "message"> {
  // Between two tries it looks as if something had run and ended.
  if (last?.reason === "StartError" || last?.reason === "ContainerCannotRun")
    return { reason: reasons.containerCannotStart, message: texts.cannotBeStarted("RunContainerError") };
  if (last?.reason === "OOMKilled") return { reason: reasons.outOfMemory, message: texts.outOfMemory };
  return { reason: reasons.containerCrashes, message: texts.crashes(last?.exitCode ?? 1) };
}

function creating(container: ContainerStatus): Trouble | undefined {
  if (!container.state?.waiting) return undefined;
  return { kind: "creating", reason: reasons.notStarted, message: texts.notStarted, container };
}

function notReady(containers: readonly ContainerStatus[]): Trouble {
  const container = containers.find(({ ready }) => !ready);
  return { kind: "not-ready", reason: reasons.notReady, message: texts.notReady, ...(container && { container }) };
}
