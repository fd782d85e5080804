/** Containers that a node stops again and again, because they fill its disk or memory: their instance has failed. */
import { findCondition, type Pod } from "@berg/kube";
import { onOurClock, type Snapshot } from "../observe/snapshot.ts";

/** One may be bad luck, and a second one a player who tries it again. */
const most = 2;
const windowMs = 30 * 60_000;

/**
 * Until when the pods of one container count as evicted again and again; undefined where they do not. Between two
 * evictions a pod may be ready for a while, and its owner must not be told each time that all is well.
 */
export function evictedUntil(seen: Snapshot, pods: readonly Pod[]): number | undefined {
  const times = pods
    .filter(({ status }) => status?.phase === "Failed" && status.reason === "Evicted")
    .map((pod) => onOurClock(seen, evictedAt(pod)))
    .sort((one, other) => other - one);
  const decisive = times[most];
  if (decisive === undefined || decisive + windowMs <= seen.now) return undefined;
  return decisive + windowMs;
}

/** When it ceased to be ready, or was made where it never was. */
function evictedAt({ metadata, status }: Pod): string {
  const ready = findCondition(status?.conditions, "Ready")?.lastTransitionTime;
  return ready ?? metadata.creationTimestamp ?? "";
}
