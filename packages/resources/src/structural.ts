/**
 * From what zod says about a schema to what the API server takes in a CustomResourceDefinition: a structural schema.
 * It knows no references, no unions, and gives every node one type; see the tests for each rule.
 */
import { z } from "zod";

export interface StructuralSchema {
  description?: string;
  type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  format?: string;
  nullable?: boolean;
  enum?: unknown[];
  default?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema;
  items?: StructuralSchema;
  "x-kubernetes-int-or-string"?: true;
  "x-kubernetes-preserve-unknown-fields"?: true;
  "x-kubernetes-list-type"?: "atomic" | "map" | "set";
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-validations"?: { rule: string; message: string; fieldPath?: string }[];
}

export type JsonSchema = { [keyword: string]: unknown };

/** What is copied as it is, in the order in which it is written. */
const copied = [
  "description",
  "type",
  "format",
  "nullable",
  "enum",
  "default",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "required",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-validations",
] as const;

const converted = ["properties", "additionalProperties", "items", "anyOf"];

/** The structural schema of what a client may send, so that a field with a default is not required. */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  return toStructural(z.toJSONSchema(schema, { target: "openapi-3.0", io: "input" }) as JsonSchema);
}

export function toStructural(schema: JsonSchema, path = "the schema"): StructuralSchema {
  for (const keyword of Object.keys(schema)) {
    if (converted.includes(keyword) || (copied as readonly string[]).includes(keyword)) continue;
    throw new Error(`cannot make ${path} structural: the API server does not take "${keyword}" there`);
  }
  const { properties, additionalProperties, items, anyOf, ...plain } = schema;
  const result = plain as StructuralSchema;
  if (anyOf) Object.assign(result, toScalar(anyOf as JsonSchema[], path));
  dropSafeIntegerLimits(result);
  if (items) result.items = toStructural(items as JsonSchema, `${path}[]`);
  if (properties && Object.keys(properties).length > 0) {
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, toStructural(field, `${path}.${name}`)]),
    );
  }
  Object.assign(result, toUnknownFields(additionalProperties, result.properties !== undefined, path));
  return inOrder(result);
}

// zod says of every integer that it is one of the safe ones.
function dropSafeIntegerLimits(schema: StructuralSchema) {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function toUnknownFields(schema: unknown, hasProperties: boolean, path: string): StructuralSchema {
  // Unknown fields are dropped by default; saying so with `false` is an error.
  if (schema === undefined || schema === false) return {};
  if (Object.keys(schema as JsonSchema).length === 0) return { "x-kubernetes-preserve-unknown-fields": true };
  if (hasProperties) throw new Error(`cannot make ${path} structural: it has both named fields and a type for others`);
  return { additionalProperties: toStructural(schema as JsonSchema, `${path}.*`) };
}

/**
 * A value of several scalar types has no type in a structural schema. The limits of each type still hold, since a
 * limit only judges values of its own type.
 */
function toScalar(branches: JsonSchema[], path: string): StructuralSchema {
  const types = branches.map((branch) => branch.type as string).sort();
  if (!types.every((type) => ["boolean", "integer", "number", "string"].includes(type))) {
    throw new Error(`cannot make ${path} structural: a union can only be of scalars; use optional fields and a rule`);
  }
  const limits: StructuralSchema = {};
  for (const { type: _, ...branch } of branches) Object.assign(limits, toStructural(branch, path));
  if (types.join() === "integer,string") return { ...limits, "x-kubernetes-int-or-string": true };
  // No object and no list can keep these limits; every scalar does.
  const onlyScalars = { minProperties: 1, maxProperties: 0, minItems: 1, maxItems: 0 };
  return { ...limits, ...onlyScalars, "x-kubernetes-preserve-unknown-fields": true };
}

function inOrder(schema: StructuralSchema): StructuralSchema {
  const structure = ["properties", "additionalProperties", "items"] as const;
  const kubernetes = ["x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"] as const;
  const ordered: Record<string, unknown> = {};
  for (const keyword of [...copied, ...kubernetes, ...structure]) {
    if (schema[keyword] !== undefined) ordered[keyword] = schema[keyword];
  }
  return ordered as StructuralSchema;
}
