/** What cannot be given out refuses the Service before anything else is looked at. */
import type { FieldError } from "../../../errors/field-error.ts";
import { invalid } from "../../../errors/refusals.ts";
import type { Service } from "./shape.ts";

export function refuse({ metadata }: Service, errors: FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: "", kind: "Service", name: metadata.name ?? "" }, errors);
}
