/**
 * The listener has found that the containers do not get well by themselves. Nothing is taken down for that: what was made
 * is looked after as before, and the instance keeps its place until it is well again, or ends.
 */
import { findCondition } from "@berg/kube";
import { foreignConditions } from "@berg/resources";
import type { Snapshot } from "../observe/snapshot.ts";
import type { PodHealth } from "./pod-health.ts";

/** In the listener's words. */
export interface Verdict {
  reason: string;
  message: string;
}

/** Undefined also where all containers are ready: whoever said so may be gone, and cannot take it back. */
export function verdictOf({ instance }: Snapshot, health: PodHealth): Verdict | undefined {
  const stuck = findCondition(instance.status?.conditions, foreignConditions.stuck);
  if (health.ready || stuck?.status !== "True") return undefined;
  return { reason: stuck.reason || health.reason, message: stuck.message || health.message };
}
