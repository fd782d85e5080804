/**
 * More time for an instance. Whoever asks raises `spec.renewals`; `status.renewals` tells how many have been answered.
 *
 * - Renewals are numbered: up to `maxRenewals` they are granted, above it refused. Several that come at once are one
 *   extension, and each of them counts.
 * - The time is counted from now with what the Challenge says now, never past `until`. It is never shortened by a
 *   renewal: where the Challenge's timeout has become shorter, the later end stays, and the renewal is refused.
 * - A refusal is an answer too, with its reason in `status.history`.
 */
import { formatTime } from "@berg/apimachinery";
import { type ChallengeInstanceSpec, type ChallengeInstanceStatus, historyReasons } from "@berg/resources";
import type { ExpirySettings } from "../settings/settings.ts";
import { isExpired } from "./due.ts";
import { expiryAt, expiryOf, withExpiry } from "./expiry.ts";
import { effectiveTimeout, effectiveUntil, type TimedChallenge, type TimedInstance } from "./limits.ts";
import { expiryTexts } from "./texts.ts";

export type RenewableInstance = TimedInstance & Pick<ChallengeInstanceSpec, "renewals" | "terminationReason">;

/** The status with the answer to what was asked. Undefined where nothing was, or the instance has ended or is about to. */
export function renewed(
  status: ChallengeInstanceStatus,
  instance: RenewableInstance,
  challenge: TimedChallenge | undefined,
  settings: ExpirySettings,
  now: number,
): ChallengeInstanceStatus | undefined {
  const answered = status.renewals ?? 0;
  if (status.startedAt === undefined || instance.renewals <= answered) return undefined;
  if (isEnding(status, instance) || isExpired(status, now)) return undefined;

  const until = expiryAt(now, undefined, effectiveUntil(instance, challenge));
  const current = earlier(expiryOf(status), until);
  const end = current === undefined ? undefined : formatTime(current);
  const answer = (reason: string, next: number | undefined, message: string) =>
    withExpiry({ ...status, renewals: instance.renewals }, next, { reason, message }, settings, now);
  const refuse = (message: string) => answer(historyReasons.renewalRefused, current, message);

  if (answered >= settings.maxRenewals) return refuse(expiryTexts.usedUp(end, settings.maxRenewals));
  const { timeout, problem } = effectiveTimeout(instance, challenge, settings);
  if (problem) return refuse(expiryTexts.cannotCount(end, problem.message));
  const next = expiryAt(now, timeout, until);
  if (!isLater(next, current)) {
    return refuse(
      current !== undefined && current === until ? expiryTexts.latestEnd(formatTime(until)) : expiryTexts.noGain(end),
    );
  }
  const renewal = Math.min(instance.renewals, settings.maxRenewals);
  const text = expiryTexts.renewed(next === undefined ? undefined : formatTime(next), renewal, settings.maxRenewals);
  return answer(historyReasons.renewed, next, text);
}

function isEnding(status: ChallengeInstanceStatus, instance: RenewableInstance): boolean {
  return (
    instance.terminationReason !== undefined ||
    status.terminationReason !== undefined ||
    status.phase === "Terminating" ||
    status.phase === "Terminated"
  );
}

// No end at all is the latest.
function isLater(end: number | undefined, than: number | undefined): boolean {
  return (end ?? Number.POSITIVE_INFINITY) > (than ?? Number.POSITIVE_INFINITY);
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return isLater(one, other) ? other : one;
}
