/** Copies of plain JSON. Stored objects are frozen and shared: who wants another one changes a copy. */
import type { AnyObject } from "./resource.ts";

/** A deep copy that may be changed. Keys such as `__proto__` stay plain data. */
export function draftOf<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const made: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined) setField(made, key, copy(field));
  }
  return made;
}

/** `__proto__` too. */
export function setField(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A part of an object that is itself an object, such as `spec`; empty where there is none. */
export function partOf(object: AnyObject, name: string): Record<string, unknown> {
  const part = object[name];
  return isObject(part) ? part : {};
}

/** What Go's `json` calls the type of a value in its errors. */
export function goTypeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** As Go prints it with `%v`: `map[spec:map[replicas:3]]`. The API's own texts show patches so. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const fields = Object.keys(value).sort();
  return `map[${fields.map((key) => `${key}:${goText(value[key])}`).join(" ")}]`;
}

/** With the keys of every object sorted. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, field) =>
    isObject(field) ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1))) : field,
  );
}
