import type { FieldError } from "@berg/resources";
import { error, type Problem } from "./problem.ts";

/** What the API server would refuse, in its own words, with the fix where those do not say it. */
export function schemaProblems(errors: readonly FieldError[]): Problem[] {
  return errors.map(({ path, message }) => error(path, message, fixOf(path.at(-1), message)));
}

function fixOf(field: string | number | undefined, message: string): string | undefined {
  if (message.startsWith("Forbidden: there is no such field")) return "remove it, or correct its name";
  if (message.startsWith("Duplicate value")) return "remove one, or make them differ";
  if (message.startsWith("Required value")) return "set it";
  // YAML reads 644 as a decimal number.
  if (field === "mode") return 'write octal digits in quotes, such as "0444"';
  return undefined;
}
