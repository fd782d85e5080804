/** Whether a submitted flag is right. Pure; compared through digests, so that no time tells how much of it is right. */
import { createHash, timingSafeEqual } from "node:crypto";
import { type AdditionalFlag, type Challenge, compileFlagPattern, FlagPatternError, needsFlag } from "@berg/resources";

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
 * the submitter started, also after their end; elsewhere the static flag and those of `flags`.
 */
export function compareFlag(
  { spec }: Pick<Challenge, "spec">,
  flag: string,
  matches: readonly FlagMatch[],
  submitter: Submitter,
): Comparison {
  if (!needsFlag({ spec })) {
    return staticFlags(spec)
      .map((accepts) => accepts(flag))
      .includes(true)
      ? { verdict: "correct", instanceId: null }
      : { verdict: "wrong" };
  }
  const own = matches.find((match) => isOwn(match, submitter));
  if (own) return { verdict: "correct", instanceId: own.id };
  // A flag that several instances have proves nothing.
  if (matches.length === 0 || matches.some(({ isReused }) => isReused)) return { verdict: "wrong" };
  return { verdict: "foreign", instanceIds: matches.map(({ id }) => id) };
}

/** All of them are compared, so that no time tells which one is right. */
function staticFlags({ flag, flags }: Challenge["spec"]): ((submitted: string) => boolean)[] {
  const own = flag === undefined || flag === "" ? [] : [(submitted: string) => isSame(submitted, flag.trim())];
  return [...own, ...(flags ?? []).map(acceptorOf)];
}

function acceptorOf({ type, content, caseInsensitive }: AdditionalFlag): (submitted: string) => boolean {
  if (type === "static") {
    const fold = (text: string) => (caseInsensitive ? text.toLowerCase() : text);
    return (submitted) => isSame(fold(submitted), fold(content.trim()));
  }
  try {
    return compileFlagPattern({ content, caseInsensitive });
  } catch (error) {
    // `berg lint` names it; other flags of the challenge still count.
    if (error instanceof FlagPatternError) return () => false;
    throw error;
  }
}

function isOwn({ ownerId, startedBy }: FlagMatch, { playerId, scorerId, members }: Submitter): boolean {
  return ownerId === scorerId || members.includes(ownerId) || startedBy === playerId;
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
