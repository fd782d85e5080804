import {
  FrameError,
  isBadRequest,
  isForbidden,
  isGone,
  isNotFound,
  isTooLargeResourceVersion,
  isUnauthorized,
  type ResourceType,
  resourceName,
  StatusError,
} from "@berg/apimachinery";
import { ConnectionError } from "../client/transport.ts";
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

const lastingFailures = 5;

/**
 * Whether a person should hear of a failure: nothing was ever listed, the server refuses, or it goes on for long.
 * Anything else is a connection that is made again, as happens every day.
 */
export function isWorrying(error: unknown, { filled, failures }: { filled: boolean; failures: number }): boolean {
  return !filled || failures >= lastingFailures || isForbidden(error) || isUnauthorized(error) || isNotFound(error);
}

/** What a person may do about it; undefined where nothing is known to help. */
export function remedyFor(error: unknown, type: ResourceType): string | undefined {
  if (isForbidden(error)) return `allow this account to list and watch ${resourceName(type)}, by a role and a binding`;
  if (isUnauthorized(error)) return "give this process a token or certificate that the server accepts";
  if (isNotFound(error))
    return `install the CustomResourceDefinition of ${resourceName(type)}, with version ${type.version} served`;
  if (isBadRequest(error) && plainHttp.test((error as Error).message)) return "write https:// in the kubeconfig";
  const code = connectionCode(error);
  if (unreachable.has(code)) return "check the server address in the kubeconfig, and that it is up";
  if (untrusted.has(code)) return "add certificate-authority(-data) of the server to the kubeconfig";
  return undefined;
}

// "Client sent an HTTP request to an HTTPS server" from Go, "plain HTTP request was sent to HTTPS port" from nginx.
const plainHttp = /HTTP request (was sent )?to (an )?HTTPS/i;
const unreachable = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
]);
const untrusted = new Set([
  "CERT_SIGNATURE_FAILURE",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** As Node and undici write it; `""` where there is none. */
function connectionCode(error: unknown): string {
  const cause = error instanceof ConnectionError ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === "string" ? cause.code : "";
}
