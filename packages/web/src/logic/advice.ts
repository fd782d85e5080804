/** What a player can do about a failed instance. The reasons are those of the controller (instances/src/vocabulary.ts). */
import { texts } from "../texts.ts";

const kinds: Record<string, keyof typeof texts.advice> = {
  CapacityReached: "crowded",
  NoNodeFits: "crowded",
  QuotaExceeded: "crowded",
  OwnerBusy: "busy",
  PreviousTerminating: "busy",
  OutOfMemory: "overloaded",
  OutOfDisk: "overloaded",
  ChallengeInvalid: "broken",
  ChallengeMissing: "broken",
  ChallengeDeleted: "broken",
  ContainerCannotStart: "broken",
  ContainerCrashes: "broken",
  FlagMissing: "broken",
  ImageCannotBePulled: "broken",
  InvalidTimeout: "broken",
  ManifestRefused: "broken",
  PullSecretMissing: "broken",
};

export function adviceFor(reason: string | null): string {
  return texts.advice[adviceKind(reason)];
}

/** Whether another start may succeed without a change of the challenge. */
export function isWorthRetrying(reason: string | null): boolean {
  return adviceKind(reason) !== "broken";
}

function adviceKind(reason: string | null): keyof typeof texts.advice {
  return kinds[reason ?? ""] ?? "temporary";
}
