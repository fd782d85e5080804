import type { Challenge } from "@berg/resources";
import { effectiveTimeout } from "../expiry/limits.ts";
import { error, type Problem } from "./problem.ts";

/** A time that leaves none, or that nobody means. */
export function timeoutProblems({ spec }: Challenge): Problem[] {
  const { problem } = effectiveTimeout({}, spec, { timeout: undefined, maxRenewals: 0, warning: 0n });
  return problem === undefined ? [] : [error(["spec", "timeout"], problem.message)];
}
