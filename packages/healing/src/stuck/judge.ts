/** Whether a pod is stuck: a pure function of the pod, of since when it has its trouble, and of the time. */
import { parseTime } from "@berg/apimachinery";
import { findCondition, type Pod } from "@berg/kube";
import type { ListenerSettings } from "../settings/listener.ts";
import type { StuckReason } from "../vocabulary.ts";
import { probeAllowanceMs } from "./probe-allowance.ts";
import { type Trouble, troubleOf } from "./trouble.ts";

export type Thresholds = Pick<
  ListenerSettings,
  "youngMs" | "errorMs" | "crashes" | "creatingMs" | "notReadyMs" | "unschedulableMs"
>;

export type Verdict =
  /** Ready, and steadily so. */
  | { readonly is: "well" }
  /** Neither: it is on its way, or going, or in trouble that may still pass. */
  | { readonly is: "waiting"; readonly againAt?: number }
  | { readonly is: "stuck"; readonly kind: Trouble["kind"]; readonly reason: StuckReason; readonly message: string };

/**
 * A container that was started again so many times counts as well when it has run for this long. The controller, which
 * need not hear from us, waits longer.
 */
const steadyMs = 15_000;

/**
 * `firstSeen`: when the trouble that it has now was seen for the first time. All times in ms since 1970. Those in the pod
 * are by clocks of others, which may be wrong: they can make it stuck later than what was seen here, and never earlier.
 */
export function judge(pod: Pod, firstSeen: number, now: number, thresholds: Thresholds): Verdict {
  const trouble = troubleOf(pod);
  if (!trouble) return isGoing(pod) ? { is: "waiting" } : { is: "well" };
  if (trouble.kind === "unsteady") return unsteady(trouble, now, thresholds);
  const due = dueAt(trouble, pod, firstSeen, thresholds);
  if (due === undefined) return { is: "waiting" };
  const againAt = Math.max(due, createdAt(pod, firstSeen) + thresholds.youngMs);
  if (now < againAt) return { is: "waiting", againAt };
  const { kind, reason, message } = trouble;
  return { is: "stuck", kind, reason, message };
}

function isGoing({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined || status?.phase === "Succeeded";
}

function unsteady({ container }: Trouble, now: number, { crashes }: Thresholds): Verdict {
  const { restartCount = 0, state } = container ?? {};
  const steadyAt = timeOr(state?.running?.startedAt, now) + steadyMs;
  if (restartCount <= crashes || now >= steadyAt) return { is: "well" };
  return { is: "waiting", againAt: steadyAt };
}

/** From when on its trouble makes the pod stuck; undefined where time alone never does. */
function dueAt(trouble: Trouble, pod: Pod, firstSeen: number, limits: Thresholds): number | undefined {
  const { container } = trouble;
  switch (trouble.kind) {
    case "failed":
      // Whoever replaces it needs a moment.
      return firstSeen + limits.youngMs;
    case "unschedulable":
      return Math.max(conditionTime(pod, "PodScheduled"), firstSeen) + limits.unschedulableMs;
    case "error":
      return firstSeen + limits.errorMs;
    case "crashing":
      return (container?.restartCount ?? 0) > limits.crashes ? 0 : undefined;
    case "creating":
      return creatingSince(pod, firstSeen) + limits.creatingMs;
    case "not-ready":
      return notReadySince(trouble, pod, firstSeen) + limits.notReadyMs;
    case "unsteady":
      return undefined;
  }
}

/** A pod that runs has been made before: then only what was seen counts. */
function creatingSince(pod: Pod, firstSeen: number): number {
  if (pod.status?.phase === "Running") return firstSeen;
  return Math.max(createdAt(pod, firstSeen), conditionTime(pod, "PodScheduled"), firstSeen);
}

/** The later of two: when its probes had their time, and when it was last ready. */
function notReadySince({ container }: Trouble, pod: Pod, firstSeen: number): number {
  const startedAt = timeOr(container?.state?.running?.startedAt, firstSeen);
  const probesHadTime = startedAt + probeAllowanceMs(pod, container?.name);
  const wasReadyAt = conditionTime(pod, "Ready");
  // Both are by the clock of its node: however wrong that is, the time between them is right.
  const probesNeed = Math.max(0, probesHadTime - Math.max(startedAt, wasReadyAt));
  return Math.max(probesHadTime, wasReadyAt, firstSeen + probesNeed);
}

function createdAt({ metadata }: Pod, firstSeen: number): number {
  return timeOr(metadata.creationTimestamp, firstSeen);
}

function conditionTime({ status }: Pod, type: string): number {
  return timeOr(findCondition(status?.conditions, type)?.lastTransitionTime, 0);
}

/** A time that was never set is written as null. */
function timeOr(time: string | null | undefined, otherwise: number): number {
  return time ? parseTime(time) : otherwise;
}
