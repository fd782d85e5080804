/** What the time of an instance says now, and when to look again. All of it goes by the time that is written in the status. */
import { durationToMs, parseTime } from "@berg/apimachinery";
import type { ChallengeInstanceStatus } from "@berg/resources";
import type { ExpirySettings } from "../settings/settings.ts";

type Expiry = Pick<ChallengeInstanceStatus, "expiresAt" | "expiresSoon">;

/** Whether its time is up. At `expiresAt` itself it is. */
export function isExpired({ expiresAt }: Expiry, now: number): boolean {
  return expiresAt !== undefined && parseTime(expiresAt) <= now;
}

/** Whether the owner is to be warned: where `expiresSoon` is not yet true, this is news. */
export function isExpiringSoon({ expiresAt }: Expiry, settings: ExpirySettings, now: number): boolean {
  return warningIsDue(expiresAt === undefined ? undefined : parseTime(expiresAt), settings, now);
}

/**
 * The next moment at which something has to happen, in ms since 1970: the warning, or the end. It may have passed, or
 * lie further away than a timer of Node reaches. Undefined where nothing ever has to.
 */
export function dueAt({ expiresAt, expiresSoon }: Expiry, { warning }: ExpirySettings): number | undefined {
  if (expiresAt === undefined) return undefined;
  const end = parseTime(expiresAt);
  return expiresSoon || warning <= 0n ? end : end - durationToMs(warning);
}

/** As `dueAt`, but what was not done in its time is not waited for: of the warning and the end, the next one to come. */
export function dueAfter(now: number, { expiresAt }: Expiry, settings: ExpirySettings): number | undefined {
  if (expiresAt === undefined) return undefined;
  const times = [dueAt({ expiresAt }, settings), parseTime(expiresAt)];
  return times.find((time) => time !== undefined && time > now);
}

export function warningIsDue(end: number | undefined, { warning }: ExpirySettings, now: number): boolean {
  return end !== undefined && warning > 0n && now >= end - durationToMs(warning);
}
