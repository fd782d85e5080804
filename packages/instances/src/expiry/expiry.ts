/**
 * When an instance ends by itself. No function here reads a clock: `now` is given in ms since 1970.
 *
 *     until │ timeout │ the instance ends
 *     ──────┼─────────┼──────────────────────────────
 *     none  │ none    │ never
 *     none  │ given   │ at now + timeout
 *     given │ none    │ at until
 *     given │ given   │ at the earlier of the two
 *
 * Objects carry whole seconds. A timeout is rounded up, so that nobody gets less than was promised, and `until` down,
 * so that nothing lives past it; what is decided later compares with the time that was written.
 */
import { type Duration, durationToMs, formatTime, parseTime } from "@berg/apimachinery";
import { type ChallengeInstanceStatus, historyReasons } from "@berg/resources";
import type { ExpirySettings } from "../settings/settings.ts";
import { warningIsDue } from "./due.ts";
import { withEntry } from "./history.ts";
import { effectiveTimeout, effectiveUntil, type TimedChallenge, type TimedInstance } from "./limits.ts";
import { expiryTexts } from "./texts.ts";

const secondMs = 1000;

/** In ms since 1970, always a whole second. */
export function expiryAt(from: number, timeout: Duration | undefined, until: number | undefined): number | undefined {
  const ends: number[] = [];
  if (timeout !== undefined) ends.push(Math.ceil((from + durationToMs(timeout)) / secondMs) * secondMs);
  if (until !== undefined) ends.push(Math.floor(until / secondMs) * secondMs);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** What an expiry is counted from: who asks for how much time, and when. */
type Count = [
  instance: TimedInstance,
  challenge: TimedChallenge | undefined,
  settings: ExpirySettings,
  /** ms since 1970. */
  now: number,
];

/** The first expiry. Renewals that the spec asks for already are answered next, as any others. */
export function started(status: ChallengeInstanceStatus, ...count: Count): ChallengeInstanceStatus {
  return counted({ ...status, renewals: 0 }, historyReasons.started, expiryTexts.started, count);
}

/** The expiry of an instance that had to wait before it could be made: no time is lost by waiting. */
export function restarted(status: ChallengeInstanceStatus, ...count: Count): ChallengeInstanceStatus {
  return counted(status, historyReasons.admitted, expiryTexts.admitted, count);
}

function counted(
  status: ChallengeInstanceStatus,
  reason: string,
  text: (expiresAt: string | undefined) => string,
  [instance, challenge, settings, now]: Count,
): ChallengeInstanceStatus {
  const { timeout, problem } = effectiveTimeout(instance, challenge, settings);
  // Where the timeout makes no sense the organiser's is used, so that the failed instance ends too.
  const end = expiryAt(now, problem ? settings.timeout : timeout, effectiveUntil(instance, challenge));
  const message = text(end === undefined ? undefined : formatTime(end));
  return withExpiry(withTimeout(status, instance), end, { reason, message }, settings, now);
}

/** The status that has answered the timeout of the spec: only a change of it is looked at again. */
export function withTimeout(status: ChallengeInstanceStatus, { timeout }: TimedInstance): ChallengeInstanceStatus {
  const { timeout: _, ...rest } = status;
  return timeout ? { ...rest, timeout } : rest;
}

/**
 * Holds a living instance to an `until` that was set or moved since its expiry was: nothing lives past it, renewed or
 * not. Undefined where there is nothing to change. An `until` that moves away gives no time by itself; a renewal does.
 */
export function limited(
  status: ChallengeInstanceStatus,
  instance: TimedInstance,
  challenge: TimedChallenge | undefined,
  settings: ExpirySettings,
  now: number,
): ChallengeInstanceStatus | undefined {
  if (status.startedAt === undefined) return undefined;
  const until = expiryAt(now, undefined, effectiveUntil(instance, challenge));
  if (until === undefined || until >= (expiryOf(status) ?? Number.POSITIVE_INFINITY)) return undefined;
  const entry = { reason: historyReasons.limited, message: expiryTexts.limited(formatTime(until)) };
  return withExpiry(status, until, entry, settings, now);
}

/** When it ends, in ms since 1970. */
export function expiryOf({ expiresAt }: ChallengeInstanceStatus): number | undefined {
  return expiresAt === undefined ? undefined : parseTime(expiresAt);
}

/** The status with this expiry, whether the owner is to be warned of it already, and the entry that tells of it. */
export function withExpiry(
  status: ChallengeInstanceStatus,
  end: number | undefined,
  entry: { reason: string; message: string },
  settings: ExpirySettings,
  now: number,
): ChallengeInstanceStatus {
  const { expiresAt: _, ...rest } = status;
  const expiry = end === undefined ? {} : { expiresAt: formatTime(end) };
  return {
    ...rest,
    ...expiry,
    expiresSoon: warningIsDue(end, settings, now),
    history: withEntry(status.history ?? [], { at: formatTime(now), ...expiry, ...entry }),
  };
}
