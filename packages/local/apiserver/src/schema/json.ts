/** Plain JSON. Names such as `__proto__` and `constructor` are data: nothing is looked up on, or written to, a prototype. */
import type { Schema } from "./schema.ts";

export type Json = Record<string, unknown>;

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function own<T>(record: { readonly [key: string]: T } | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

export function set(record: Json, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    record[key] = value;
  }
}

/** The schema of a field: its own, or that of all fields that have none. */
export function schemaOf(key: string, schema: Schema | undefined): Schema | undefined {
  return own(schema?.properties, key) ?? additional(schema);
}

/** The schema of the values of a map; undefined where there is none. */
export function additional(schema: Schema | undefined): Schema | undefined {
  const extra = schema?.additionalProperties;
  return typeof extra === "object" ? extra : undefined;
}

/** Keys in order at every level, as Go prints maps. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const result: Json = {};
  for (const key of Object.keys(value).sort()) set(result, key, sorted(value[key]));
  return result;
}

/** `spec` and `replicas` make `spec.replicas`. */
export function child(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
