/**
 * Reads an object as Go reads it into its struct: what has the wrong type is refused, what the struct has no field for
 * is dropped and told, nulls and empty optional lists and maps are as if they had not been there.
 */
import { badRequest } from "../../errors/refusals.ts";
import { additional, child, isRecord, type Json, own, set } from "../json.ts";
import { metadataSchema } from "../metadata/metadata-schema.ts";
import { isMicroTime } from "../micro-time.ts";
import type { Schema } from "../schema.ts";
import { isTooDeep, tooDeep } from "./depth.ts";
import { goType, jsonType, structOf, zeroValue } from "./go-types.ts";
import { readBytes, readMicroTime, readQuantity, readTime, Unreadable } from "./scalars.ts";

/** As many unknown fields as Kubernetes tells. */
const mostTold = 100;

/** Where a value stands: in which struct, under which fields, and at which path. */
interface Place {
  /** The struct whose field it is, or in whose list or map it stands. */
  struct: string;
  /** As errors name it: without the places in lists. */
  fields: string;
  path: string;
  /** What the field holds, or holds a list or map of. */
  holds: string;
}

/**
 * Changes the object into what Go would have read. Returns the paths that its kind does not know, in the order in which
 * they stand there; throws a 400 where something has the wrong type.
 */
export function decodeBuiltIn(object: Json, schema: Schema, kind: string): string[] {
  const whole: Schema = {
    ...schema,
    type: "object",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      ...schema.properties,
      metadata: metadataSchema,
    },
  };
  return orRefuse(object, kind, () => {
    const unknown = decode(object, whole, { struct: kind, fields: "", path: "", holds: kind });
    if (isTooDeep(object)) throw new Unreadable(tooDeep);
    return unknown;
  });
}

/** The same for `metadata` alone: all of a custom object that is read into a struct. */
export function decodeMetadata(object: Json, kind: string): string[] {
  if (!Object.hasOwn(object, "metadata")) return [];
  return orRefuse(object, kind, () => decodeMetadataOf(object, ""));
}

/** Without saying of which kind; for objects inside of others. Throws `Unreadable`. */
export function decodeMetadataOf(object: Json, path: string): string[] {
  const { metadata } = object;
  if (metadata === null) {
    object.metadata = {};
    return [];
  }
  if (!isRecord(metadata))
    throw new Unreadable(`json: cannot unmarshal ${jsonType(metadata)} into Go value of type v1.ObjectMeta`);
  const place = { struct: "ObjectMeta", fields: "", path: child(path, "metadata"), holds: "ObjectMeta" };
  return decode(metadata, metadataSchema, place);
}

function orRefuse(object: Json, kind: string, read: () => string[]): string[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw badRequest(`${kind} in version "${versionOf(object)}" cannot be handled as a ${kind}: ${error.message}`);
  }
}

function versionOf({ apiVersion }: Json): string {
  return typeof apiVersion === "string" ? (apiVersion.split("/").at(-1) ?? "") : "";
}

