/** What a container's status says, in the words of kubelet and containerd. Pure. */
import { formatTime } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import { type Container, initContainersOf, isSidecar } from "../containers/shapes.ts";
import { hasStarted, shouldStart, type Turn, toStart, waitingOf } from "./container-turn.ts";
import { attemptsOf, isRunning, type SeenContainer } from "./seen.ts";
import type { View } from "./view.ts";
import { reasons, startErrorCode, texts, unknownCode } from "./vocabulary.ts";

type Written = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];
// Newer than the types that we have.
export type ContainerStatus = Written & {
  resources?: NonNullable<Container["resources"]>;
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean; recursiveReadOnly?: string }[];
};
type State = NonNullable<ContainerStatus["state"]>;

export function containerStatus(view: View, container: Container, runtime: string): ContainerStatus {
  const old = oldStatusOf(view.pod, container.name);
  const [latest, previous] = attemptsOf(view.seen, container.name);
  const state = latest && stateOf(view, latest, runtime);
  // It counts as running when its hook is done.
  const isInHook = view.starting === container.name && container.lifecycle?.postStart && state?.running;
  if (!latest || !state || isInHook) return unseen(view, container, old);

  const lastState = previous ? (stateOf(view, previous, runtime) ?? {}) : lastStateOf(old, latest, runtime);
  const status: ContainerStatus = {
    name: container.name,
    state,
    lastState: lastState.terminated ? lastState : {},
    ready: false,
    restartCount: latest.identity.attempt,
    image: container.image ?? "",
    imageID: latest.imageId,
    containerID: `${runtime}://${latest.id}`,
    started: hasStarted(view, container),
    ...(container.resources?.requests && { allocatedResources: container.resources.requests }),
    resources: container.resources ?? {},
    ...mountsOf(container),
  };
  return { ...waitingInstead(view, container, latest, status), ready: isReady(view, container, latest) };
}

/** A container that is to be started shows what it waits for, and its end as the last one. */
function waitingInstead(
  view: View,
  container: Container,
  latest: SeenContainer,
  status: ContainerStatus,
): ContainerStatus {
  if (isOver(view) || !shouldStart(view, container, latest)) return status;
  const shown = reasonOf(view, { container, latest });
  if (!shown) return status;
  const waiting = { reason: shown.reason ?? "", message: shown.message ?? "" };
  const lastState = status.state?.terminated ? status.state : (status.lastState ?? {});
  return { ...status, state: { waiting }, lastState };
}

function reasonOf(view: View, turn: Turn): { reason?: string; message?: string } | undefined {
  const { name } = turn.container;
  // While it is tried again, what it waited for is still the best that can be said.
  if (view.busy.has(name)) return view.memory.failures.get(name) ?? waitedFor(view, turn);
  if (!toStart(view).some(({ container }) => container.name === name)) return undefined;
  return waitingOf(view, turn);
}

function waitedFor({ pod }: View, { container, latest }: Turn): { reason?: string; message?: string } | undefined {
  const old = oldStatusOf(pod, container.name);
  return latest && old?.containerID?.endsWith(latest.id) ? old.state?.waiting : undefined;
}

function isOver({ pod }: View): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

/** Of one that the engine does not have: it waits for its turn, or was lost. */
function unseen(view: View, container: Container, old: ContainerStatus | undefined): ContainerStatus {
  if (old?.state?.terminated) return old;
  const reason = initContainersOf(view.pod).length > 0 ? reasons.podInitializing : reasons.containerCreating;
  const shown = isOver(view) ? undefined : reasonOf(view, { container, latest: undefined });
  const wasLost = old?.state?.running !== undefined && !old.lastState?.terminated;
  const lost = { terminated: { exitCode: unknownCode, reason: reasons.unknown, message: texts.lostWhileRunning } };
  return {
    name: container.name,
    state: { waiting: shown?.message ? { reason: shown.reason ?? "", message: shown.message } : { reason } },
    lastState: wasLost ? lost : (old?.lastState ?? {}),
    ready: false,
    restartCount: (old?.restartCount ?? 0) + (wasLost && !isOver(view) ? 1 : 0),
    image: container.image ?? "",
    imageID: "",
    started: false,
    ...mountsOf(container),
  };
}

/** Undefined of one that was made, and never tried. */
function stateOf({ memory }: View, seen: SeenContainer, runtime: string): State | undefined {
  const containerID = `${runtime}://${seen.id}`;
  const startError = memory.startErrors.get(seen.id);
  if (startError)
    return {
      terminated: {
        exitCode: startErrorCode,
        reason: reasons.startError,
        message: startError.message,
        startedAt: formatTime(0),
        finishedAt: formatTime(startError.at),
        containerID,
      },
    };
  if (isRunning(seen)) return { running: { startedAt: formatTime(seen.startedAt ?? 0) } };
  if (seen.status === "created") return undefined;
  return {
    terminated: {
      exitCode: seen.exitCode,
      reason: seen.oomKilled ? reasons.outOfMemory : seen.exitCode === 0 ? reasons.completed : reasons.error,
      ...(seen.message && { message: seen.message }),
      startedAt: formatTime(seen.startedAt ?? 0),
      finishedAt: formatTime(seen.finishedAt ?? 0),
      containerID,
    },
  };
}

/** The previous container may be gone from the engine; what was written of it stays. */
function lastStateOf(old: ContainerStatus | undefined, latest: SeenContainer, runtime: string): State {
  if (!old) return {};
  const containerID = `${runtime}://${latest.id}`;
  const isSame = old.containerID === containerID;
  // What it waited for stood in the place of its own end.
  if (old.lastState?.terminated?.containerID === containerID) return {};
  return isSame ? (old.lastState ?? {}) : old.state?.terminated ? old.state : (old.lastState ?? {});
}

function isReady(view: View, container: Container, latest: SeenContainer): boolean {
  const isInit = initContainersOf(view.pod).some(({ name }) => name === container.name);
  if (isInit && !isSidecar(container)) return latest.status === "exited" && latest.exitCode === 0;
  if (!hasStarted(view, container)) return false;
  return container.readinessProbe === undefined || view.verdicts(latest.id).readiness === "success";
}

function mountsOf(container: Container): Pick<ContainerStatus, "volumeMounts"> {
  if (!container.volumeMounts?.length) return {};
  return {
    volumeMounts: container.volumeMounts.map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly && { readOnly, recursiveReadOnly: "Disabled" }),
    })),
  };
}

function oldStatusOf({ status }: Pod, name: string): ContainerStatus | undefined {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.find((one) => one.name === name);
}
