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
