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

const firstReplacementMs = 10_000;
const longestReplacementMs = 300_000;

/**
 * In how many ms a pod may be made in the place of those that failed: 0 for now. Kubernetes makes it at once; there, pods
 * that their node refuses or evicts again and again become thousands of objects, and here the disk of one machine. The
 * first is replaced at once, each further one later, and none that lived for longer than the delay has to be waited for.
 */
export function replacementInMs(pods: readonly Pod[], now: number): number {
  const failed = pods.filter(({ status, metadata }) => status?.phase === "Failed" && !metadata.deletionTimestamp);
  if (failed.length < 2) return 0;
  const latest = Math.max(...failed.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? "") || 0));
  const delay = Math.min(longestReplacementMs, firstReplacementMs * 2 ** Math.min(failed.length - 2, 10));
  return Math.max(0, latest + delay - now);
}
