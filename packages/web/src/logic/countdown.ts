/** Durations as the pages show and say them. */
import { texts } from "../texts.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `4:05`, `1:04:05`, or `2d 1:04:05`. Rounds down, and stays at 0:00 once the time is up. */
export function formatCountdown(ms: number): string {
  const left = Math.max(0, ms);
  const days = Math.floor(left / day);
  const hours = Math.floor((left % day) / hour);
  const minutes = Math.floor((left % hour) / minute);
  const seconds = Math.floor((left % minute) / second);
  const pad = (part: number) => String(part).padStart(2, "0");
  if (days > 0) return texts.duration.days(days, `${hours}:${pad(minutes)}:${pad(seconds)}`);
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds)}` : `${minutes}:${pad(seconds)}`;
}

/** `0 s`, `42 s`, `3 min 05 s`: how long something has taken so far. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / second));
  if (seconds < 60) return texts.duration.seconds(seconds);
  return texts.duration.minutes(Math.floor(seconds / 60), String(seconds % 60).padStart(2, "0"));
}

/** `0.4 s`, `12 s`, `3 min 05 s`: how long something took. Short ones to a tenth, as they differ by less than a second. */
export function formatDuration(ms: number): string {
  return ms < 10 * second ? texts.duration.seconds((Math.max(0, ms) / second).toFixed(1)) : formatElapsed(ms);
}

const thresholds = [1, 5, 10].map((minutes) => ({ minutes, ms: minutes * minute }));

/**
 * The smallest number of minutes that is announced and not yet undercut; 0 once the time is up, undefined before the first.
 * It changes a few times in the life of an instance: a screen reader must not be told each second.
 */
export function announcedMinutes(leftMs: number): number | undefined {
  if (leftMs <= 0) return 0;
  return thresholds.find(({ ms }) => leftMs <= ms)?.minutes;
}

/** On the wire, a competition without an end ends in the year 9999. */
export function isNever(time: string): boolean {
  return Date.parse(time) - Date.UTC(9000, 0) > 0;
}