function decode(object: Json, schema: Schema, place: Place): string[] {
  const version = versionOf(object) || "v1";
  const unknown: string[] = [];
  // Go goes on after a wrong type, and stops at once where a type reads itself, such as a time or an amount.
  let wrongType: Unreadable | undefined;
  readFields(object, schema, place);
  if (wrongType) throw wrongType;
  return unknown;

  function readFields(value: Json, shape: Schema, at: Place): void {
    for (const key of Object.keys(value)) {
      const path = child(at.path, key);
      const inner = own(shape.properties, key);
      if (inner === undefined) {
        if (shape["x-kubernetes-preserve-unknown-fields"]) continue;
        if (unknown.length < mostTold) unknown.push(path);
        delete value[key];
        continue;
      }
      const isRoot = at.path === "" && at.fields === "";
      const fields = child(at.fields, key);
      const read = readValue(value[key], inner, {
        struct: at.holds,
        fields,
        path,
        holds: structOf(at.holds, key, isRoot),
      });
      if (read === null || (isEmptyCollection(read, inner) && !shape.required?.includes(key))) delete value[key];
      else value[key] = read;
    }
  }

  function readValue(value: unknown, shape: Schema, at: Place): unknown {
    if (value === null) return null;
    if (shape["x-kubernetes-int-or-string"]) return readIntOrString(value, shape, at);
    if (shape.type === undefined) return value;
    switch (shape.type) {
      case "array":
        return Array.isArray(value) ? readItems(value, shape, at) : refuse(value, shape, at);
      case "object":
        return isRecord(value) ? readObject(value, shape, at) : refuse(value, shape, at);
      case "string":
        if (shape.format === "byte" && Array.isArray(value)) return readByteList(value, at);
        if (typeof value !== "string" && shape.format === "date-time") throw wrongTypeOf(value, shape, at);
        if (typeof value !== "string") return refuse(value, shape, at);
        return shape.format === "byte" ? readBase64(value) : readText(value, shape);
      case "boolean":
        return typeof value === "boolean" ? value : refuse(value, shape, at);
      case "number":
        return typeof value === "number" ? value : refuse(value, shape, at);
      case "integer":
        return readInteger(value, shape, at);
    }
  }

  function readObject(value: Json, shape: Schema, at: Place): unknown {
    const values = additional(shape);
    if (values === undefined) readFields(value, shape, at);
    else for (const key of Object.keys(value)) set(value, key, readOrZero(value[key], values, inside(at, `.${key}`)));
    return value;
  }

  function readItems(value: unknown[], shape: Schema, at: Place): unknown {
    const { items } = shape;
    return items ? value.map((item, index) => readOrZero(item, items, inside(at, `[${index}]`))) : value;
  }

  function readOrZero(value: unknown, shape: Schema, at: Place): unknown {
    return value === null ? zeroValue(shape) : readValue(value, shape, at);
  }

  function readInteger(value: unknown, shape: Schema, at: Place): unknown {
    return isInteger(value, shape) ? value : refuse(value, shape, at, shownNumber(value));
  }

  function readIntOrString(value: unknown, shape: Schema, at: Place): unknown {
    if (shape.format === "quantity") return readQuantity(value);
    if (typeof value === "string" || isInteger(value, int32)) return value;
    throw wrongTypeOf(value, int32, at, shownNumber(value));
  }

  function readBase64(value: string): string | null {
    try {
      return readBytes(value);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      wrongType ??= error;
      return null;
    }
  }

  /** Bytes may also come one by one. */
  function readByteList(value: unknown[], at: Place): string {
    const wrong = value.find((item) => item !== null && !(isInteger(item, int32) && (item as number) >>> 0 < 256));
    if (wrong !== undefined) refuse(wrong, byte, at, shownNumber(wrong));
    return Buffer.from(value.map(Number)).toString("base64");
  }

  /** As if nothing had been there. */
  function refuse(value: unknown, shape: Schema, at: Place, what = jsonType(value)): null {
    wrongType ??= wrongTypeOf(value, shape, at, what);
    return null;
  }

  function wrongTypeOf(value: unknown, shape: Schema, at: Place, what = jsonType(value)): Unreadable {
    const type = goType(shape, at.holds, version);
    return new Unreadable(
      `json: cannot unmarshal ${what} into Go struct field ${at.struct}.${at.fields} of type ${type}`,
    );
  }
}

const byte: Schema = { type: "integer", format: "uint8" };
const int32: Schema = { type: "integer", format: "int32" };

function isInteger(value: unknown, { format }: Schema): boolean {
  const most = format === "int32" ? 2 ** 31 : 2 ** 63;
  return Number.isInteger(value) && (value as number) < most && (value as number) >= -most;
}

/** A number that does not fit is shown. */
function shownNumber(value: unknown): string {
  return typeof value === "number" ? `number ${value}` : jsonType(value);
}

/** In a list or map: errors do not name the place in it. */
function inside(at: Place, step: string): Place {
  return { ...at, path: at.path + step };
}

function readText(value: string, schema: Schema): string {
  if (schema.format !== "date-time") return value;
  return isMicroTime(schema) ? readMicroTime(value) : readTime(value);
}

/** Go leaves these out when it writes the object. */
function isEmptyCollection(value: unknown, schema: Schema): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && schema.additionalProperties !== undefined && Object.keys(value).length === 0;
}
