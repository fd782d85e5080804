/** Checks of a Competition without a cluster, for organisers (`berg lint`). */
import { compareTimes } from "@berg/apimachinery";
import { type CompetitionSpec, validateCompetition } from "@berg/resources";
import { type Problem, warning } from "./problem.ts";
import { schemaProblems } from "./schema.ts";

/** What breaks the schema is reported alone: the rest cannot be judged before it is right. */
export function lintCompetition(manifest: unknown): Problem[] {
  const { object, errors } = validateCompetition(manifest);
  return object === undefined ? schemaProblems(errors) : freezeProblems(object.spec);
}

/** A freeze may last longer than the competition: the scoreboard is then shown at the ceremony. */
function freezeProblems({ freeze, start, end }: CompetitionSpec): Problem[] {
  if (!freeze) return [];
  const path = ["spec", "freeze", "start"];
  const fix = "set it to a time between start and end";
  if (end !== undefined && compareTimes(freeze.start, end) >= 0)
    return [warning(path, `the freeze starts at ${freeze.start}, when the competition has ended (${end})`, fix)];
  if (start !== undefined && compareTimes(freeze.start, start) < 0)
    return [warning(path, `the freeze starts at ${freeze.start}, before the competition does (${start})`, fix)];
  return [];
}
