/** What a value was before an update. */
import { jsonEqual } from "@berg/apimachinery";
import type { Schema } from "../schema.ts";

type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function fieldOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The same item of the old list: only lists whose items have keys can tell. */
export function oldItemFinder(schema: Schema, old: unknown): (item: unknown) => unknown {
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old)) return () => undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const keyOf = (item: unknown): string =>
    JSON.stringify(keys.map((key) => fieldOf(item, key) ?? schema.items?.properties?.[key]?.default ?? null));
  const byKey = new Map<string, unknown>();
  for (const item of old) if (isRecord(item) && !byKey.has(keyOf(item))) byKey.set(keyOf(item), item);
  return (item) => (isRecord(item) ? byKey.get(keyOf(item)) : undefined);
}

/** A value with what it was. Undefined where nobody can tell what it was. */
export class Pair {
  readonly value: unknown;
  readonly old: unknown;
  readonly schema: Schema;
  #isUnchanged: boolean | undefined;

  constructor(value: unknown, old: unknown, schema: Schema) {
    this.value = value;
    this.old = old;
    this.schema = schema;
  }

  get isUnchanged(): boolean {
    this.#isUnchanged ??= isUnchanged(this.value, this.old, this.schema);
    return this.#isUnchanged;
  }

  key(key: string): Pair | undefined {
    const schema = schemaOf(this.schema, key);
    const [value, old] = [fieldOf(this.value, key), fieldOf(this.old, key)];
    return schema && value !== undefined && old !== undefined ? new Pair(value, old, schema) : undefined;
  }

  item(value: unknown, old: unknown): Pair | undefined {
    return this.schema.items && old !== undefined && old !== null ? new Pair(value, old, this.schema.items) : undefined;
  }
}

function schemaOf(schema: Schema, key: string): Schema | undefined {
  if (schema.properties && Object.hasOwn(schema.properties, key)) return schema.properties[key];
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** Items with keys may have changed places. What no schema describes counts as changed. */
function isUnchanged(value: unknown, old: unknown, schema: Schema): boolean {
  if (Array.isArray(value) && Array.isArray(old)) {
    if (value.length !== old.length) return false;
    if (schema["x-kubernetes-list-type"] !== "map" || !schema.items) return jsonEqual(value, old);
    const find = oldItemFinder(schema, old);
    const { items } = schema;
    return value.every((item) => {
      const before = find(item);
      return before !== undefined && isUnchanged(item, before, items);
    });
  }
  if (!isRecord(value) || !isRecord(old)) return jsonEqual(value, old);
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(old).length) return false;
  return keys.every((key) => {
    const inner = schemaOf(schema, key);
    return inner !== undefined && Object.hasOwn(old, key) && isUnchanged(value[key], old[key], inner);
  });
}
