import type { ChallengeInstance } from "./challenge-instance.ts";

/** Whether somebody has asked for its end, or it has begun. */
export function isEnding({ metadata, spec, status }: ChallengeInstance): boolean {
  return Boolean(metadata.deletionTimestamp || spec.terminationReason || status?.terminationReason);
}
