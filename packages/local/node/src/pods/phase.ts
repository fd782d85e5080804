/** A pod's phase from its containers' statuses, by kubelet's rules. Pure. */
import type { Pod } from "@berg/kube";
import { type Container, initContainersOf, isSidecar, mainContainersOf } from "../containers/shapes.ts";
import type { ContainerStatus } from "./container-status.ts";
import { restarts } from "./seen.ts";

export type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

export function isTerminal(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/** `isEnding`: nothing of it will be started again, whatever its policy says. */
export function phaseOf(
  pod: Pod,
  statuses: readonly ContainerStatus[],
  isEnding: boolean,
  wasInitialized: boolean,
): Phase {
  const statusOf = (container: Container) => statuses.find(({ name }) => name === container.name);
  const init = initContainersOf(pod);
  const regular = init.filter((container) => !isSidecar(container));
  if (regular.some((container) => hasFailedForGood(pod, container, statusOf(container)))) return "Failed";

  const sidecars = init.filter(isSidecar).map(statusOf);
  const main = mainContainersOf(pod).map((container) => ({ container, status: statusOf(container) }));
  const isInitPending =
    regular.some((container) => endOf(statusOf(container)) === undefined) ||
    (!wasInitialized && sidecars.some((status) => status?.state?.running === undefined || !status.started));
  const isWaiting = main.some(({ status }) => status?.state?.waiting && !status.lastState?.terminated);
  if (isInitPending || isWaiting) return "Pending";
  if ([...sidecars, ...main.map(({ status }) => status)].some((status) => status?.state?.running)) return "Running";

  const ends = main.map(({ container, status }) => ({ container, exitCode: endOf(status) ?? 0 }));
  const isRestarting = ends.some(({ container, exitCode }) => restarts(pod, container, exitCode));
  if (!isEnding && isRestarting) return "Running";
  return ends.every(({ exitCode }) => exitCode === 0) ? "Succeeded" : "Failed";
}

function hasFailedForGood(pod: Pod, container: Container, status: ContainerStatus | undefined): boolean {
  const exitCode = endOf(status);
  return exitCode !== undefined && exitCode !== 0 && !restarts(pod, container, exitCode);
}

/** The exit code of the last end; undefined where it runs, or never ran. */
function endOf(status: ContainerStatus | undefined): number | undefined {
  if (status?.state?.running) return undefined;
  return (status?.state?.terminated ?? status?.lastState?.terminated)?.exitCode;
}
