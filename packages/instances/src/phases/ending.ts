/** Whether an instance has to end, and why. Once written into its status, the reason stays. */
import { isConditionTrue } from "@berg/kube";
import type { ChallengeInstanceStatus, TerminationReason } from "@berg/resources";
import { isAnothers } from "../builders/marks.ts";
import { isExpired } from "../expiry/due.ts";
import { onOurClock, type Snapshot } from "../observe/snapshot.ts";
import { conditionTypes, endings } from "../vocabulary.ts";
import { podHealth } from "./pod-health.ts";
import { verdictOf } from "./stuck.ts";

export interface Ending {
  reason: TerminationReason;
  /** Only where the reason alone does not tell. */
  message?: string;
}

export function endingOf(seen: Snapshot): Ending | undefined {
  const { instance, now } = seen;
  const { spec, status, metadata } = instance;
  if (status?.terminationReason) return { reason: status.terminationReason, ...toldBefore(status) };
  if (spec.terminationReason) return { reason: spec.terminationReason, ...whatFailed(seen) };
  // A deletion that came in time was somebody's wish, even where it is looked at only after the end of the time.
  const { deletionTimestamp } = metadata;
  const until = deletionTimestamp === undefined ? now : Math.min(now, onOurClock(seen, deletionTimestamp));
  if (isExpired(status ?? {}, until)) return { reason: "Timeout" };
  if (deletionTimestamp !== undefined) return { reason: "UserRequest" };
  if (namespaceIsLost(seen)) {
    return {
      reason: "Failure",
      message: `The namespace ${status?.namespace} of this instance was deleted by somebody else, and everything in it.`,
    };
  }
  return undefined;
}

/**
 * Whether the reason can be found again, though it was not written before anything was taken away: in the spec, and once
 * the instance is deleted, in when that was. What somebody else has taken away is seen only once.
 */
export function canBeFoundAgain({ reason }: Ending, { instance }: Snapshot): boolean {
  return reason !== "Failure" || instance.spec.terminationReason !== undefined;
}

/** Who ends what is stuck says no more than that it has failed: its owner is told of what. */
function whatFailed(seen: Snapshot): Pick<Ending, "message"> {
  if (seen.instance.spec.terminationReason !== "Failure") return {};
  const verdict = verdictOf(seen, podHealth(seen));
  return verdict ? { message: `This instance has failed. ${verdict.message}` } : {};
}

/** What was lost is known only once; the usual words are said anew when it has ended. */
function toldBefore({ terminationReason, message }: ChallengeInstanceStatus): Pick<Ending, "message"> {
  const isUsual = message === undefined || (terminationReason && message === endsBecause(terminationReason));
  return isUsual ? {} : { message };
}

export function endsBecause(reason: TerminationReason): string {
  return `This instance ends because ${endings[reason].because}.`;
}

/** It was there, and is gone or going without our doing; or it is another instance's by now. */
function namespaceIsLost({ instance, namespace }: Snapshot): boolean {
  if (!isConditionTrue(instance.status?.conditions, conditionTypes.namespaceCreated)) return false;
  if (!namespace || namespace.metadata.deletionTimestamp !== undefined) return true;
  return isAnothers(namespace, instance.metadata.uid);
}
