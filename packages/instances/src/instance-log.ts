/**
 * The log of instances: one line for each change of phase or reason, and for each change of an expiry. The fields are
 * names, ids, reasons and durations: never the message of a status, which may quote others, and never a flag.
 */
import { formatDuration, parseTime, type Stored } from "@berg/apimachinery";
import { type Logger, version } from "@berg/kube";
import type { ChallengeInstance, ChallengeInstanceStatus } from "@berg/resources";
import type { Settings } from "./settings/settings.ts";

/** `instance` is as it was before `status` was written. */
export function logStatusChange(
  log: Logger,
  instance: Stored<ChallengeInstance>,
  status: ChallengeInstanceStatus,
): void {
  const { metadata, spec, status: before = {} } = instance;
  const { instanceId, phase, reason, terminationReason } = status;
  const subject = {
    instance: `${metadata.namespace}/${metadata.name}`,
    instanceId,
    owner: spec.ownerId,
    challenge: spec.challengeRef.name,
  };
  for (const { reason, expiresAt } of newEntries(before, status)) {
    log.info({ ...subject, reason, expiresAt }, "instance expiry changed");
  }
  const { restarts = 0 } = status;
  if (restarts > (before.restarts ?? 0)) log.info({ ...subject, restarts }, "instance restarted");
  if (phase === before.phase && reason === before.reason) return;
  const isFirstReady = before.readyAt === undefined && status.readyAt !== undefined;
  const isLast = before.terminatedAt === undefined && status.terminatedAt !== undefined;
  const fields = {
    ...subject,
    phase,
    previousPhase: before.phase,
    reason,
    terminationReason,
    ...(isFirstReady && { secondsToRunning: secondsBetween(status.startedAt, status.readyAt) }),
    ...(isLast && { lifetimeSeconds: secondsBetween(status.startedAt, status.terminatedAt) }),
  };
  log.info(fields, phase === before.phase ? "instance reason changed" : "instance phase changed");
}

/** Which version runs, and with which settings: none of them is a secret. */
export function logStart(log: Logger, { expiry, ...settings }: Settings): void {
  const { timeout, maxRenewals, warning } = expiry;
  const readable = {
    timeout: timeout === undefined ? "none" : formatDuration(timeout),
    maxRenewals,
    warning: formatDuration(warning),
  };
  log.info({ version, settings: { ...settings, expiry: readable } }, "instance controller starts");
}

/** The history is bounded, so that entries are compared and not counted. */
function newEntries(before: ChallengeInstanceStatus, { history = [] }: ChallengeInstanceStatus) {
  const known = new Set(before.history?.map((entry) => JSON.stringify(entry)));
  return history.filter((entry) => !known.has(JSON.stringify(entry)));
}

function secondsBetween(start: string | undefined, end: string | undefined): number | undefined {
  return start === undefined || end === undefined ? undefined : (parseTime(end) - parseTime(start)) / 1000;
}
