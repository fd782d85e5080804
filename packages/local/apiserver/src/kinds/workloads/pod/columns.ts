/** What `kubectl get pods` shows: how many containers are ready, and in one word how the pod is. */

import type { AnyObject, Column, RowCondition } from "../../../registry/resource.ts";
import { ageColumn, nameColumn, since } from "../../columns.ts";
import { asA, type ContainerState, type ContainerStatus, type Pod } from "../types.ts";

interface Summary {
  ready: number;
  total: number;
  reason: string;
  restarts: number;
  /** RFC 3339, so that they sort as texts; `""` where there was none. */
  lastRestart: string;
}

/** A bookmark is a pod with nothing in it. */
export function podRowConditions(object: AnyObject): RowCondition[] {
  const { phase = "" } = asA<Partial<Pod>>(object).status ?? {};
  const message = { Succeeded: "The pod has completed successfully.", Failed: "The pod failed." }[phase];
  return message === undefined ? [] : [{ type: "Completed", status: "True", reason: phase, message }];
}

export const podColumns: readonly Column[] = [
  nameColumn,
  {
    name: "Ready",
    type: "string",
    description: "The aggregate readiness state of this pod for accepting traffic.",
    priority: 0,
    value: (object) => {
      const { ready, total } = summarize(asA<Pod>(object));
      return `${ready}/${total}`;
    },
  },
  {
    name: "Status",
    type: "string",
    description: "The aggregate status of the containers in this pod.",
    priority: 0,
    value: (object) => summarize(asA<Pod>(object)).reason,
  },
  {
    name: "Restarts",
    type: "string",
    description:
      "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.",
    priority: 0,
    value: (object, now) => {
      const { restarts, lastRestart } = summarize(asA<Pod>(object));
      return restarts > 0 && lastRestart ? `${restarts} (${since(lastRestart, now)} ago)` : `${restarts}`;
    },
  },
  ageColumn,
  wide("IP", "The first address of the pod.", ({ status }) => status.podIPs?.[0]?.ip),
  wide("Node", "Where the pod runs.", ({ spec }) => spec.nodeName),
  wide("Nominated Node", "Where room is being made for the pod.", ({ status }) => status.nominatedNodeName),
  wide("Readiness Gates", "How many of the conditions that make the pod ready hold.", readinessGates),
];

function wide(name: string, description: string, value: (pod: Pod) => string | undefined): Column {
  return { name, type: "string", description, priority: 1, value: (object) => value(asA<Pod>(object)) || "<none>" };
}

function readinessGates({ spec, status }: Pod): string | undefined {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return undefined;
  const met = gates.filter(({ conditionType }) => {
    const condition = status.conditions?.find(({ type }) => type === conditionType);
    return condition?.status === "True";
  });
  return `${met.length}/${gates.length}`;
}

function summarize(pod: Pod): Summary {
  const { spec, status, metadata } = pod;
  const isGated = status.conditions?.some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  const sidecars = sidecarNames(pod);
  const starting: Summary = {
    ready: 0,
    total: (spec.containers ?? []).length + sidecars.size,
    reason: isGated ? "SchedulingGated" : status.reason || (status.phase ?? ""),
    restarts: 0,
    lastRestart: "",
  };
  const { isInitializing, ofSidecars } = summarizeStart(pod, sidecars, starting);
  const isInitialized = hasCondition(pod, "Initialized");
  if (!isInitializing || isInitialized) {
    Object.assign(starting, ofSidecars);
    summarizeRun(pod, starting);
  }
  const isOver = status.phase === "Succeeded" || status.phase === "Failed";
  if (metadata.deletionTimestamp && status.reason === "NodeLost") starting.reason = "Unknown";
  else if (metadata.deletionTimestamp && !isOver) starting.reason = "Terminating";
  return starting;
}

function sidecarNames({ spec }: Pod): Set<string> {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return new Set(sidecars.map(({ name }) => name));
}

type Restarts = Pick<Summary, "restarts" | "lastRestart">;

/** Init containers up to the first that is not done. Those that stay are counted as the others are, later on. */
function summarizeStart(
  pod: Pod,
  sidecars: ReadonlySet<string>,
  summary: Summary,
): { isInitializing: boolean; ofSidecars: Restarts } {
  const ofSidecars: Restarts = { restarts: 0, lastRestart: "" };
  for (const [index, container] of (pod.status.initContainerStatuses ?? []).entries()) {
    const isSidecar = sidecars.has(container.name);
    countRestarts(summary, container);
    if (isSidecar) countRestarts(ofSidecars, container);
    const { terminated, waiting } = container.state;
    if (terminated?.exitCode === 0) continue;
    if (isSidecar && container.started) {
      if (container.ready) summary.ready++;
      continue;
    }
    if (terminated) summary.reason = `Init:${endReason(terminated)}`;
    else if (waiting?.reason && waiting.reason !== "PodInitializing") summary.reason = `Init:${waiting.reason}`;
    else summary.reason = `Init:${index}/${(pod.spec.initContainers ?? []).length}`;
    return { isInitializing: true, ofSidecars };
  }
  return { isInitializing: false, ofSidecars };
}

function summarizeRun(pod: Pod, summary: Summary): void {
  let isRunning = false;
  let failure = "";
  for (const container of (pod.status.containerStatuses ?? []).toReversed()) {
    countRestarts(summary, container);
    const { waiting, terminated, running } = container.state;
    if (waiting?.reason) summary.reason = waiting.reason;
    else if (terminated) {
      summary.reason = endReason(terminated);
      if (terminated.exitCode !== 0) failure = summary.reason;
    } else if (container.ready && running) {
      isRunning = true;
      summary.ready++;
    }
  }
  if (summary.reason !== "Completed") return;
  if (isRunning && hasCondition(pod, "Ready")) summary.reason = "Running";
  else if (failure !== "") summary.reason = failure;
  else if (isRunning) summary.reason = "NotReady";
}

function countRestarts(summary: Restarts, { restartCount, lastState }: ContainerStatus): void {
  summary.restarts += restartCount;
  const finished = lastState.terminated?.finishedAt ?? "";
  if (finished > summary.lastRestart) summary.lastRestart = finished;
}

function endReason({ reason, signal, exitCode }: NonNullable<ContainerState["terminated"]>): string {
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
}

function hasCondition({ status }: Pod, wanted: string): boolean {
  return status.conditions?.some(({ type, status }) => type === wanted && status === "True") ?? false;
}
