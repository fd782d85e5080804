/** What the pages tell about an instance. */
import type { Instance } from "@berg/api/wire";

export type InstanceState = "none" | "starting" | "running" | "stopping" | "failed";

/** The numbers of `Instance.status`. Repeated from wire.ts, as importing its values would bring zod into the bundle. */
const status = { starting: 1, running: 2, terminating: 3 } as const;

/** A failed instance has status 0, as in the original platform, and keeps its name until it is replaced or stopped. */
export function stateOf(instance: Instance | null | undefined): InstanceState {
  if (!instance || instance.name === "") return "none";
  if (instance.status === status.terminating) return "stopping";
  if (instance.phase === "Failed") return "failed";
  if (instance.status === status.running) return "running";
  if (instance.status === status.starting) return "starting";
  return "none";
}

/** Milliseconds until it is stopped; undefined where it has no end. */
export function timeLeft(instance: Instance, serverNow: number): number | undefined {
  return instance.timeout === null ? undefined : Date.parse(instance.timeout) - serverNow;
}

const longestWarningMs = 10 * 60_000;

/**
 * Whether to warn that it stops soon: in its last ten minutes, or in the last quarter of a shorter life, so that a short one
 * is not under a warning all the time.
 */
export function isEnding(instance: Instance, serverNow: number): boolean {
  const left = timeLeft(instance, serverNow);
  if (left === undefined || instance.timeout === null) return false;
  const life = instance.startedAt === null ? Infinity : Date.parse(instance.timeout) - Date.parse(instance.startedAt);
  return left <= Math.min(longestWarningMs, life / 4);
}
