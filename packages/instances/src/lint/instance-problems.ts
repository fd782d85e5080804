import type { StoredChallenge } from "@berg/resources";
import { type LintSettings, workloadProblems } from "./lint-challenge.ts";
import { error, type Problem } from "./problem.ts";
import { schemaProblems } from "./schema.ts";

/**
 * Why no instance of this Challenge can run; none where one can. One that was stored under another CRD, or before the
 * schema had a rule, may break it. One without containers is a Challenge, but there is nothing to start.
 */
export function instanceProblems({ challenge, errors }: StoredChallenge, settings: LintSettings): Problem[] {
  if (errors.length > 0) return schemaProblems(errors);
  if (challenge.spec.containers.length === 0)
    return [error(["spec", "containers"], "there is no container to start", "add one")];
  return workloadProblems(challenge, settings).filter(({ severity }) => severity === "error");
}
