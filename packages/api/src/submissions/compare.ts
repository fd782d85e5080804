/** Whether a submitted flag is right. Pure; compared through digests, so that no time tells how much of it is right. */
import { createHash, timingSafeEqual } from "node:crypto";
import { type Challenge, needsFlag } from "@berg/resources";

/** An instance of the challenge whose flag is the submitted one. */
export interface FlagMatch {
  id: string;
  ownerId: string;
  startedBy: string;
  /** Another instance has the same flag, since the challenge had no unused one left. */
  isReused: boolean;
}

export interface Submitter {
  playerId: string;
  scorerId: string;
  /** Present members of the team; the player alone where teams are off. */
  members: readonly string[];
}

export type Comparison =
  | { verdict: "correct"; instanceId: string | null }
  | { verdict: "wrong" }
  /** Flags of instances that belong to others. */
  | { verdict: "foreign"; instanceIds: string[] };

/**
 * Accepted are, where a container has a dynamic flag, flags of instances that the scorer or a present member owns or that
 * the submitter started, also after their end; elsewhere the static flag.
 */
export function compareFlag(
  { spec }: Pick<Challenge, "spec">,
  flag: string,
  matches: readonly FlagMatch[],
  submitter: Submitter,
): Comparison {
  if (!needsFlag({ spec })) {
    const isRight = spec.flag !== undefined && spec.flag !== "" && isSame(flag, spec.flag.trim());
    return isRight ? { verdict: "correct", instanceId: null } : { verdict: "wrong" };
  }
  const own = matches.find((match) => isOwn(match, submitter));
  if (own) return { verdict: "correct", instanceId: own.id };
  // A flag that several instances have proves nothing.
  if (matches.length === 0 || matches.some(({ isReused }) => isReused)) return { verdict: "wrong" };
  return { verdict: "foreign", instanceIds: matches.map(({ id }) => id) };
}

function isOwn({ ownerId, startedBy }: FlagMatch, { playerId, scorerId, members }: Submitter): boolean {
  return ownerId === scorerId || members.includes(ownerId) || startedBy === playerId;
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
