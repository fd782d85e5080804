import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  isOtherUid,
  isTooManyRequests,
  isUnauthorized,
  StatusError,
} from "@berg/apimachinery";
import { ConnectionError } from "@berg/kube";
import { type GardenReason, gardenReasons, gardenTexts } from "./vocabulary.ts";

export interface GardenTrouble {
  reason: GardenReason;
  /** For a condition: the cause and the next step. It stays the same while the trouble does. */
  message: string;
  /** Whether trying again soon, with backoff, is of use; or only a change, and the slow resync. */
  again: boolean;
}

/** Gardener's admission answers 403 while its caches fill: for so long it is no refusal. */
const patienceMs = 10 * 60_000;
const longestWords = 500;

/**
 * What stands in the way at Gardener. `forMs`: for how long the same has been going on already, by the condition that
 * says so. Throws what is no word of the garden: a mistake of ours, a lost lease, the end of the reconcile.
 *
 *     catch (error) {
 *       const { reason, message, again } = gardenTrouble(error);
 */
export function gardenTrouble(error: unknown, forMs = 0): GardenTrouble {
  if (error instanceof ConnectionError) return trouble(gardenReasons.unreachable, causeOf(error), true);
  if (!(error instanceof StatusError)) throw error;
  const reason = reasonOf(error);
  if (reason === gardenReasons.busy || reason === gardenReasons.failing) {
    // Not the server's words, which hold times and addresses that change with each try, or a proxy's whole page.
    return trouble(reason, `${error.code} ${error.reason}`, true);
  }
  const again =
    reason === gardenReasons.conflict ||
    // New ones come by themselves where a file or a program gives them.
    reason === gardenReasons.unauthorized ||
    (reason === gardenReasons.forbidden && forMs < patienceMs);
  return trouble(reason, wordsOf(error), again);
}

function reasonOf(error: StatusError): GardenReason {
  if (isConflict(error) || isAlreadyExists(error) || isOtherUid(error)) return gardenReasons.conflict;
  if (isUnauthorized(error)) return gardenReasons.unauthorized;
  if (isForbidden(error)) return namesField(error) ? gardenReasons.invalid : gardenReasons.forbidden;
  if (isNotFound(error)) return gardenReasons.notFound;
  if (isInvalid(error)) return gardenReasons.invalid;
  if (isTooManyRequests(error)) return gardenReasons.busy;
  return error.code >= 500 ? gardenReasons.failing : gardenReasons.refused;
}

/** Its admission knows no other word for a region or a version that there is not. */
function namesField({ message }: StatusError): boolean {
  return /is forbidden: \[?spec\./.test(message);
}

/** Gardener's reasons may be quoted in full: nothing that is sent there is secret, and nobody else knows the fix. */
function wordsOf({ message, status }: StatusError): string {
  const causes = status.details?.causes?.map(({ field, message }) => [field, message].filter(Boolean).join(": ")) ?? [];
  const words = (causes.length > 0 ? [...new Set(causes)].join("; ") : message).replace(/\s+/g, " ").trim();
  return words.length > longestWords ? `${words.slice(0, longestWords)}…` : words;
}

function causeOf({ cause }: ConnectionError): string {
  return (cause as { code?: string } | undefined)?.code ?? "";
}

function trouble(reason: GardenReason, words: string, again: boolean): GardenTrouble {
  return { reason, message: gardenTexts[reason](words), again };
}
