import {
  FrameError,
  isForbidden,
  isGone,
  isNotFound,
  isTooLargeResourceVersion,
  isUnauthorized,
  type ResourceType,
  resourceName,
  StatusError,
} from "@berg/apimachinery";
import type { Random } from "../clock.ts";
import type { RelistReason } from "./metrics.ts";

/** Nothing was heard for too long: the connection is open at our end only. */
export class Stalled extends Error {
  constructor(silentMs: number) {
    super(`nothing heard for ${Math.round(silentMs / 1000)} s`);
    this.name = "Stalled";
  }
}

/** A version came that is older than one seen before: the server's data was set back. */
export class HistoryReset extends Error {
  constructor(reached: string, got: string) {
    super(`the server went back from version ${reached} to ${got}`);
    this.name = "HistoryReset";
  }
}

export interface Verdict {
  /** Why the copy can no longer be continued and has to be listed anew. */
  relist?: RelistReason;
  /** How many watches in a row went wrong, this one included. With none, the next one is opened at once. */
  failures: number;
}

// One that the server closes sooner is a fault somewhere, and reopening it at once would be a storm.
const shortestOrderlyMs = 1_000;
// One that lived so long shows that whatever was wrong before is over.
const steadyMs = 10_000;

/**
 * What the end of a watch means for the next one. `error` is undefined where the server closed it in order;
 * `followedMs` is how long changes came through it, and not what it took to get there: a list that fails after a
 * minute is no success. `failures` counts those before it.
 */
export function judge(error: unknown, followedMs: number, failures: number): Verdict {
  const counted = (followedMs >= steadyMs ? 0 : failures) + 1;
  if (error === undefined) return { failures: followedMs >= shortestOrderlyMs ? 0 : counted };
  const relist = reasonToRelist(error);
  return relist ? { relist, failures: counted } : { failures: counted };
}

function reasonToRelist(error: unknown): RelistReason | undefined {
  if (isGone(error)) return "expired";
  if (isTooLargeResourceVersion(error) || error instanceof HistoryReset) return "reset";
  if (error instanceof FrameError) return "garbled";
  if (error instanceof ErrorFrame) return "error_frame";
  return undefined;
}

/** The server ended the stream with an ERROR frame, whatever it said. */
export class ErrorFrame extends StatusError {}

const firstDelayMs = 800;
const longestDelayMs = 30_000;

/** Full jitter: anywhere between nothing and the ceiling, so that a thousand clients do not return as one. */
export function reconnectDelay(failures: number, random: Random): number {
  return random() * Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - 1));
}

/** What a person has to do before it can work; undefined where it may pass by itself. */
export function remedyFor(error: unknown, type: ResourceType): string | undefined {
  if (isForbidden(error)) return `allow this account to list and watch ${resourceName(type)}, by a role and a binding`;
  if (isUnauthorized(error)) return "give this process a token or certificate that the server accepts";
  if (isNotFound(error))
    return `install the CustomResourceDefinition of ${resourceName(type)}, with version ${type.version} served`;
  return undefined;
}
