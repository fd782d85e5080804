/**
 * A value beside what was stored in its place. What has not changed is not held against whoever changes something else:
 * a schema may have become stricter since.
 */
import { jsonEqual } from "@berg/apimachinery";
import { isRecord, own, schemaOf } from "../json.ts";
import type { Schema } from "../schema.ts";

export class Compared {
  readonly value: unknown;
  readonly old: unknown;
  readonly #schema: Schema;
  #isEqual: boolean | undefined;
  #oldItems: Map<string, unknown> | undefined;

  constructor(value: unknown, old: unknown, schema: Schema) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  /** Undefined where it is new, or where the schema does not say what it is. */
  field(key: string): Compared | undefined {
    if (!isRecord(this.value) || !isRecord(this.old)) return undefined;
    if (!Object.hasOwn(this.value, key) || !Object.hasOwn(this.old, key)) return undefined;
    const schema = schemaOf(key, this.#schema);
    return schema && new Compared(this.value[key], this.old[key], schema);
  }

  /** Only items of lists with keys can be told apart. */
  item(index: number): Compared | undefined {
    const { items } = this.#schema;
    if (!this.#isListMap() || !Array.isArray(this.value) || !Array.isArray(this.old) || !items) return undefined;
    const key = this.#keyOf(this.value[index]);
    this.#oldItems ??= this.#byKey(this.old);
    if (key === undefined || !this.#oldItems.has(key)) return undefined;
    return new Compared(this.value[index], this.#oldItems.get(key), items);
  }

  get isEqual(): boolean {
    this.#isEqual ??= this.#compare();
    return this.#isEqual;
  }

  #compare(): boolean {
    const { value, old } = this;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (!this.#isListMap()) return jsonEqual(value, old);
      return value.length === old.length && value.every((_, index) => this.item(index)?.isEqual ?? false);
    }
    if (isRecord(value) && isRecord(old)) {
      const keys = Object.keys(value);
      return keys.length === Object.keys(old).length && keys.every((key) => this.field(key)?.isEqual ?? false);
    }
    return value === old;
  }

  #isListMap(): boolean {
    return this.#schema["x-kubernetes-list-type"] === "map";
  }

  /** Of several with one key, the first. */
  #byKey(list: readonly unknown[]): Map<string, unknown> {
    const items = new Map<string, unknown>();
    for (const item of list) {
      const key = this.#keyOf(item);
      if (key !== undefined && !items.has(key)) items.set(key, item);
    }
    return items;
  }

  #keyOf(item: unknown): string | undefined {
    if (!isRecord(item)) return undefined;
    const values = (this.#schema["x-kubernetes-list-map-keys"] ?? []).map((key) => own(item, key));
    return values.every((value) => value !== undefined && value !== null && typeof value !== "object")
      ? JSON.stringify(values)
      : undefined;
  }
}
