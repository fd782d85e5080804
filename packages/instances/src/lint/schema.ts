import type { FieldError } from "@berg/resources";
import { error, type Problem, warning } from "./problem.ts";

/** What the API server would refuse, in its own words, with the fix where those do not say it. */
export function schemaProblems(errors: readonly FieldError[]): Problem[] {
  return errors.map(({ path, message }) => error(path, message, fixOf(path.at(-1), message)));
}

/** The API server drops them. A Challenge of another platform runs all the same. */
export function unknownFieldProblems(unknownFields: readonly FieldError[]): Problem[] {
  return unknownFields.map(({ path }) =>
    warning(path, "there is no such field, so it is ignored", "remove it, or correct its name"),
  );
}

function fixOf(field: string | number | undefined, message: string): string | undefined {
  if (message.startsWith("Duplicate value")) return "remove one, or make them differ";
  if (message.startsWith("Required value")) return "set it";
  if (message.startsWith("Forbidden: there is no such field")) return "remove it, or correct its name";
  // YAML reads 644 as a decimal number.
  if (field === "mode") return 'write octal digits in quotes, such as "0444"';
  return undefined;
}
