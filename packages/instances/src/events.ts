/** What people are told when a status changes: derived from the change alone, so that each is told once. */
import { type EventRecorder, findCondition } from "@berg/kube";
import type { ChallengeInstance, ChallengeInstanceStatus } from "@berg/resources";
import { type ConditionType, conditionTypes, endings, eventReasons, historyReasons, reasons } from "./vocabulary.ts";

export interface Told {
  type: "Normal" | "Warning";
  reason: string;
  message: string;
}

export function eventsOf(before: ChallengeInstanceStatus = {}, after: ChallengeInstanceStatus): Told[] {
  return [...ofPhase(before, after), ...ofTime(before, after), ...ofConditions(before, after)];
}

function ofPhase(before: ChallengeInstanceStatus, after: ChallengeInstanceStatus): Told[] {
  const { phase, reason, message = "", terminationReason } = after;
  if (phase === before.phase && reason === before.reason) return [];
  switch (phase) {
    case "Creating":
      return phase === before.phase ? [] : [normal(eventReasons.creating, "Creating challenge instance")];
    case "Running":
      if (before.readyAt === undefined) return [normal(eventReasons.ready, "Instance ready and accessible")];
      if (reason !== undefined) return [warning(eventReasons.unhealthy, message)];
      return before.reason === undefined ? [] : [normal(eventReasons.healthy, "All containers are ready again")];
    case "Terminating":
      return [normal(eventReasons.terminating, `Terminating due to ${endings[terminationReason ?? "UserRequest"]}`)];
    case "Failed":
      return [warning(failedReasons[reason ?? ""] ?? eventReasons.failed, message)];
    case "Pending":
      return reason === undefined ? [] : [normal(eventReasons.waiting, message)];
    case "Starting":
      return reason === undefined ? [] : [warning(startingReasons[reason] ?? eventReasons.unhealthy, message)];
    default:
      return [];
  }
}

const failedReasons: Record<string, string> = {
  [reasons.challengeMissing]: eventReasons.challengeMissing,
  [reasons.flagMissing]: eventReasons.flagMissing,
};

const startingReasons: Record<string, string> = {
  [reasons.imageCannotBePulled]: eventReasons.imageCannotBePulled,
};

function ofTime(before: ChallengeInstanceStatus, after: ChallengeInstanceStatus): Told[] {
  const told: Told[] = [];
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
