/** The form of a structural schema: every value has a type, said once, outside of anyOf, allOf, oneOf and not. */
import { jsonEqual } from "@berg/apimachinery";
import { RE2JS } from "re2js";
import { type FieldError, forbidden, invalid, required } from "../../errors/field-error.ts";
import { additional, own } from "../json.ts";
import type { Schema } from "../schema.ts";
import { nestedErrors } from "./nested.ts";

export type Level = "root" | "item" | "field";

const emptyType: Record<Level, string> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

export function formErrors(schema: Schema, path: string, level: Level = "root"): FieldError[] {
  const { items, properties = {}, additionalProperties } = schema;
  const errors: FieldError[] = [];
  if (schema.type === "array" && !items) errors.push(required(`${path}.items`, "must be specified"));
  if (items) errors.push(...formErrors(items, `${path}.items`, "item"));
  for (const [key, inner] of Object.entries(properties))
    errors.push(...formErrors(inner, `${path}.properties[${key}]`, "field"));
  if (additionalProperties !== undefined && level === "root")
    errors.push(forbidden(`${path}.additionalProperties`, "must not be used at the root"));
  const values = additional(schema);
  if (values) errors.push(...formErrors(values, `${path}.additionalProperties`, "field"));
  return [
    ...errors,
    ...extensionErrors(schema, path),
    ...combinationErrors(schema, path, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf)),
    ...typeErrors(schema, path, level),
    ...metadataErrors(schema, path, level),
  ];
}

/** Of what is alternative or additional to a schema; the one form that may name types is that of int-or-string. */
export function combinationErrors(schema: Schema, path: string, skipAnyOf: boolean, skipFirst: boolean): FieldError[] {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern } = schema;
  const errors = [
    ...(skipAnyOf ? [] : anyOf.flatMap((inner, index) => nestedErrors(inner, `${path}.anyOf[${index}]`, false))),
    ...allOf.flatMap((inner, index) => nestedErrors(inner, `${path}.allOf[${index}]`, skipFirst && index === 0)),
    ...oneOf.flatMap((inner, index) => nestedErrors(inner, `${path}.oneOf[${index}]`, false)),
    ...(not ? nestedErrors(not, `${path}.not`, false) : []),
  ];
  const problem = pattern ? patternProblem(pattern) : undefined;
  if (problem) errors.push(invalid(`${path}.pattern`, pattern, problem));
  return errors;
}

function isIntOrString(anyOf: readonly Schema[] | undefined): boolean {
  return jsonEqual(anyOf, [{ type: "integer" }, { type: "string" }]);
}

function patternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return `must be a valid regular expression, but isn't: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function extensionErrors(schema: Schema, path: string): FieldError[] {
  if (!schema["x-kubernetes-int-or-string"]) return [];
  return (["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const)
    .filter((name) => schema[name])
    .map((name) => invalid(`${path}.${name}`, true, "must be false if x-kubernetes-int-or-string is true"));
}

function typeErrors(schema: Schema, path: string, level: Level): FieldError[] {
  const errors: FieldError[] = [];
  const { type } = schema;
  const isEmbedded = schema["x-kubernetes-embedded-resource"];
  if (isEmbedded && type !== "object") {
    const rule = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type ? invalid(`${path}.type`, type, rule) : required(`${path}.type`, rule));
  } else if (!type && !schema["x-kubernetes-int-or-string"] && !schema["x-kubernetes-preserve-unknown-fields"]) {
    errors.push(required(`${path}.type`, emptyType[level]));
  }
  if (isEmbedded && schema.additionalProperties !== undefined) {
    const rule = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(forbidden(`${path}.additionalProperties`, rule));
  }
  if (level === "root" && type && type !== "object")
    errors.push(invalid(`${path}.type`, type, "must be object at the root"));
  if (
    isEmbedded &&
    !schema["x-kubernetes-preserve-unknown-fields"] &&
    Object.keys(schema.properties ?? {}).length === 0
  ) {
    const rule =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(`${path}.properties`, rule));
  }
  return errors;
}

/** `apiVersion`, `kind` and `metadata` are what they are; only the name may be restricted. */
function metadataErrors(schema: Schema, path: string, level: Level): FieldError[] {
  const errors: FieldError[] = [];
  const isObject = level === "root" || schema["x-kubernetes-embedded-resource"];
  for (const key of ["kind", "apiVersion"]) {
    const inner = own(schema.properties, key);
    if (isObject && inner && inner.type !== "string")
      errors.push(invalid(`${path}.properties[${key}].type`, inner.type ?? "", "must be string"));
  }
  const metadata = own(schema.properties, "metadata");
  if (metadata === undefined) return errors;
  const place = `${path}.properties[metadata]`;
  if (isObject && metadata.type !== "object")
    errors.push(invalid(`${place}.type`, metadata.type ?? "", "must be object"));
  if (level === "root" && saysMoreThanNames(metadata)) {
    const rule = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(forbidden(place, rule));
  }
  return errors;
}

function saysMoreThanNames({ type: _, default: __, properties = {}, ...rest }: Schema): boolean {
  const isOther = Object.keys(properties).some((key) => key !== "name" && key !== "generateName");
  return isOther || Object.values(rest).some((value) => value !== undefined && value !== false);
}
