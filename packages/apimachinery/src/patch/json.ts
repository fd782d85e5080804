/**
 * Reading and changing plain JSON without touching what was passed in. Keys such as `__proto__` and `constructor` are
 * data like any other: they are never looked up on, or written to, a prototype. `undefined`, which JSON has not,
 * counts as absent.
 */
export type JsonObject = { readonly [key: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function keysOf(object: JsonObject): string[] {
  return Object.keys(object).filter((key) => object[key] !== undefined);
}

export function getField(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** For objects still under construction only. */
export function setField(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** The object with these fields changed, or removed where `undefined`; the very same object where that changes nothing. */
export function withFields(object: JsonObject, changes: Iterable<readonly [string, unknown]>): JsonObject {
  let changed: Record<string, unknown> | undefined;
  for (const [key, value] of changes) {
    if (jsonEqual(getField(object, key), value)) continue;
    changed ??= { ...object };
    if (value === undefined) delete changed[key];
    else setField(changed, key, value);
  }
  return changed ?? object;
}

/** Equality of JSON values: the order of keys does not matter. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isList(a)) {
    return isList(b) && a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = keysOf(a);
  return keys.length === keysOf(b).length && keys.every((key) => jsonEqual(a[key], getField(b, key)));
}
