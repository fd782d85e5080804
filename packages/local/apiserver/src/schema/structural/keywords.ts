/** Keywords that must not be used, or only together with others: at every level of a schema. */
import { type FieldError, forbidden, invalid, notSupported, required } from "../../errors/field-error.ts";
import { additional } from "../json.ts";
import type { Schema } from "../schema.ts";
import { listErrors } from "./lists.ts";

/** What a schema may say that is not in `Schema`, as it cannot be served. */
type AnyKeyword = Schema & { [keyword: string]: unknown };

const notServed = ["id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions"];
const reported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];
const types = ["array", "boolean", "integer", "number", "object", "string"];
const metaFields = ["metadata", "kind", "apiVersion"];

interface Context {
  isRoot: boolean;
  /** Why there may be no default here; undefined where there may. */
  noDefaults?: string;
  isInMetadata?: boolean;
}

export function keywordErrors(schema: Schema, path: string, context: Context = { isRoot: true }): FieldError[] {
  return [...ownErrors(schema, path, context), ...innerErrors(schema, path, context), ...listErrors(schema, path)];
}

/** Undefined where there is none. */
export function unsupportedKeyword(schema: Schema): string | undefined {
  const anyKeyword = schema as AnyKeyword;
  const found = notServed.find((keyword) => isSet(anyKeyword[keyword]));
  if (found !== undefined) return `OpenAPIV3Schema '${found.replace("$schema", "schema")}' is not supported`;
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  if (anyKeyword["x-kubernetes-preserve-unknown-fields"] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  for (const [, inner] of partsOf(schema, "")) {
    const problem = unsupportedKeyword(inner);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function ownErrors(schema: Schema, path: string, { noDefaults, isInMetadata }: Context): FieldError[] {
  const errors: FieldError[] = [];
  const anyKeyword = schema as AnyKeyword;
  const type: string | undefined = schema.type;
  if (type && !types.includes(type)) errors.push(notSupported(`${path}.type`, type, types));
  if (schema.default !== undefined && noDefaults !== undefined)
    errors.push(forbidden(`${path}.default`, `must not be set ${noDefaults}`));
  for (const keyword of reported)
    if (isSet(anyKeyword[keyword])) errors.push(forbidden(`${path}.${keyword}`, `${keyword} is not supported`));
  if (type === "null")
    errors.push(forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  if (Array.isArray(schema.items))
    errors.push(forbidden(`${path}.items`, "items must be a schema object and not an array"));
  if (isInMetadata && schema["x-kubernetes-embedded-resource"])
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  if (schema.uniqueItems) {
    const rule = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbidden(`${path}.uniqueItems`, rule));
  }
  const hasProperties = Object.keys(schema.properties ?? {}).length > 0;
  if (hasProperties && schema.additionalProperties !== undefined && schema.additionalProperties !== true) {
    const rule = "additionalProperties and properties are mutual exclusive";
    errors.push(forbidden(`${path}.additionalProperties`, rule));
  }
  if (anyKeyword["x-kubernetes-preserve-unknown-fields"] === false)
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  return [...errors, ...mapTypeErrors(schema, path)];
}

function mapTypeErrors(schema: Schema, path: string): FieldError[] {
  const mapType: string | undefined = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return [];
  const errors: FieldError[] = [];
  const rule = "must be object if x-kubernetes-map-type is specified";
  if (!schema.type) errors.push(required(`${path}.type`, rule));
  else if (schema.type !== "object") errors.push(invalid(`${path}.type`, schema.type, rule));
  if (mapType !== "atomic" && mapType !== "granular")
    errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  return errors;
}

function innerErrors(schema: Schema, path: string, context: Context): FieldError[] {
  return partsOf(schema, path).flatMap(([place, inner, property]) => {
    const isMeta = property !== undefined && metaFields.includes(property);
    const isObject = context.isRoot || schema["x-kubernetes-embedded-resource"];
    const next: Context = { ...context, isRoot: false };
    if (isMeta && isObject) next.isInMetadata = true;
    if (isMeta && context.isRoot) next.noDefaults = `in top-level ${property}`;
    if (inner === additional(schema) && context.isInMetadata)
      next.noDefaults = "inside additionalProperties applying to object metadata";
    return keywordErrors(inner, place, next);
  });
}

/** All schemas right inside of one, with where they stand and, of properties, their name. */
function partsOf(schema: Schema, path: string): [path: string, schema: Schema, property?: string][] {
  const { properties = {}, not, allOf = [], oneOf = [], anyOf = [], items } = schema;
  const values = additional(schema);
  const numbered = (name: string, list: readonly Schema[]) =>
    list.map((inner, index): [string, Schema] => [`${path}.${name}[${index}]`, inner]);
  return [
    ...(values ? [[`${path}.additionalProperties`, values] as [string, Schema]] : []),
    ...Object.entries(properties).map(([key, inner]): [string, Schema, string] => [
      `${path}.properties[${key}]`,
      inner,
      key,
    ]),
    ...(not ? [[`${path}.not`, not] as [string, Schema]] : []),
    ...numbered("allOf", allOf),
    ...numbered("oneOf", oneOf),
    ...numbered("anyOf", anyOf),
    ...(Array.isArray(items) ? numbered("items", items) : items ? [[`${path}.items`, items] as [string, Schema]] : []),
  ];
}

function isSet(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== "";
}
