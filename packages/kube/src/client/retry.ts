import { isTooLargeResourceVersion, retryAfterSeconds, StatusError } from "@berg/apimachinery";
import type { Random } from "../clock.ts";
import { ConnectionError } from "./transport.ts";

/**
 * Whether a failed call is made again, and after how long. Only what cannot happen twice is repeated: a call that
 * never left, one that the server turned away unread (429), or one that does the same when done again.
 */
export interface RetryPolicy {
  attempts: number;
  firstDelayMs: number;
  longestDelayMs: number;
}

export const defaultRetries: RetryPolicy = { attempts: 6, firstDelayMs: 100, longestDelayMs: 10_000 };

/** The wait before the next try in ms, or undefined to give up. `attempt` counts from 1. */
export function retryDelay(
  policy: RetryPolicy,
  failure: { error: unknown; attempt: number; idempotent: boolean },
  random: Random,
): number | undefined {
  if (failure.attempt >= attemptsAt(failure.error, policy) || !mayRepeat(failure.error, failure.idempotent)) {
    return undefined;
  }
  const askedMs = (retryAfterSeconds(failure.error) ?? 0) * 1000;
  // Whoever called has a queue to wait in; here a worker would stand idle.
  if (askedMs > policy.longestDelayMs) return undefined;
  const ceiling = Math.min(policy.longestDelayMs, policy.firstDelayMs * 2 ** (failure.attempt - 1));
  // The server's wish is a floor; the jitter on top keeps a crowd that was told the same second apart.
  return askedMs + random() * ceiling;
}

/** A server that says it is busy is believed sooner: whoever asks again and again is part of what keeps it so. */
const attemptsAtBusyServer = 3;

function attemptsAt(error: unknown, { attempts }: RetryPolicy): number {
  return error instanceof StatusError && error.code === 429 ? Math.min(attempts, attemptsAtBusyServer) : attempts;
}

function mayRepeat(error: unknown, idempotent: boolean): boolean {
  if (error instanceof ConnectionError) return !error.sent || idempotent;
  if (!(error instanceof StatusError)) return false;
  // Turned away for now, and told until when. Without a time it is a refusal with reasons, as of an eviction that a
  // disruption budget forbids.
  if (error.code === 429) return (retryAfterSeconds(error) ?? 0) > 0;
  // Not a passing fault: the server's history ends before the version asked for. The caller has to list anew.
  if (isTooLargeResourceVersion(error)) return false;
  return idempotent && error.code >= 500;
}
