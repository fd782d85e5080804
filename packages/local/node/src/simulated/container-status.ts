/** What a container's status says at one moment, in the words of kubelet and containerd. */
import { createHash } from "node:crypto";
import { durationFromMs, formatDuration, formatTime } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import type { Behaviour } from "./behaviour.ts";
import type { Exit, Moment } from "./life.ts";

type Container = NonNullable<Pod["spec"]>["containers"][number];
type ContainerStatus = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];
type ContainerState = NonNullable<ContainerStatus["state"]>;

export function containerStatus(pod: Pod, container: Container, behaviour: Behaviour, moment: Moment): ContainerStatus {
  const { stage, restartCount, lastExit } = moment;
  const wasStarted = stage.is === "running" || stage.is === "exited" || lastExit !== undefined;
  const isRunning = stage.is === "running";
  // While it waits to be started again, the last container is the current one.
  const lastRestart = isRunning || stage.is === "exited" ? restartCount - 1 : restartCount;
  return {
    name: container.name,
    image: container.image ?? "",
    ...(wasStarted ? idsOf(pod, container, restartCount) : { imageID: "" }),
    started: isRunning,
    ready: isRunning && stage.ready,
    restartCount,
    state: stateOf(pod, container, behaviour, moment),
    lastState: lastExit ? { terminated: terminated(pod, container, lastExit, lastRestart) } : {},
  };
}

/** Init containers do their work in no time and never fail. */
export function initContainerStatus(
  pod: Pod,
  container: Container,
  at: { isInitialized: boolean; hasEnded: boolean; startTime: string },
): ContainerStatus {
  const status = { name: container.name, image: container.image ?? "", restartCount: 0, lastState: {} };
  if (!at.isInitialized) {
    const state = { waiting: { reason: "PodInitializing" } };
    return { ...status, imageID: "", started: false, ready: false, state };
  }
  const ids = idsOf(pod, container, 0);
  if (isSidecar(container) && !at.hasEnded)
    return { ...status, ...ids, started: true, ready: true, state: { running: { startedAt: at.startTime } } };
  const state = {
    terminated: {
      exitCode: 0,
      reason: "Completed",
      startedAt: at.startTime,
      finishedAt: at.startTime,
      containerID: ids.containerID,
    },
  };
  return { ...status, ...ids, started: false, ready: !isSidecar(container), state };
}

export function isSidecar(container: Container): boolean {
  return container.restartPolicy === "Always";
}

function stateOf(
  pod: Pod,
  container: Container,
  behaviour: Behaviour,
  { stage, restartCount }: Moment,
): ContainerState {
  const image = container.image ?? "";
  switch (stage.is) {
    case "creating":
      return { waiting: { reason: pod.spec?.initContainers?.length ? "PodInitializing" : "ContainerCreating" } };
    case "pull-failed": {
      const error = behaviour.message ?? pullError(image);
      if (!stage.backingOff) return { waiting: { reason: "ErrImagePull", message: error } };
      const message = `Back-off pulling image "${image}": ErrImagePull: ${error}`;
      return { waiting: { reason: "ImagePullBackOff", message } };
    }
    case "invalid-image-name": {
      const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`;
      return { waiting: { reason: "InvalidImageName", message } };
    }
    case "config-error": {
      const message = behaviour.message ?? 'configmap "missing" not found';
      return { waiting: { reason: "CreateContainerConfigError", message } };
    }
    case "crash-backoff": {
      const { namespace, name, uid } = pod.metadata;
      const delay = formatDuration(durationFromMs(stage.backoffMs));
      const message = `back-off ${delay} restarting failed container=${container.name} pod=${name}_${namespace}(${uid})`;
      return { waiting: { reason: "CrashLoopBackOff", message } };
    }
    case "running":
      return { running: { startedAt: formatTime(stage.since) } };
    case "exited":
      return { terminated: terminated(pod, container, stage.exit, restartCount) };
  }
}

function pullError(image: string): string {
  const what = `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;
  return `rpc error: code = NotFound desc = ${what}`;
}

function terminated(pod: Pod, container: Container, exit: Exit, restart: number) {
  return {
    exitCode: exit.exitCode,
    reason: exit.reason,
    startedAt: formatTime(exit.startedAt),
    finishedAt: formatTime(exit.finishedAt),
    containerID: idsOf(pod, container, restart).containerID,
  };
}

/** The same image has the same ID everywhere; each start of a container makes a new one. */
function idsOf(pod: Pod, { name, image = "" }: Container, restart: number): { imageID: string; containerID: string } {
  return {
    imageID: `${image.replace(/[@:][^/]*$/, "")}@sha256:${sha256(image)}`,
    containerID: `containerd://${sha256(`${pod.metadata.uid}/${name}/${restart}`)}`,
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
