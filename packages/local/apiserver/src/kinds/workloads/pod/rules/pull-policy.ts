/** When an image is looked for where it came from. */

import type { FieldError } from "../../../../errors/field-error.ts";
import { requiredOneOf } from "../../../checks/field-rules.ts";

export function pullPolicy(path: string, policy: string | undefined): FieldError[] {
  return requiredOneOf(path, policy, ["Always", "IfNotPresent", "Never"]);
}
