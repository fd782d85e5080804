/** What is told when the status of a Cluster changes. Pure. */
import type { ClusterPhase, ClusterStatus } from "@berg/resources";
import { conditionTypes, eventReasons, texts } from "./vocabulary.ts";

export interface ClusterEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

const { clusterProvisioned, clusterHealthy, reachable, deprovisioned } = conditionTypes;

/** Of each phase: the conditions that may say why. The first that is there, and for a warning false, does. */
const told: Record<ClusterPhase, { type: ClusterEvent["type"]; because: readonly string[] }> = {
  Pending: { type: "Normal", because: [clusterProvisioned] },
  Provisioning: { type: "Normal", because: [clusterProvisioned] },
  Ready: { type: "Normal", because: [clusterProvisioned] },
  Updating: { type: "Normal", because: [clusterHealthy] },
  Degraded: { type: "Warning", because: [reachable, clusterHealthy] },
  Failed: { type: "Warning", because: [reachable, clusterProvisioned, clusterHealthy] },
  Deleting: { type: "Normal", because: [deprovisioned] },
};

export function eventsOf(before: ClusterStatus | undefined, after: ClusterStatus): ClusterEvent[] {
  return [...phaseEvents(before, after), ...administratorsLeft(before, after)];
}

function phaseEvents(before: ClusterStatus | undefined, after: ClusterStatus): ClusterEvent[] {
  const { phase } = after;
  if (phase === undefined || phase === before?.phase) return [];
  const { type, because } = told[phase];
  const conditions = because.flatMap((name) => after.conditions?.find((one) => one.type === name) ?? []);
  const message = conditions.find(({ status }) => type === "Normal" || status === "False")?.message ?? phase;
  return [{ type, reason: eventReasons.phase(phase), message }];
}

/** Of one that was brought along: a Shoot stays the same whatever its address is. */
function administratorsLeft(before: ClusterStatus | undefined, after: ClusterStatus): ClusterEvent[] {
  const { apiServerURL: server, administrators = [], shootRef } = before ?? {};
  const isElsewhere = after.apiServerURL !== undefined && after.apiServerURL !== server;
  if (server === undefined || administrators.length === 0 || shootRef || !isElsewhere) return [];
  const message = texts.administratorsLeft(server, administrators.length);
  return [{ type: "Warning", reason: eventReasons.orphanedAccess, message }];
}
