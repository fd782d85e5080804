/** A pod's status as kubelet 1.36 would write it. */
import { formatTime } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import { containerStatus, initContainerStatus, isSidecar } from "./container-status.ts";
import { type Life, type Moment, momentOf, startsAgain } from "./life.ts";
import { Conditions } from "./pod-conditions.ts";

// The generation is newer than the types that we have.
export type PodStatus = NonNullable<Pod["status"]> & { observedGeneration?: number | undefined };

/** Where a pod runs. */
export interface Place {
  readonly hostIP: string;
  readonly podIP: string;
}

const evictedReason = "Evicted";
const evictedMessage = "The node was low on resource: memory. ";

/** Of a pod that has a node. Times of conditions that do not change are taken from the status that it has. */
export function statusOf(pod: Pod, life: Life, place: Place, now: number): PodStatus {
  const moment = momentOf(life, now);
  const phase = phaseOf(life, moment);
  const isEvicted = life.behaviour.kind === "evicted";
  const hasNetwork = moment.stage.is !== "creating";
  const startTime = pod.status?.startTime ?? formatTime(now);
  const podIP = pod.spec?.hostNetwork ? place.hostIP : place.podIP;
  const containers = pod.spec?.containers ?? [];
  const initContainers = pod.spec?.initContainers ?? [];
  const isInitialized = hasNetwork || initContainers.length === 0;

  return {
    observedGeneration: pod.metadata.generation,
    phase,
    ...(isEvicted && { reason: evictedReason, message: life.behaviour.message ?? evictedMessage }),
    conditions: conditionsOf(pod, life, moment, { phase, isInitialized }, now),
    hostIP: place.hostIP,
    hostIPs: [{ ip: place.hostIP }],
    ...(hasNetwork && { podIP, podIPs: [{ ip: podIP }] }),
    startTime,
    ...(initContainers.length > 0 && {
      initContainerStatuses: initContainers.map((container) =>
        initContainerStatus(pod, container, { isInitialized, hasEnded: isTerminal(phase), startTime }),
      ),
    }),
    // Where kubelet turned a pod away before it made anything, there are none.
    ...(!(isEvicted && !hasNetwork) && {
      containerStatuses: containers.map((container) => containerStatus(pod, container, life.behaviour, moment)),
    }),
  };
}

/** What the scheduler writes of a pod that it finds no place for. */
export function unscheduledStatus(pod: Pod, message: string, now: number): PodStatus {
  const conditions = new Conditions(pod, now);
  conditions.set("PodScheduled", "False", { reason: "Unschedulable", message });
  return { phase: "Pending", conditions: conditions.list };
}

/** What the node controller writes of a pod whose node went silent: nothing else is known of it. */
export function lostStatus(pod: Pod, now: number): PodStatus {
  const conditions = new Conditions(pod, now);
  if (!conditions.has("Ready")) return {};
  conditions.set("Ready", "False");
  return { conditions: conditions.list };
}

export function isTerminal(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

function phaseOf({ behaviour, restartPolicy }: Life, { stage, lastExit }: Moment): string {
  if (behaviour.kind === "evicted") return "Failed";
  if (stage.is === "running") return "Running";
  if (stage.is === "exited" && !startsAgain(restartPolicy, stage.exit.exitCode))
    return stage.exit.exitCode === 0 ? "Succeeded" : "Failed";
  // A container that waits to be started again counts as started.
  return stage.is === "exited" || lastExit ? "Running" : "Pending";
}

function conditionsOf(
  pod: Pod,
  { behaviour }: Life,
  { stage }: Moment,
  { phase, isInitialized }: { phase: string; isInitialized: boolean },
  now: number,
) {
  const { spec } = pod;
  const conditions = new Conditions(pod, now);
  if (behaviour.kind === "evicted")
    conditions.set("DisruptionTarget", "True", {
      reason: "TerminationByKubelet",
      message: behaviour.message ?? evictedMessage,
    });
  conditions.set("PodReadyToStartContainers", stage.is === "creating" || isTerminal(phase) ? "False" : "True");

  const init = spec?.initContainers ?? [];
  if (!isInitialized)
    conditions.set("Initialized", "False", {
      reason: "ContainersNotInitialized",
      message: `containers with incomplete status: ${names(init)}`,
    });
  else conditions.set("Initialized", "True", phase === "Succeeded" ? { reason: "PodCompleted" } : {});

  const unready = names([...(isInitialized ? [] : init.filter(isSidecar)), ...(spec?.containers ?? [])]);
  for (const type of ["Ready", "ContainersReady"]) {
    if (phase === "Succeeded") conditions.set(type, "False", { reason: "PodCompleted" });
    else if (phase === "Failed") conditions.set(type, "False", { reason: "PodFailed" });
    else if (stage.is === "running" && stage.ready) conditions.set(type, "True");
    else
      conditions.set(type, "False", {
        reason: "ContainersNotReady",
        message: `containers with unready status: ${unready}`,
      });
  }
  conditions.set("PodScheduled", "True");
  return conditions.list;
}

/** As Go prints a list. */
function names(containers: readonly { name: string }[]): string {
  return `[${containers.map(({ name }) => name).join(" ")}]`;
}
