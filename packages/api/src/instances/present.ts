/** The instance of an owner as its row and its ChallengeInstance show it. Pure. */
import { parseTime, type Stored } from "@berg/apimachinery";
import type { ChallengeInstance, ChallengeInstanceStatus } from "@berg/resources";
import type { InstanceRow } from "../database/schema.ts";
import { type Instance, instanceStatus, type Service, type Stage } from "../wire.ts";

export interface Presented {
  row: Pick<InstanceRow, "id" | "owner_id" | "started_by" | "challenge_name" | "started_at" | "stop_requested_at">;
  /** Undefined before it is created, and once it is gone. */
  object: ChallengeInstance | undefined;
  recipientId: string;
  maxRenewals: number;
  /** Staff reads what authors have to change. Players read that they have: the details show how the challenge is made. */
  isForStaff?: boolean;
}

/** Reasons whose messages quote the Challenge or the cluster. */
const reasonsForAuthors = ["ChallengeInvalid", "ManifestRefused", "InternalError"];
const faultMessage = "The challenge has a fault that only its author can mend. The organisers can read the details.";

/** Where nothing runs. Clients tell it by its empty name. */
export function emptyInstance(recipientId: string): Instance {
  return {
    id: null,
    playerId: recipientId,
    name: "",
    status: instanceStatus.none,
    services: [],
    timeout: null,
    startedAt: null,
    terminatedAt: null,
    ownerId: recipientId,
    startedBy: null,
    phase: "",
    reason: null,
    message: null,
    readyAt: null,
    renewalsLeft: 0,
    stages: [],
  };
}

export function presentInstance({ row, object, recipientId, maxRenewals, isForStaff }: Presented): Instance {
  const status = object?.status ?? {};
  const isStopping = isTerminating(row, object);
  return {
    id: row.id,
    playerId: recipientId,
    name: row.challenge_name,
    status: isStopping ? instanceStatus.terminating : statusNumber(status),
    services: isStopping ? [] : (status.services ?? []).map(presentService),
    timeout: timeOf(status.expiresAt),
    startedAt: iso(row.started_at),
    terminatedAt: null,
    ownerId: row.owner_id,
    startedBy: row.started_by,
    phase: isStopping ? "Terminating" : (status.phase ?? "Requested"),
    reason: isStopping ? null : (status.reason ?? null),
    message: isStopping ? null : messageOf(status, isForStaff),
    readyAt: timeOf(status.readyAt),
    renewalsLeft: Math.max(0, maxRenewals - (status.renewals ?? 0)),
    stages: stagesOf(row, status),
  };
}

/** A ChallengeInstance that has no row, as organisers see it: somebody else created it, and the owner has another one. */
export function presentWithoutRow(object: Stored<ChallengeInstance>): Instance {
  const { spec, metadata, status } = object;
  const row = {
    id: status?.instanceId ?? metadata.uid,
    owner_id: spec.ownerId,
    started_by: spec.ownerId,
    challenge_name: spec.challengeRef.name,
    started_at: parseTime(status?.startedAt ?? metadata.creationTimestamp ?? ""),
    stop_requested_at: null,
  };
  return presentInstance({ row, object, recipientId: spec.ownerId, maxRenewals: 0, isForStaff: true });
}

/** One that has ended, as clients of the original read it: without services, its status 0. */
export function presentEnded(row: InstanceRow): Instance {
  return {
    ...emptyInstance(row.owner_id),
    id: row.id,
    name: row.challenge_name,
    startedAt: iso(row.started_at),
    readyAt: row.ready_at === null ? null : iso(row.ready_at),
    terminatedAt: row.terminated_at === null ? null : iso(row.terminated_at),
    startedBy: row.started_by,
    phase: "Terminated",
    reason: row.termination_reason,
  };
}

export function isFailed(object: ChallengeInstance | undefined): boolean {
  return object?.status?.phase === "Failed";
}

function messageOf({ reason, message }: ChallengeInstanceStatus, isForStaff = false): string | null {
  return !isForStaff && reasonsForAuthors.includes(reason ?? "") ? faultMessage : (message ?? null);
}

function isTerminating(row: Presented["row"], object: ChallengeInstance | undefined): boolean {
  if (row.stop_requested_at !== null) return true;
  // Not in the cache: it was created a moment ago, or was deleted and the row ends with the next reconcile.
  if (!object) return false;
  const { phase } = object.status ?? {};
  return object.metadata.deletionTimestamp !== undefined || phase === "Terminating" || phase === "Terminated";
}

function statusNumber({ phase }: ChallengeInstanceStatus): number {
  if (phase === "Running") return instanceStatus.running;
  // It will not come up: clients of the original would show it as starting for ever.
  return phase === "Failed" ? instanceStatus.none : instanceStatus.starting;
}

function presentService({
  name,
  hostname,
  port,
  protocol,
  appProtocol,
  tls,
}: NonNullable<ChallengeInstanceStatus["services"]>[number]): Service {
  return {
    name,
    hostname,
    port,
    protocol: protocol === "UDP" ? "udp" : "tcp",
    appProtocol: (appProtocol ?? "tcp").toLowerCase(),
    tls: tls ?? false,
  };
}

function stagesOf(row: Presented["row"], status: ChallengeInstanceStatus): Instance["stages"] {
  const since = (type: string) => {
    const condition = status.conditions?.find((one) => one.type === type);
    return condition?.status === "True" ? timeOf(condition.lastTransitionTime) : null;
  };
  const at: Record<Stage, string | null> = {
    requested: iso(row.started_at),
    accepted: since("Admitted"),
    namespace: since("NamespaceCreated"),
    workloads: since("DeploymentsCreated"),
    ready: timeOf(status.readyAt),
  };
  return Object.entries(at).map(([stage, time]) => ({ stage: stage as Stage, at: time }));
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function timeOf(text: string | undefined): string | null {
  return text === undefined ? null : iso(parseTime(text));
}
