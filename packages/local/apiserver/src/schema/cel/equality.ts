/** Which values are the same. */
import { jsonEqual } from "@berg/apimachinery";
import {
  Duration,
  isList,
  type MapKey,
  MapList,
  Opaque,
  Optional,
  SetList,
  Struct,
  Timestamp,
  TypeValue,
  Uint,
  Unknown,
  type Value,
} from "./values.ts";

/** Values of different types are simply not equal; numbers are, where they are the same number. */
export function equal(a: Value, b: Value): boolean {
  const numberA = numberOf(a);
  if (numberA !== undefined) {
    const numberB = numberOf(b);
    // biome-ignore lint/suspicious/noDoubleEquals: 1n == 1.0 is what CEL means
    return numberB !== undefined && numberA == numberB;
  }
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (isList(a)) return isList(b) && equalLists(a, b);
  if (a instanceof Struct) return b instanceof Struct && equalStructs(a, b);
  if (a instanceof Map) return b instanceof Map && equalMaps(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Unknown) return b instanceof Unknown && jsonEqual(a.json, b.json);
  if (a instanceof Optional) {
    if (!(b instanceof Optional)) return false;
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return equal(a.value, b.value);
  }
  return a instanceof Opaque && b instanceof Opaque && a.typeName === b.typeName && a.equals(b);
}

export function numberOf(value: Value): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return value instanceof Uint ? value.value : undefined;
}

function equalLists(a: readonly Value[], b: readonly Value[]): boolean {
  if (a.length !== b.length) return false;
  if (a instanceof MapList) {
    const byKey = new Map(a.map((item) => [a.keyOf(item), item]));
    return b.every((item) => {
      const other = byKey.get(a.keyOf(item));
      return other !== undefined && equal(other, item);
    });
  }
  if (a instanceof SetList) return b.every((item) => a.some((other) => equal(other, item)));
  return a.every((item, index) => equal(item, b[index] as Value));
}

function equalMaps(a: ReadonlyMap<MapKey, Value>, b: ReadonlyMap<MapKey, Value>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !equal(value, other)) return false;
  }
  return true;
}

function equalStructs(a: Struct, b: Struct): boolean {
  const keys = Object.keys(a.json);
  if (keys.length !== Object.keys(b.json).length) return false;
  const described = new Map([...a.fields].map(([name, field]) => [field.jsonName, name]));
  return keys.every((key) => {
    if (!Object.hasOwn(b.json, key)) return false;
    const name = described.get(key);
    if (name === undefined) return jsonEqual(a.json[key], b.json[key]);
    return equal(a.get(name) ?? null, b.get(name) ?? null);
  });
}
