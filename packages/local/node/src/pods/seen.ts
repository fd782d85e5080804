/** What the engine has of one pod, as it was last seen. */
import { parseTime } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import type { Container, ContainerState } from "@berg/local-engine";
import type { Identity } from "../containers/labels.ts";

export interface SeenContainer {
  readonly id: string;
  readonly identity: Identity;
  /** By its digest where it came from a registry. */
  readonly imageId: string;
  readonly status: ContainerState["status"];
  readonly exitCode: number;
  readonly oomKilled: boolean;
  /** Wall times in ms. */
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
  readonly addresses: Readonly<Record<string, string>>;
  /** What it left behind when it ended. */
  readonly message: string | undefined;
}

export function seenOf(
  { id, state, addresses }: Container,
  identity: Identity,
  imageId: string,
  message: string | undefined,
): SeenContainer {
  const time = (text: string | undefined) => (text === undefined ? undefined : parseTime(text));
  const { status, exitCode, oomKilled } = state;
  const times = { startedAt: time(state.startedAt), finishedAt: time(state.finishedAt) };
  return { id, identity, imageId, status, exitCode, oomKilled, ...times, addresses, message };
}

export interface SeenPod {
  readonly pauses: readonly SeenContainer[];
  readonly containers: readonly SeenContainer[];
}

export const nothingSeen: SeenPod = { pauses: [], containers: [] };

export function isRunning({ status }: SeenContainer): boolean {
  return status === "running" || status === "paused" || status === "restarting";
}

export function hasEnded({ status }: SeenContainer): boolean {
  return status === "exited" || status === "dead";
}

/** All of one name, the newest first. */
export function attemptsOf(seen: SeenPod, name: string): SeenContainer[] {
  return newestFirst(seen.containers.filter(({ identity }) => identity.container === name));
}

export function latestOf(seen: SeenPod, name: string): SeenContainer | undefined {
  return attemptsOf(seen, name)[0];
}

/** The pause container that holds the pod's network, the newest where there are two; undefined where none runs. */
export function sandboxOf(seen: SeenPod): SeenContainer | undefined {
  return newestFirst(seen.pauses).find(isRunning);
}

function newestFirst(containers: readonly SeenContainer[]): SeenContainer[] {
  return [...containers].sort((a, b) => b.identity.attempt - a.identity.attempt);
}

/**
 * Of the pause container that the pod has, or had last: what is in another one's network was there before the network
 * went, and does not count as work for this one.
 */
export function sandboxIdOf(seen: SeenPod): string | undefined {
  return (sandboxOf(seen) ?? newestFirst(seen.pauses)[0])?.id;
}

export function isInSandbox(seen: SeenPod, container: SeenContainer): boolean {
  const id = sandboxIdOf(seen);
  return id === undefined || container.identity.sandbox === id;
}

export function addressOf(pause: SeenContainer | undefined): string | undefined {
  return pause && Object.values(pause.addresses).find((address) => address !== "");
}

/** Whether one that ended like this is started again, by its own policy or the pod's. */
export function restarts(pod: Pod, container: { restartPolicy?: string }, exitCode: number): boolean {
  const policy = container.restartPolicy ?? pod.spec?.restartPolicy ?? "Always";
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}
