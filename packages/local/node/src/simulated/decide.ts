/** What kubelet, or the scheduler where the simulator stands in for it, would do next about one pod. */
import type { Pod } from "@berg/kube";
import type { Behaviour } from "./behaviour.ts";
import { type Life, momentOf } from "./life.ts";
import { isTerminal, lostStatus, type Place, type PodStatus, statusOf, unscheduledStatus } from "./pod-status.ts";

export interface Situation {
  pod: Pod;
  behaviour: Behaviour;
  /** Since it is on its node; undefined before. */
  life: Life | undefined;
  /** Of the pod's node, where it is one of ours. */
  place: (Place & { isAlive: boolean }) | undefined;
  /** Where it may go next, or why it may go nowhere; undefined where a real scheduler decides. */
  chooseNode: (() => { node: string } | { message: string }) | undefined;
  /** When its end is due, once its deletion was asked for. */
  endsAt: number | undefined;
  now: number;
}

export type Step =
  | { do: "nothing" }
  | { do: "wait"; ms: number }
  | { do: "bind"; node: string }
  | { do: "write"; status: PodStatus }
  | { do: "remove" };

const nothing: Step = { do: "nothing" };

export function decide(situation: Situation): Step {
  const { pod, life, place, endsAt, now } = situation;
  // Whoever deletes a pod that has no node, or has ended, needs no kubelet.
  if (!pod.spec?.nodeName) return pod.metadata.deletionTimestamp ? nothing : schedule(situation);
  if (!place || !life) return nothing;
  if (!place.isAlive) return isTerminal(pod.status?.phase) ? nothing : write(pod, lostStatus(pod, now));
  if (pod.metadata.deletionTimestamp) return end(pod, endsAt ?? now, now);
  if (isTerminal(pod.status?.phase)) return nothing;

  const step = write(pod, statusOf(pod, life, place, now));
  if (step !== nothing) return step;
  const { until } = momentOf(life, now);
  return Number.isFinite(until) ? { do: "wait", ms: until - now } : nothing;
}

function schedule({ pod, behaviour, chooseNode, now }: Situation): Step {
  const isOther = (pod.spec?.schedulerName ?? "default-scheduler") !== "default-scheduler";
  if (!chooseNode || isOther || pod.spec?.schedulingGates?.length) return nothing;
  if (behaviour.kind === "unschedulable")
    return write(pod, unscheduledStatus(pod, behaviour.message ?? "0/1 nodes are available: 1 Insufficient cpu.", now));
  const choice = chooseNode();
  if ("node" in choice) return { do: "bind", node: choice.node };
  return write(pod, unscheduledStatus(pod, choice.message, now));
}

function end(pod: Pod, endsAt: number, now: number): Step {
  // kubelet has done its part; only a finalizer still holds the pod.
  if (pod.metadata.deletionGracePeriodSeconds === 0) return nothing;
  return now < endsAt ? { do: "wait", ms: endsAt - now } : { do: "remove" };
}

function write(pod: Pod, status: PodStatus): Step {
  return holds(pod.status, status) ? nothing : { do: "write", status };
}

/** Whether all that is wanted is there already; what the server added is no difference. */
export function holds(actual: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((item, index) => holds(actual[index], item))
    );
  if (typeof wanted !== "object" || wanted === null) return (actual ?? undefined) === (wanted ?? undefined);
  if (typeof actual !== "object" || actual === null) return Object.keys(wanted).length === 0;
  return Object.entries(wanted).every(([key, value]) => holds((actual as Record<string, unknown>)[key], value));
}
