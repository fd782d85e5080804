/** Whether the janitor has to end an instance, and since when. Pure; by what stands in the instance alone. */
import { parseTime, type Stored } from "@berg/apimachinery";
import type { ChallengeInstance } from "@berg/resources";

export interface Due {
  /** In ms since 1970; it may lie ahead. */
  at: number;
  /** In plain words. */
  why: string;
}

/**
 * Undefined where it never falls due: one without `expiresAt` has no limit, or the controller has not seen it yet.
 *
 * `graceMs`: what the controller is given, which is first by a second where it is well. An instance that is being
 * deleted falls due too: with the controller down its finalizer hangs, and everything would run on.
 */
export function dueOf({ metadata, status }: Stored<ChallengeInstance>, graceMs: number): Due | undefined {
  const causes = [
    { time: status?.expiresAt, what: "its time was up" },
    { time: metadata.deletionTimestamp, what: "it was deleted" },
  ];
  const times = causes.flatMap(({ time = "", what }) => {
    const ms = readTime(time);
    return ms === undefined ? [] : [{ at: ms + graceMs, why: `${what} at ${time}` }];
  });
  return times.toSorted((a, b) => a.at - b.at)[0];
}

export function isDue(instance: Stored<ChallengeInstance>, graceMs: number, now: number): boolean {
  const due = dueOf(instance, graceMs);
  return due !== undefined && due.at <= now;
}

/** One instance that cannot be read must not keep the others from their end. */
function readTime(text: string): number | undefined {
  try {
    return parseTime(text);
  } catch {
    return undefined;
  }
}
