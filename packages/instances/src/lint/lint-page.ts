/** Checks of a Page without a cluster, for organisers (`berg lint`). */
import { validatePage } from "@berg/resources";
import { type Problem, warning } from "./problem.ts";
import { schemaProblems } from "./schema.ts";

/** What breaks the schema is reported alone: the rest cannot be judged before it is right. */
export function lintPage(manifest: unknown): Problem[] {
  const { object, errors } = validatePage(manifest);
  if (object === undefined) return schemaProblems(errors);
  if (!/<script\b/i.test(object.spec.content)) return [];
  return [warning(["spec", "content"], "the <script> in it is removed when the page is shown", "remove it")];
}
