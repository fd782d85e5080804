/**
 * A `spec.timeout` that was changed, set or removed while the instance lives. It counts from where the current expiry was
 * counted: the start of the instance (or its admission, if it had to wait), or its last renewal; never past `until`.
 * Unlike a renewal it may also shorten a life. A Challenge or a setting that changes moves no expiry.
 *
 * `status.timeout` is the value that was answered last. A value that cannot be used is answered too: the expiry stays.
 */
import { formatTime } from "@berg/apimachinery";
import { type ChallengeInstanceStatus, countedFrom, historyReasons } from "@berg/resources";
import type { ExpirySettings } from "../settings/settings.ts";
import { expiryAt, expiryOf, withExpiry, withTimeout } from "./expiry.ts";
import { effectiveTimeout, effectiveUntil, type TimedChallenge, type TimedInstance } from "./limits.ts";
import { expiryTexts } from "./texts.ts";

/** Objects carry whole seconds, and an expiry is rounded up: what was counted anew may differ by one. */
const roundingMs = 1000;

/** The status with the expiry that follows from the timeout. Undefined where the timeout has not changed. */
export function withChangedTimeout(
  status: ChallengeInstanceStatus,
  instance: TimedInstance,
  challenge: TimedChallenge | undefined,
  settings: ExpirySettings,
  now: number,
): ChallengeInstanceStatus | undefined {
  const from = countedFrom(status);
  if (from === undefined || (status.timeout ?? "") === (instance.timeout ?? "")) return undefined;
  const answered = withTimeout(status, instance);
  const current = expiryOf(status);
  const { timeout, problem } = effectiveTimeout(instance, challenge, settings);
  if (problem) {
    const message = expiryTexts.timeoutRefused(status.expiresAt, problem.message);
    return withExpiry(answered, current, { reason: historyReasons.timeoutRefused, message }, settings, now);
  }
  const until = effectiveUntil(instance, challenge);
  const end = expiryAt(from, timeout, until);
  // Also an instance of an earlier version of Berg, which did not write down what it had answered.
  if (end === current || Math.abs((end ?? Infinity) - (current ?? Infinity)) <= roundingMs) return answered;
  const isLimited = end !== undefined && end === expiryAt(from, undefined, until);
  const message = expiryTexts.timeoutChanged(end === undefined ? undefined : formatTime(end), isLimited);
  return withExpiry(answered, end, { reason: historyReasons.timeoutChanged, message }, settings, now);
}
