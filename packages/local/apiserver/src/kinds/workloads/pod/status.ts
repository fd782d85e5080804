/** What the server itself says in the status of a pod. */
import { formatTime } from "@berg/apimachinery";
import type { PodSpec, PodStatus } from "../types.ts";

export function newStatus(spec: PodSpec, qosClass: string, now: number): PodStatus {
  const status: PodStatus = { phase: "Pending", qosClass };
  if (spec.schedulingGates)
    status.conditions = [
      {
        type: "PodScheduled",
        status: "False",
        reason: "SchedulingGated",
        message: "Scheduling is blocked due to non-empty scheduling gates",
        lastProbeTime: null,
        lastTransitionTime: formatTime(now),
      },
    ];
  return status;
}

/** A pod has one address, and since some can have two, a list of them as well. Where they differ, the one wins. */
export function fillInAddresses(status: PodStatus): void {
  const { podIP, podIPs } = status;
  if (podIP && podIPs?.[0]?.ip !== podIP) status.podIPs = [{ ip: podIP }];
  else if (podIPs?.[0]) status.podIP = podIPs[0].ip;
}

/** A client that knows nothing of generations, or of the quality of service, does not unsay them. */
export function keepGenerations(status: PodStatus, old: PodStatus): void {
  if (!status.qosClass && old.qosClass) status.qosClass = old.qosClass;
  if (!status.observedGeneration && old.observedGeneration) status.observedGeneration = old.observedGeneration;
  const before = [...(old.conditions ?? [])];
  for (const condition of status.conditions ?? []) {
    const index = before.findIndex(({ type }) => type === condition.type);
    const [same] = index < 0 ? [] : before.splice(index, 1);
    if (!condition.observedGeneration && same?.observedGeneration)
      condition.observedGeneration = same.observedGeneration;
  }
}
