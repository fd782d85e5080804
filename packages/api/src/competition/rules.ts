/** What the competition allows at a moment. Pure; times are ms since 1970. */
import { parseDuration, parseTime } from "@berg/apimachinery";
import type { Challenge, CompetitionSpec } from "@berg/resources";
import type { Player } from "../players/store.ts";

/** Before the start only admins see challenges. */
export function hasStarted({ start }: CompetitionSpec, now: number): boolean {
  return start === undefined || parseTime(start) <= now;
}

export function isPaused({ pause }: CompetitionSpec, now: number): boolean {
  if (!pause || parseTime(pause.start) > now) return false;
  return pause.end === undefined || now < parseTime(pause.end);
}

/** After the end nothing is started or submitted, unless players may go on to practise. */
export function isClosed({ end, afterEnd }: CompetitionSpec, now: number): boolean {
  return afterEnd === "closed" && end !== undefined && parseTime(end) <= now;
}

/** Whether people without an account may read. */
export function allowsAnonymousReading({ visibility }: CompetitionSpec): boolean {
  return visibility.challenges === "public";
}

/**
 * `spec.timeout` of a new instance: the competition's, where the Challenge has none or a longer one. Undefined: what the
 * Challenge or the controller says.
 */
export function timeoutOf({ instances: { timeout } }: CompetitionSpec, challenge?: Challenge): string | undefined {
  if (!timeout) return undefined;
  const own = challenge?.spec.timeout;
  return own && parseDuration(own) <= parseDuration(timeout) ? undefined : timeout;
}

export function isAdmin(player: Pick<Player, "roles"> | undefined): boolean {
  return player?.roles.includes("admin") ?? false;
}

/** When what players see changes by itself next. */
export function nextChange({ start, end, pause, freeze }: CompetitionSpec, now: number): number | undefined {
  const times = [start, end, pause?.start, pause?.end, freeze?.start, freeze?.end].map((time) =>
    time === undefined ? 0 : parseTime(time),
  );
  const ahead = times.filter((time) => time > now);
  return ahead.length > 0 ? Math.min(...ahead) : undefined;
}
