/** What may not stand inside of anyOf, allOf, oneOf and not: all that is more than a check of a value. */
import { type FieldError, forbidden } from "../../errors/field-error.ts";
import type { Schema } from "../schema.ts";
import { combinationErrors } from "./forms.ts";

const mustBeEmpty = "must be empty to be structural";
const mustBeUndefined = "must be undefined to be structural";
const mustBeFalse = "must be false to be structural";

const notHere: readonly (readonly [keyof Schema, string])[] = [
  ["type", mustBeEmpty],
  ["default", mustBeUndefined],
  ["title", mustBeEmpty],
  ["description", mustBeEmpty],
  ["nullable", mustBeFalse],
  ["x-kubernetes-preserve-unknown-fields", mustBeFalse],
  ["x-kubernetes-embedded-resource", mustBeFalse],
  ["x-kubernetes-int-or-string", mustBeFalse],
  ["x-kubernetes-list-map-keys", mustBeEmpty],
  ["x-kubernetes-list-type", mustBeUndefined],
  ["x-kubernetes-map-type", mustBeUndefined],
  ["x-kubernetes-validations", mustBeEmpty],
];

export function nestedErrors(schema: Schema, path: string, skipAnyOf: boolean): FieldError[] {
  const { items, properties = {}, additionalProperties } = schema;
  const errors = combinationErrors(schema, path, skipAnyOf, false);
  if (items) errors.push(...nestedErrors(items, `${path}.items`, false));
  for (const [key, inner] of Object.entries(properties))
    errors.push(...nestedErrors(inner, `${path}.properties[${key}]`, false));
  if (additionalProperties) errors.push(forbidden(`${path}.additionalProperties`, mustBeUndefined));
  for (const [keyword, rule] of notHere) if (isSet(schema[keyword])) errors.push(forbidden(`${path}.${keyword}`, rule));
  if (Object.hasOwn(properties, "metadata"))
    errors.push(forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  return errors;
}

function isSet(value: unknown): boolean {
  return Array.isArray(value)
    ? value.length > 0
    : value !== undefined && value !== null && value !== false && value !== "";
}
