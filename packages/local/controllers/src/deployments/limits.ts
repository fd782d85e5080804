/** How far a rollout may stray from the number of pods that is asked for. */
import type { Deployment } from "@berg/kube";

export interface Limits {
  replicas: number;
  /** How many pods more than that there may be. */
  maxSurge: number;
  /** How many of them may be missing. */
  maxUnavailable: number;
}

export function limitsOf(deployment: Deployment): Limits {
  const { spec } = deployment;
  const replicas = spec?.replicas ?? 1;
  if (!isRolling(deployment)) return { replicas, maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge, maxUnavailable } = spec?.strategy?.rollingUpdate ?? {};
  const surge = scaled(maxSurge, replicas, Math.ceil);
  const unavailable = scaled(maxUnavailable, replicas, Math.floor);
  // Both may be zero by rounding alone. One pod less then, since one more might not fit into the quota.
  const least = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { replicas, maxSurge: surge, maxUnavailable: Math.min(least, replicas) };
}

export function isRolling({ spec }: Deployment): boolean {
  return spec?.strategy?.type !== "Recreate";
}

function scaled(value: string | number | undefined, of: number, round: (value: number) => number): number {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value ?? "0%");
  return percent ? round((Number(percent[1]) * of) / 100) : 0;
}
