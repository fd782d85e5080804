/** What concerns the competition only: no instance depends on it, so the controller does not check it. */
import { compareTimes } from "@berg/apimachinery";
import { type Challenge, compileFlagPattern, FlagPatternError } from "@berg/resources";
import { error, type Problem, warning } from "./problem.ts";

export function competingProblems(challenge: Challenge): Problem[] {
  return [...additionalFlagProblems(challenge), ...closingProblems(challenge), ...prerequisiteProblems(challenge)];
}

/** Never quotes a flag or a pattern. */
function additionalFlagProblems({ spec }: Challenge): Problem[] {
  const problems = spec.flags.flatMap((flag, index): Problem[] => {
    const path = ["spec", "flags", index, "content"];
    if (flag.type === "static") {
      const message = "it begins or ends with white space, which is removed from what players submit";
      return flag.content === flag.content.trim() ? [] : [error(path, message, "remove it")];
    }
    try {
      const matches = compileFlagPattern(flag);
      if (!guesses.some(matches)) return [];
      return [warning(path, "the pattern matches what players guess", "write more of the flag into it")];
    } catch (reason) {
      if (!(reason instanceof FlagPatternError)) throw reason;
      return [error(path, `this is no pattern in RE2 syntax: ${reason.message}`, "correct it")];
    }
  });
  if (spec.flags.length === 0 || !spec.containers.some(({ dynamicFlag }) => dynamicFlag)) return problems;
  const message = "instances have flags of their own, so no other flag solves the challenge";
  return [...problems, warning(["spec", "flags"], message, "remove flags, or dynamicFlag of the containers")];
}

/** A pattern that takes one of these takes nearly everything. */
const guesses = ["", "a", "0", "flag", "flag{}", "flag{a}", "zq 7-Xv"];

function closingProblems({ spec: { closesAt, hideUntil } }: Challenge): Problem[] {
  if (closesAt === undefined || hideUntil === undefined || compareTimes(closesAt, hideUntil) > 0) return [];
  const message = `it closes at ${closesAt}, before players see it (hideUntil ${hideUntil})`;
  return [error(["spec", "closesAt"], message, "set it to a later time")];
}

function prerequisiteProblems({ spec: { prerequisites } }: Challenge): Problem[] {
  return prerequisites.flatMap((name, index) => {
    if (prerequisites.indexOf(name) === index) return [];
    return [warning(["spec", "prerequisites", index], `"${name}" is there twice`, "remove one")];
  });
}
