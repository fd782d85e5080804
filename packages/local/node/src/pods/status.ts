/** A pod's status as kubelet would write it. Pure. */
import { formatTime } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import { initContainersOf, isSidecar, mainContainersOf } from "../containers/shapes.ts";
import { Conditions } from "../simulated/pod-conditions.ts";
import { type ContainerStatus, containerStatus } from "./container-status.ts";
import { isInitialized } from "./container-turn.ts";
import { isTerminal, type Phase, phaseOf } from "./phase.ts";
import { addressOf, isRunning, sandboxOf } from "./seen.ts";
import { type Ending, sandboxWork, type View } from "./view.ts";
import { reasons, texts } from "./vocabulary.ts";

// The generation is newer than the types that we have.
export type PodStatus = NonNullable<Pod["status"]> & { observedGeneration?: number | undefined };

export interface Host {
  ip: string;
  /** What containers' IDs begin with: `podman`. */
  runtime: string;
}

export function statusOf(view: View, ending: Ending | undefined, host: Host): PodStatus {
  const { pod, seen, now } = view;
  const old = pod.status ?? {};
  if (ending === "refused") return refusedStatus(pod, view.memory.refused ?? "");
  // One that was refused has no containers to tell of, now or later.
  if (old.phase === "Failed" && old.reason === reasons.forbidden) return old;
  const init = initContainersOf(pod).map((container) => containerStatus(view, container, host.runtime));
  const main = mainContainersOf(pod).map((container) => containerStatus(view, container, host.runtime));
  const reached = phaseFrom(view, ending, [...init, ...main]);
  const sandbox = sandboxOf(seen);
  // The end is told when it has come: until then something may still run.
  const isBusy = [...view.busy].some((name) => name !== sandboxWork);
  const mayRun = sandbox !== undefined || seen.containers.some(isRunning) || isBusy;
  const phase = isTerminal(reached) && mayRun && !isTerminal(old.phase) ? (old.phase ?? "Pending") : reached;
  const podIP = addressOf(sandbox) ?? old.podIP;
  const why = isTerminal(phase) ? whyOf(view, ending) : {};
  return {
    ...old,
    observedGeneration: pod.metadata.generation,
    phase,
    ...why,
    conditions: conditionsOf(view, reached, [...init, ...main], sandbox !== undefined),
    hostIP: host.ip,
    hostIPs: [{ ip: host.ip }],
    ...(podIP && { podIP, podIPs: [{ ip: podIP }] }),
    startTime: old.startTime ?? formatTime(now),
    ...(init.length > 0 && { initContainerStatuses: init }),
    containerStatuses: main,
  };
}

function whyOf({ memory }: View, ending: Ending | undefined): Pick<PodStatus, "reason" | "message"> {
  if (ending === "deadline") return { reason: reasons.deadline, message: texts.deadline };
  if (ending === "evicted" && memory.evicted) return { reason: reasons.evicted, message: memory.evicted };
  return {};
}

/** As kubelet writes it of a pod that it does not admit: nothing of it was ever made. */
function refusedStatus(pod: Pod, why: string): PodStatus {
  return {
    ...pod.status,
    observedGeneration: pod.metadata.generation,
    phase: "Failed",
    reason: reasons.forbidden,
    message: texts.rejected(why),
  };
}

/** What stands in for it while the engine cannot be asked: nothing is known, so nothing is ready. */
export function unreachableStatus(pod: Pod, why: string, now: number): PodStatus {
  const conditions = new Conditions(pod, now);
  if (!conditions.has("Ready") || isTerminal(pod.status?.phase)) return pod.status ?? {};
  conditions.set("Ready", "False", { reason: reasons.nodeNotReady, message: texts.engineGone(why) });
  return { ...pod.status, conditions: conditions.list };
}

function phaseFrom(view: View, ending: Ending | undefined, statuses: readonly ContainerStatus[]): Phase {
  const { phase: old } = view.pod.status ?? {};
  if (ending === "deadline" || ending === "evicted") return "Failed";
  const hasAnEnd = ending !== undefined && !view.seen.containers.some(isRunning);
  const phase = phaseOf(view.pod, statuses, hasAnEnd, isInitialized(view));
  return isTerminal(old) ? (old as Phase) : phase;
}

function conditionsOf(view: View, phase: Phase, statuses: readonly ContainerStatus[], hasSandbox: boolean) {
  const { pod, now } = view;
  const conditions = new Conditions(pod, now);
  conditions.set("PodReadyToStartContainers", hasSandbox ? "True" : "False");

  const statusOf = ({ name }: { name: string }) => statuses.find((status) => status.name === name);
  const incomplete = initContainersOf(pod).filter((container) => {
    const status = statusOf(container);
    return isSidecar(container) ? !status?.started : !status?.ready;
  });
  const hasBegun = mainContainersOf(pod).some((container) => {
    const status = statusOf(container);
    return status?.state?.running ?? status?.state?.terminated ?? status?.lastState?.terminated;
  });
  if (phase === "Succeeded") conditions.set("Initialized", "True", { reason: "PodCompleted" });
  else if (incomplete.length === 0 || hasBegun) conditions.set("Initialized", "True");
  else
    conditions.set("Initialized", "False", {
      reason: "ContainersNotInitialized",
      message: `containers with incomplete status: ${names(incomplete)}`,
    });

  const containersReady = readiness(pod, phase, statusOf);
  const ready = containersReady.status === "True" ? gates(pod) : containersReady;
  conditions.set("Ready", ready.status, ready.why);
  conditions.set("ContainersReady", containersReady.status, containersReady.why);
  conditions.set("PodScheduled", "True");
  return conditions.list;
}

interface Readiness {
  status: "True" | "False";
  why: { reason?: string; message?: string };
}

function readiness(
  pod: Pod,
  phase: Phase,
  statusOf: (container: { name: string }) => ContainerStatus | undefined,
): Readiness {
  if (phase === "Succeeded") return { status: "False", why: { reason: "PodCompleted" } };
  if (phase === "Failed") return { status: "False", why: { reason: "PodFailed" } };
  const all = [...initContainersOf(pod).filter(isSidecar), ...mainContainersOf(pod)];
  const unready = all.filter((container) => !statusOf(container)?.ready);
  if (unready.length === 0) return { status: "True", why: {} };
  const message = `containers with unready status: ${names(unready)}`;
  return { status: "False", why: { reason: "ContainersNotReady", message } };
}

/** Conditions that others set, and that the pod waits for. */
function gates(pod: Pod): Readiness {
  const messages = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType: type }) => {
    const condition = pod.status?.conditions?.find((one) => one.type === type);
    if (!condition) return [`corresponding condition of pod readiness gate "${type}" does not exist.`];
    if (condition.status === "True") return [];
    return [`the status of pod readiness gate "${type}" is not "True", but ${condition.status}`];
  });
  if (messages.length === 0) return { status: "True", why: {} };
  return { status: "False", why: { reason: "ReadinessGatesNotReady", message: messages.join(", ") } };
}

/** As Go prints a list. */
function names(containers: readonly { name: string }[]): string {
  return `[${containers.map(({ name }) => name).join(" ")}]`;
}
