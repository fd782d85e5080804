/** The words that a pod's status and events are written in: kubelet's, so that people and programs know them. */
import { durationFromMs, formatDuration } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import { podText } from "../containers/shapes.ts";

export const reasons = {
  containerCreating: "ContainerCreating",
  podInitializing: "PodInitializing",
  crashLoop: "CrashLoopBackOff",
  config: "CreateContainerConfigError",
  create: "CreateContainerError",
  run: "RunContainerError",
  postStart: "PostStartHookError",
  completed: "Completed",
  error: "Error",
  outOfMemory: "OOMKilled",
  startError: "StartError",
  unknown: "ContainerStatusUnknown",
  deadline: "DeadlineExceeded",
  evicted: "Evicted",
  forbidden: "PodForbidden",
  nodeNotReady: "NodeNotReady",
} as const;

/** The exit code that containerd gives a container that could not be started. */
export const startErrorCode = 128;
export const unknownCode = 137;

export const texts = {
  created: "Container created",
  started: "Container started",
  stopping: (container: string) => `Stopping container ${container}`,
  unhealthy: (container: string, probe: "liveness" | "startup") =>
    `Container ${container} failed ${probe} probe, will be restarted`,
  backOffEvent: (container: string, pod: Pod) =>
    `Back-off restarting failed container ${container} in pod ${podText(pod)}`,
  backOff: (ms: number, container: string, pod: Pod) =>
    `back-off ${formatDuration(durationFromMs(ms))} restarting failed container=${container} pod=${podText(pod)}`,
  deadline: "Pod was active on the node longer than the specified deadline",
  // With a space at the end, all three.
  emptyDirOver: (volume: string, limit: string) =>
    `Usage of EmptyDir volume "${volume}" exceeds the limit "${limit}". `,
  podStorageOver: (limit: string) =>
    `Pod ephemeral local storage usage exceeds the total limit of containers ${limit}. `,
  containerStorageOver: (container: string, limit: string) =>
    `Container ${container} exceeded its local ephemeral storage limit "${limit}". `,
  rejected: (why: string) => `Pod was rejected: ${why}`,
  sandboxChanged: "Pod sandbox changed, it will be killed and re-created.",
  sandboxFailed: (why: string) => `Failed to create pod sandbox: ${why}`,
  lostWhileRunning: "The container could not be located when the pod was deleted.  The container used to be Running",
  engineGone: (why: string) => `the container engine cannot be reached: ${why}`,
} as const;
