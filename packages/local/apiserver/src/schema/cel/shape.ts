/** From a schema to what CEL makes of it: the type of its values, and how they are read from JSON. */
import { ParseError, parseDuration } from "@berg/apimachinery";
import type { Schema } from "../schema.ts";
import { escapeName } from "./escape.ts";
import { parseTimestamp } from "./library/timestamps.ts";
import { bool, type CelType, dyn, int, listOf, mapOf, string, typeOf } from "./types.ts";
import { CelError, Duration, MapList, SetList, Struct, type StructField, Timestamp, type Value } from "./values.ts";

export interface Shape {
  readonly type: CelType;
  read(json: unknown): Value;
}

/** Undefined where nothing is known of the values: rules cannot look at them. */
export function shapeOf(
  schema: Schema,
  isResource = schema["x-kubernetes-embedded-resource"] === true,
): Shape | undefined {
  const shape = shapeOfValues(schema, isResource);
  return shape && { type: shape.type, read: (json) => (json === null || json === undefined ? null : shape.read(json)) };
}

function shapeOfValues(schema: Schema, isResource: boolean): Shape | undefined {
  if (schema["x-kubernetes-int-or-string"]) return { type: dyn, read: readIntOrString };
  switch (schema.type) {
    case "object":
      return isResource ? objectShape(withMetadata(schema)) : objectShape(schema);
    case "array":
      return listShape(schema);
    case "string":
      return textShape(schema.format);
    case "boolean":
      return { type: bool, read: (json) => (typeof json === "boolean" ? json : fail("bool", json)) };
    case "number":
      return { type: typeOf("double"), read: (json) => (typeof json === "number" ? json : fail("float", json)) };
    case "integer":
      return { type: int, read: readInteger };
    default:
      return undefined;
  }
}

const anyText: Schema = { type: "string" };

/** What every resource has, whatever its schema says. */
function withMetadata(schema: Schema): Schema {
  const metadata: Schema = { type: "object", properties: { name: anyText, generateName: anyText } };
  return { ...schema, properties: { ...schema.properties, kind: anyText, apiVersion: anyText, metadata } };
}

function objectShape(schema: Schema): Shape | undefined {
  if (typeof schema.additionalProperties === "object") {
    const values = shapeOf(schema.additionalProperties);
    return values && { type: mapOf(string, values.type), read: (json) => readMap(json, values) };
  }
  const types = new Map<string, CelType>();
  const fields = new Map<string, StructField>();
  for (const [jsonName, property] of Object.entries(schema.properties ?? {})) {
    const name = escapeName(jsonName);
    const shape = shapeOf(property);
    if (name === undefined || !shape) continue;
    types.set(name, shape.type);
    fields.set(name, { jsonName, read: shape.read });
  }
  const type: CelType = { name: "object", of: [], fields: types };
  return { type, read: (json) => new Struct(recordOf(json), fields) };
}

function readMap(json: unknown, values: Shape): Value {
  return new Map(Object.entries(recordOf(json)).map(([key, value]) => [key, values.read(value)]));
}

function listShape(schema: Schema): Shape | undefined {
  const items = schema.items && shapeOf(schema.items);
  if (!items) return undefined;
  const keys = schema["x-kubernetes-list-map-keys"]?.map((key) => escapeName(key) ?? key) ?? [];
  return {
    type: listOf(items.type),
    read(json) {
      if (!Array.isArray(json)) return fail("array", json);
      const values = json.map(items.read);
      if (schema["x-kubernetes-list-type"] === "set") return SetList.from(values) as SetList;
      if (schema["x-kubernetes-list-type"] !== "map") return values;
      const list = MapList.from(values) as MapList;
      list.keyNames = keys;
      return list;
    },
  };
}

function textShape(format: string | undefined): Shape {
  switch (format) {
    case "byte":
      return { type: typeOf("bytes"), read: readBytes };
    case "duration":
      return { type: typeOf("duration"), read: readDuration };
    case "date":
      return { type: typeOf("timestamp"), read: (json) => new Timestamp(parseTimestamp(`${textOf(json)}T00:00:00Z`)) };
    case "date-time":
      return { type: typeOf("timestamp"), read: (json) => new Timestamp(parseTimestamp(textOf(json))) };
    default:
      return { type: string, read: textOf };
  }
}

function readDuration(json: unknown): Value {
  try {
    return new Duration(parseDuration(textOf(json)));
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new CelError(`Invalid duration ${json}: ${error.message}`);
  }
}

/** The URL's alphabet, unlike elsewhere in Kubernetes. */
function readBytes(json: unknown): Value {
  const text = textOf(json);
  const wrong = text.search(/[^\w=-]/);
  if (wrong < 0) return Buffer.from(text, "base64url");
  throw new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${wrong}`);
}

function readIntOrString(json: unknown): Value {
  if (typeof json === "string") return json;
  if (Number.isInteger(json)) return BigInt(json as number);
  throw new CelError("invalid data, expected XIntOrString value to be either a string or integer");
}

function readInteger(json: unknown): Value {
  return Number.isInteger(json) ? BigInt(json as number) : fail("int", json);
}

function textOf(json: unknown): string {
  return typeof json === "string" ? json : fail("string", json);
}

function recordOf(json: unknown): Record<string, unknown> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return fail("map", json);
  return json as Record<string, unknown>;
}

function fail(wanted: string, json: unknown): never {
  throw new CelError(`invalid data, expected ${wanted}, got ${typeof json}`);
}
