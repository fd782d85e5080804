/** How long an object that ends by itself, such as a pod, is given to do so. */
import { formatTime, parseTime } from "@berg/apimachinery";
import type { AnyObject, AnyStoredObject, ServedResource } from "./resource.ts";

export type Grace =
  /** It is given no time: it goes, or waits for its finalizers. */
  | { kind: "none" }
  /** It is ending already, and this request does not shorten that. */
  | { kind: "pending" }
  /** It ends at `at`, `seconds` after it was first told to; `isFirst` where it is told for the first time. */
  | { kind: "graceful"; at: string; seconds: number; isFirst: boolean };

export function graceOf(
  object: AnyStoredObject,
  { strategy }: ServedResource,
  wanted: number | undefined,
  now: number,
): Grace {
  if (!strategy.gracePeriod) return { kind: "none" };
  // Below zero means one second, for clients of long ago.
  const asked = wanted !== undefined && wanted < 0 ? 1 : wanted;
  if (object.metadata.deletionTimestamp !== undefined) return shortened(object, asked, now);
  const seconds = strategy.gracePeriod(object, asked);
  if (seconds === undefined) return { kind: "none" };
  return { kind: "graceful", at: formatTime(now + seconds * 1000), seconds, isFirst: true };
}

function shortened({ metadata }: AnyObject, asked: number | undefined, now: number): Grace {
  const given = metadata.deletionGracePeriodSeconds ?? 0;
  if (given === 0) return { kind: "none" };
  if (asked === undefined || asked >= given) return { kind: "pending" };
  const at = parseTime(metadata.deletionTimestamp as string) + (asked - given) * 1000;
  if (at >= now) return { kind: "graceful", at: formatTime(at), seconds: asked, isFirst: false };
  // The time is up already. Whoever asked for some is left the least there is, so that somebody still sees it end.
  return { kind: "graceful", at: formatTime(now), seconds: asked === 0 ? 0 : 1, isFirst: false };
}
