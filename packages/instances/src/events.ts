/** What people are told when a status changes: derived from the change alone, so that each is told once. */
import { jsonEqual } from "@berg/apimachinery";
import { type EventRecorder, findCondition, isConditionTrue } from "@berg/kube";
import type { ChallengeInstance, ChallengeInstanceStatus, TerminationReason } from "@berg/resources";
import { type ConditionType, conditionTypes, endings, eventReasons, historyReasons, reasons } from "./vocabulary.ts";

export interface Told {
  type: "Normal" | "Warning";
  reason: string;
  message: string;
}

export function eventsOf(before: ChallengeInstanceStatus = {}, after: ChallengeInstanceStatus): Told[] {
  return [
    ...ofRestart(before, after),
    ...ofPhase(before, after),
    ...ofTime(before, after),
    ...ofConditions(before, after),
  ];
}

function ofRestart(before: ChallengeInstanceStatus, after: ChallengeInstanceStatus): Told[] {
  return isRestarted(before, after) ? [normal(eventReasons.restarted, restartedText)] : [];
}

/** Asked for before there were pods, it changes nothing. */
function isRestarted(before: ChallengeInstanceStatus, after: ChallengeInstanceStatus): boolean {
  const hadPods = isConditionTrue(before.conditions, conditionTypes.deploymentsCreated);
  return hadPods && (after.restarts ?? 0) > (before.restarts ?? 0);
}

const restartedText = "Restarting: the containers are replaced; flag, addresses and expiry stay";

function ofPhase(before: ChallengeInstanceStatus, after: ChallengeInstanceStatus): Told[] {
  const { phase, reason, message = "", terminationReason } = after;
  if (phase === before.phase && reason === before.reason) return [];
  // No longer stuck, and not well yet: the trouble was told of, and its end will be.
  const isBetter = before.phase === "Failed";
  switch (phase) {
    case "Creating":
      if (phase !== before.phase) return [normal(eventReasons.creating, "Creating challenge instance")];
      return reason === undefined || untold.has(reason) ? [] : [warning(eventReasons.refused, message)];
    case "Running":
      if (reason === reasons.waitingForPods && isRestarted(before, after)) return [];
      return ofRunning(before, after, isBetter);
    case "Terminating":
    case "Terminated":
      // What has nothing to take away ends at once.
      return before.terminationReason === undefined ? [ofEnding(terminationReason)] : [];
    case "Failed":
      return [warning(failedReasons[reason ?? ""] ?? eventReasons.failed, message)];
    case "Pending":
      if (reason === undefined || untold.has(reason)) return [];
      return [refusals.has(reason) ? warning(eventReasons.refused, message) : normal(eventReasons.waiting, message)];
    case "Starting":
      if (reason === undefined || isBetter || untold.has(reason)) return [];
      return [warning(startingReasons[reason] ?? eventReasons.unhealthy, message)];
    default:
      return [];
  }
}

/** Why no gateway leads to the instance is the event of its condition. */
function ofRunning(
  before: ChallengeInstanceStatus,
  { reason, message = "" }: ChallengeInstanceStatus,
  isBetter: boolean,
) {
  const isReachable = reason !== reasons.routeNotAccepted;
  if (before.readyAt === undefined) return [normal(eventReasons.ready, isReachable ? readyText : notReachableText)];
  if (reason !== undefined && isReachable) return isBetter ? [] : [warning(eventReasons.unhealthy, message)];
  if (before.reason === reasons.routeNotAccepted) return [normal(eventReasons.healthy, readyText)];
  return before.reason === undefined ? [] : [normal(eventReasons.healthy, "All containers are ready again")];
}

const readyText = "Instance ready and accessible";
const notReachableText = "All containers are ready; the gateway does not accept the routes of the instance";

/** Trouble of the server itself, which goes away without anybody's doing; and what its own condition tells of. */
const untold: ReadonlySet<string> = new Set([reasons.tooManyRequests, reasons.serverError, reasons.kindMissing]);

/** Somebody has to do something about these. */
const refusals: ReadonlySet<string> = new Set([reasons.quotaExceeded, reasons.forbidden, reasons.refused]);

const failedReasons: Record<string, string> = {
  [reasons.challengeMissing]: eventReasons.challengeMissing,
  [reasons.flagMissing]: eventReasons.flagMissing,
};

const startingReasons: Record<string, string> = {
  [reasons.imageCannotBePulled]: eventReasons.imageCannotBePulled,
  [reasons.nameConflict]: eventReasons.refused,
  ...Object.fromEntries([...refusals].map((reason) => [reason, eventReasons.refused])),
};

function ofEnding(reason: TerminationReason = "UserRequest"): Told {
  return normal(eventReasons.terminating, `Terminating due to ${endings[reason].dueTo}`);
}

function ofTime(before: ChallengeInstanceStatus, after: ChallengeInstanceStatus): Told[] {
  const told: Told[] = [];
  for (const entry of after.history ?? []) {
    if (before.history?.some((known) => jsonEqual(known, entry))) continue;
    const { reason, message = "" } = entry;
    if (reason === historyReasons.timeoutChanged) told.push(normal(eventReasons.expiryMoved, message));
    if (reason === historyReasons.timeoutRefused) told.push(warning(eventReasons.timeoutRefused, message));
    if (reason === historyReasons.admitted) told.push(normal(eventReasons.expiryMoved, message));
    if (reason === historyReasons.limited) told.push(warning(eventReasons.expiryMoved, message));
  }
  const latest = after.history?.at(-1);
  if (latest && (after.renewals ?? 0) > (before.renewals ?? 0)) {
    const { message = "" } = latest;
    if (latest.reason === historyReasons.renewed) told.push(normal(eventReasons.renewed, message));
    else told.push(warning(eventReasons.renewalRefused, message));
  }
  if (after.expiresSoon && !before.expiresSoon && after.terminationReason === undefined) {
    told.push(warning(eventReasons.expiringSoon, `This instance ends at ${after.expiresAt}`));
  }
  return told;
}

/** What a condition says that the phase does not. */
function ofConditions(before: ChallengeInstanceStatus, after: ChallengeInstanceStatus): Told[] {
  const told: Told[] = [];
  const watched: [ConditionType, string, string][] = [
    ...[...refusals].flatMap((reason): [ConditionType, string, string][] => [
      [conditionTypes.namespaceDeleted, reason, eventReasons.refused],
      [conditionTypes.healthy, reason, eventReasons.refused],
    ]),
    [conditionTypes.networkPolicyCreated, reasons.kindMissing, eventReasons.kindMissing],
    [conditionTypes.routesCreated, reasons.kindMissing, eventReasons.kindMissing],
    [conditionTypes.routesCreated, reasons.routeNotAccepted, eventReasons.routeNotAccepted],
    [conditionTypes.namespaceDeleted, reasons.namespaceStuck, eventReasons.namespaceStuck],
  ];
  for (const [type, reason, event] of watched) {
    const now = findCondition(after.conditions, type);
    if (now?.reason !== reason || findCondition(before.conditions, type)?.reason === reason) continue;
    told.push(warning(event, now.message ?? ""));
  }
  return told;
}

function normal(reason: string, message: string): Told {
  return { type: "Normal", reason, message };
}

function warning(reason: string, message: string): Told {
  return { type: "Warning", reason, message };
}

export function tell(recorder: EventRecorder, instance: ChallengeInstance, events: Told[]): void {
  for (const { type, reason, message } of events) recorder.event(instance, type, reason, message);
}
