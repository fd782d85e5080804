/**
 * The listener has found that the containers do not get well by themselves. Nothing is taken down for that: what was made
 * is looked after as before, and the instance keeps its place until it is well again, or ends.
 */
import { findCondition, type Pod } from "@berg/kube";
import { foreignConditions } from "@berg/resources";
import { onOurClock, type Snapshot } from "../observe/snapshot.ts";
import type { PodHealth } from "./pod-health.ts";

/** Longer than the listener waits: it is the one to say that all is well. */
const steadyMs = 30_000;

/** In the listener's words. */
export interface Verdict {
  reason: string;
  message: string;
}

/** Undefined also where all containers are ready: whoever said so may be gone, and cannot take it back. */
export function verdictOf(seen: Snapshot, health: PodHealth): Verdict | undefined {
  const stuck = stuckCondition(seen);
  if (health.ready || !stuck) return undefined;
  return { reason: stuck.reason || health.reason, message: stuck.message || health.message };
}

/**
 * From when on a pod that is ready is believed to be; undefined where it is already. Of an instance that is stuck, one
 * that ends again and again is ready for a moment each time, and its owner must not be told so each time.
 */
export function steadyAt(seen: Snapshot, { status }: Pod): number | undefined {
  if (!stuckCondition(seen)) return undefined;
  const again = (status?.containerStatuses ?? []).filter(({ restartCount }) => restartCount > 0);
  const starts = again.map(({ state }) => state?.running?.startedAt).filter((time) => time != null);
  const at = Math.max(0, ...starts.map((time) => onOurClock(seen, time))) + steadyMs;
  return seen.now < at ? at : undefined;
}

function stuckCondition({ instance }: Snapshot) {
  const stuck = findCondition(instance.status?.conditions, foreignConditions.stuck);
  return stuck?.status === "True" ? stuck : undefined;
}
