/** Fills in what was left out, as the schema says. Nothing is made inside of what is not there. */
import { additional, isRecord, type Json, own, schemaOf, set } from "./json.ts";
import type { Schema } from "./schema.ts";

/** Changes the object. Nulls where the schema has none count as left out, unless they are to be kept. */
export function fillDefaults(object: unknown, schema: Schema, keepsNulls = false): void {
  if (!keepsNulls) dropNulls(object, schema);
  fill(object, schema);
}

/** Drops nulls of fields that have no null and no default. Items of lists stay: their places mean something. */
export function dropNulls(value: unknown, schema: Schema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(item, schema.items);
  } else if (isRecord(value)) {
    for (const key of Object.keys(value)) {
      const inner = schemaOf(key, schema);
      if (isWrongNull(value[key], inner) && !hasDefault(inner)) delete value[key];
      else dropNulls(value[key], inner);
    }
  }
}

function fill(value: unknown, schema: Schema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (isWrongNull(item, schema.items)) value[index] = defaultOf(schema.items);
      fill(value[index], schema.items);
    }
  } else if (isRecord(value)) {
    fillFields(value, schema);
  }
}

function fillFields(value: Json, schema: Schema): void {
  for (const [key, inner] of Object.entries(schema.properties ?? {})) {
    if (!hasDefault(inner)) continue;
    if (!Object.hasOwn(value, key) || isWrongNull(value[key], inner)) set(value, key, defaultOf(inner));
  }
  for (const key of Object.keys(value)) {
    const inner = own(schema.properties, key);
    const extra = inner === undefined ? additional(schema) : undefined;
    if (isWrongNull(value[key], extra)) set(value, key, defaultOf(extra));
    fill(value[key], inner ?? extra);
  }
}

function isWrongNull(value: unknown, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && !schema.nullable;
}

function hasDefault(schema: Schema | undefined): boolean {
  return schema?.default !== undefined && schema.default !== null;
}

/** A copy of its own: what is stored is changed later. */
function defaultOf(schema: Schema | undefined): unknown {
  return schema?.default === undefined ? null : structuredClone(schema.default);
}
