import { apiVersionOf } from "@berg/apimachinery";
import { type Challenge, Challenges, validateChallenge } from "@berg/resources";
import { type LintSettings, workloadProblems } from "./lint-challenge.ts";
import { error, type Problem } from "./problem.ts";
import { schemaProblems } from "./schema.ts";

/**
 * Why no instance of this Challenge can run; none where one can. One that was stored before the schema had a rule may
 * still break it, and one without containers is a Challenge, but nothing to start.
 */
export function instanceProblems(challenge: Challenge, settings: LintSettings): Problem[] {
  const { kind } = Challenges;
  const { object, errors } = validateChallenge({ ...challenge, apiVersion: apiVersionOf(Challenges), kind });
  if (object === undefined) return schemaProblems(errors);
  if (object.spec.containers.length === 0)
    return [error(["spec", "containers"], "there is no container to start", "add one")];
  return workloadProblems(object, settings).filter(({ severity }) => severity === "error");
}
