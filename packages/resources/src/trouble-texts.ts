/**
 * What players read about a container in trouble, whoever finds it: the controller at once, the listener when it lasts. The
 * texts do not change while nothing changes for the player: no counts, no times, no words of the runtime, which differ
 * from try to try. Each new text is a write for every instance that has it.
 */
import { pullProblem } from "./pull-problem.ts";

/** Why a container waits, in the kubelet's words: its image cannot be had. */
export const imageReasons: ReadonlySet<string> = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
  "RegistryUnavailable",
]);

/** … or it cannot be started. */
export const startReasons: ReadonlySet<string> = new Set([
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
]);

/** An eviction by the node is for what the pod did itself, or because somebody else took too much. */
export function isOverItsDisk(evictionMessage = ""): boolean {
  return /exceed/i.test(evictionMessage);
}

export const troubleTexts = {
  cannotBePulled: (image: string, message: string | undefined) =>
    `the image ${image} cannot be pulled${pullProblem(message)}`,
  cannotBeStarted: (why: string) => `it cannot be started (${why})`,
  outOfMemory: "it was stopped because it used more memory than it may",
  crashes: (exitCode: number) => `it ends by itself (exit code ${exitCode})`,
  outOfDisk: "it was stopped because it used more disk space than it may",
  evicted: "it was stopped because its node ran short of memory or disk space",
  failed: (why: string) => (why === "" ? "it has failed" : `it has failed (${why})`),
  noNodeFits: "no node of the cluster has room for it",
  notStarted: "its node takes too long to make it",
  notReady: "it runs, but is not ready",
} as const;
