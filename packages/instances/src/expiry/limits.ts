/** How long an instance may live: whose word counts, and what no word can mean. */
import { type Duration, ParseError, parseDuration, parseTime } from "@berg/apimachinery";
import type { ChallengeInstanceSpec, ChallengeSpec } from "@berg/resources";
import type { ExpirySettings } from "../settings/settings.ts";
import { reasons } from "../vocabulary.ts";

/** Who asks for a time, as far as time is concerned. */
export type TimedInstance = Pick<ChallengeInstanceSpec, "timeout" | "until">;
export type TimedChallenge = Pick<ChallengeSpec, "timeout" | "until">;

/** Ten years: nobody means more, and every time that comes of it can be written. */
export const longestTimeout: Duration = parseDuration("87600h");

export interface TimeoutProblem {
  reason: typeof reasons.invalidTimeout;
  message: string;
}

/** No timeout: the instance lives for ever, or until its `until`. */
export type EffectiveTimeout =
  | { timeout: Duration | undefined; problem?: never }
  | { timeout?: never; problem: TimeoutProblem };

/** What the instance says, or else its Challenge, or else the organiser. An empty text says nothing. */
export function effectiveTimeout(
  instance: TimedInstance,
  challenge: TimedChallenge | undefined,
  settings: ExpirySettings,
): EffectiveTimeout {
  if (instance.timeout) return readTimeout(instance.timeout, "spec.timeout of the ChallengeInstance");
  if (challenge?.timeout) return readTimeout(challenge.timeout, "spec.timeout of the Challenge");
  return { timeout: settings.timeout };
}

function readTimeout(text: string, field: string): EffectiveTimeout {
  const invalid = (why: string): EffectiveTimeout => ({
    problem: {
      reason: reasons.invalidTimeout,
      message: `cannot use ${field}: "${text}" ${why}; write a time such as 30m or 2h, or leave it out`,
    },
  });
  try {
    const timeout = parseDuration(text);
    if (timeout <= 0n) return invalid("leaves no time at all");
    if (timeout > longestTimeout) return invalid("is longer than ten years");
    return { timeout };
  } catch (error) {
    if (error instanceof ParseError) return invalid("is longer than ten years");
    throw error;
  }
}

/** The earlier of what the instance and its Challenge say, in ms since 1970. */
export function effectiveUntil(instance: TimedInstance, challenge: TimedChallenge | undefined): number | undefined {
  const ends = [instance.until, challenge?.until].filter((until) => until !== undefined).map(parseTime);
  return ends.length === 0 ? undefined : Math.min(...ends);
}
