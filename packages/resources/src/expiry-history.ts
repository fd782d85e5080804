/** `status.history` of a ChallengeInstance: why its expiry was set, and what a timeout is counted from. */
import { parseTime } from "@berg/apimachinery";
import type { ChallengeInstanceStatus, ExpiryChange } from "./challenge-instance.ts";

/** Reasons of entries in `status.history`. */
export const historyReasons = {
  started: "Started",
  admitted: "Admitted",
  renewed: "Renewed",
  renewalRefused: "RenewalRefused",
  /** `until` was set, or moved to an earlier time, while the instance lives. */
  limited: "Limited",
  /** `spec.timeout` was changed while the instance lives. */
  timeoutChanged: "TimeoutChanged",
  timeoutRefused: "TimeoutRefused",
} as const;

const counting = new Set<string>([historyReasons.started, historyReasons.admitted, historyReasons.renewed]);

/** The latest entry that a timeout is counted from. */
export function lastCounted(history: readonly ExpiryChange[]): ExpiryChange | undefined {
  return history.findLast(({ reason }) => counting.has(reason));
}

/** What a timeout is counted from, in ms since 1970. Undefined for an instance that the controller has not seen yet. */
export function countedFrom({ startedAt, history = [] }: ChallengeInstanceStatus): number | undefined {
  const from = lastCounted(history)?.at ?? startedAt;
  return from === undefined ? undefined : parseTime(from);
}
