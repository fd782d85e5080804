/** Defaults must be what the schema itself would let through, whole and with nothing unknown in them. */
import { jsonEqual } from "@berg/apimachinery";
import { type FieldError, invalid } from "../../errors/field-error.ts";
import { sorted } from "../json.ts";
import type { Schema } from "../schema.ts";
import { pruned } from "../unknown-fields.ts";
import { checkValue } from "../validate/check-value.ts";
import { checkEmbedded } from "../validate/embedded.ts";

/** Not inside of additionalProperties: there are no fields to fill in there. */
export function defaultErrors(schema: Schema, path: string): FieldError[] {
  const errors = schema.default === undefined || schema.default === null ? [] : errorsOf(schema.default, schema, path);
  if (schema.items) errors.push(...defaultErrors(schema.items, `${path}.items`));
  for (const [key, inner] of Object.entries(schema.properties ?? {}))
    errors.push(...defaultErrors(inner, `${path}.properties[${key}]`));
  return errors;
}

function errorsOf(value: unknown, schema: Schema, path: string): FieldError[] {
  const place = `${path}.default`;
  const errors: FieldError[] = [];
  if (!jsonEqual(pruned(value, schema), value))
    errors.push(invalid(place, sorted(value), "must not have unknown fields"));
  const embedded = checkEmbedded(value, schema, place);
  if (embedded.length > 0) return [...errors, ...embedded];
  const { problems } = checkValue(value, schema, "");
  return [...errors, ...problems.map(({ error }) => ({ ...error, field: within(place, error.field) }))];
}

function within(place: string, field: string): string {
  return field === "<nil>" ? place : `${place}.${field}`;
}
