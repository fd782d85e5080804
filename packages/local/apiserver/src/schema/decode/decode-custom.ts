/**
 * Reads an object of a custom kind: `metadata`, its own and that of objects inside of it, is read into a struct as that of
 * built-in kinds is; the rest is pruned as its schema says. Wrong types in the rest are found by validation.
 */
import { formatFieldError, invalid } from "../../errors/field-error.ts";
import { badRequest } from "../../errors/refusals.ts";
import { dropNulls } from "../fill-defaults.ts";
import { additional, child, isRecord, type Json, own, sorted } from "../json.ts";
import type { Schema } from "../schema.ts";
import { unknownFields } from "../unknown-fields.ts";
import { decodeMetadata, decodeMetadataOf } from "./decode-object.ts";
import { isTooDeep, tooDeep } from "./depth.ts";
import { Unreadable } from "./scalars.ts";

/** Changes the object. Returns the paths that its kind does not know; throws a 400 where metadata cannot be read. */
export function decodeCustom(object: Json, schema: Schema, kind: string, keepsNulls = false): string[] {
  const unknown = unknownFields(object, schema, { drop: true });
  decodeMetadata(object, kind);
  const problem = isTooDeep(object) ? tooDeep : readEmbedded(object, schema, "");
  if (problem !== undefined) {
    const version = String(object.apiVersion ?? "")
      .split("/")
      .at(-1);
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`);
  }
  if (!keepsNulls) dropNulls(object, schema);
  return unknown;
}

function readEmbedded(value: unknown, schema: Schema | undefined, path: string): string | undefined {
  if (schema === undefined) return undefined;
  if (Array.isArray(value))
    return firstOf(value.entries(), ([index, item]) => readEmbedded(item, schema.items, `${path}[${index}]`));
  if (!isRecord(value)) return undefined;
  return (
    (schema["x-kubernetes-embedded-resource"] ? readTypeAndMetadata(value, path) : undefined) ??
    firstOf(Object.keys(value), (key) => {
      const known = own(schema.properties, key);
      return readEmbedded(value[key], known ?? additional(schema), known ? child(path, key) : `${path}[${key}]`);
    })
  );
}

function readTypeAndMetadata(object: Json, path: string): string | undefined {
  for (const key of ["apiVersion", "kind"]) {
    if (Object.hasOwn(object, key) && typeof object[key] !== "string")
      return formatFieldError(invalid(child(path, key), sorted(object[key]), "must be a string"));
  }
  if (!Object.hasOwn(object, "metadata")) return undefined;
  const before = sorted(structuredClone(object.metadata));
  try {
    decodeMetadataOf(object, path);
    return undefined;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return formatFieldError(invalid(child(path, "metadata"), before, error.message));
  }
}

function firstOf<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
