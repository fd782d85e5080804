/** Whether an object is as its kind's schema wants it, in the words of kube-apiserver for custom resources. */
import type { FieldError } from "../../errors/field-error.ts";
import { isRecord } from "../json.ts";
import type { Schema } from "../schema.ts";
import { checkValue } from "./check-value.ts";
import { checkEmbedded } from "./embedded.ts";
import { checkListTypes } from "./list-types.ts";
import { Compared } from "./old-value.ts";

/**
 * `old` is what is stored; what has not changed since is tolerated. Where only `status` is written, `part` says so: the
 * rest is not looked at.
 */
export function validateSchema(object: unknown, schema: Schema, old?: unknown, part?: "status"): FieldError[] {
  const listErrors = checkListTypes(object, schema);
  const isNewInList = listErrors.length > 0 && (old === undefined || checkListTypes(old, schema).length === 0);
  return [
    ...(part === "status" ? statusErrors(object, schema, old) : valueErrors(object, schema, old)),
    ...(part === "status" ? [] : checkEmbedded(object, schema)),
    ...(isNewInList ? listErrors.slice(0, 1000) : []),
  ];
}

function valueErrors(value: unknown, schema: Schema, old: unknown): FieldError[] {
  const compared = old === undefined ? undefined : new Compared(value, old, schema);
  return checkValue(value, schema, "", compared).problems.map(({ error }) => error);
}

/** Paths in the texts are those within status; the field that is told is the whole one. */
function statusErrors(object: unknown, schema: Schema, old: unknown): FieldError[] {
  if (!isRecord(object) || !Object.hasOwn(object, "status")) return [];
  const inner = schema.properties?.status ?? {};
  return valueErrors(object.status, inner, isRecord(old) ? (old.status ?? null) : undefined).map((error) => ({
    ...error,
    field: error.field === "<nil>" ? "status" : `status.${error.field}`,
  }));
}
