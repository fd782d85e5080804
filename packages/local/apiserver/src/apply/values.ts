/** Plain JSON, as everything here reads it. Keys such as `__proto__` are data like any other; `undefined` is absent. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function getField(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** What stands at the end of these names, if they lead anywhere. */
export function getPath(value: unknown, ...names: string[]): unknown {
  let found = value;
  for (const name of names) found = isObject(found) ? getField(found, name) : undefined;
  return found;
}

export function withField(object: JsonObject, key: string, value: unknown): JsonObject {
  return fromEntries([...Object.entries(object).filter(([name]) => name !== key), [key, value]]);
}

export function withoutField(object: JsonObject, key: string): JsonObject {
  if (!Object.hasOwn(object, key)) return object;
  return fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/** Unlike assignment, never sets a prototype. */
export function fromEntries(entries: Iterable<readonly [string, unknown]>): JsonObject {
  return Object.fromEntries(entries);
}

/** The order of Kubernetes: by UTF-8 bytes, which is by code points. JavaScript's own order is by UTF-16 units. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (x === y) continue;
    const [xIsHalf, yIsHalf] = [isHalfOfPair(x), isHalfOfPair(y)];
    if (xIsHalf !== yIsHalf) return xIsHalf ? 1 : -1;
    return x < y ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

function isHalfOfPair(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000;
}
