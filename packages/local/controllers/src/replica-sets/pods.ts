/** What a pod counts as for whoever owns it. */
import { findCondition, isConditionTrue, type Pod } from "@berg/kube";

/** It runs, or will: not ended, and not on its way out. */
export function isActive(pod: Pod): boolean {
  return !hasEnded(pod) && !pod.metadata.deletionTimestamp;
}

export function hasEnded({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Deleted, and still running until its node says otherwise. */
export function isTerminating(pod: Pod): boolean {
  return !hasEnded(pod) && Boolean(pod.metadata.deletionTimestamp);
}

export function isReady({ status }: Pod): boolean {
  return isConditionTrue(status?.conditions, "Ready");
}

/** When it last became ready, in ms since 1970; undefined where it is not, or does not say. */
export function readySince(pod: Pod): number | undefined {
  if (!isReady(pod)) return undefined;
  const since = Date.parse(findCondition(pod.status?.conditions, "Ready")?.lastTransitionTime ?? "");
  return Number.isNaN(since) ? undefined : since;
}

/** In how many ms it will have been ready for long enough: 0 for now, infinity where it is not ready at all. */
export function availableInMs(pod: Pod, minReadySeconds: number, now: number): number {
  if (!isReady(pod)) return Number.POSITIVE_INFINITY;
  if (minReadySeconds === 0) return 0;
  const since = readySince(pod);
  return since === undefined ? Number.POSITIVE_INFINITY : Math.max(0, since + minReadySeconds * 1000 - now);
}
