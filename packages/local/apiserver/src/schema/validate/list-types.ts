/** Lists that are sets or maps have each item, or each key, once. */
import { duplicate, type FieldError, invalid } from "../../errors/field-error.ts";
import { additional, child, isRecord, type Json, own, set, sorted } from "../json.ts";
import type { Schema } from "../schema.ts";

export function checkListTypes(value: unknown, schema: Schema | undefined, path = ""): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    const inner = value.flatMap((item, index) => checkListTypes(item, schema.items, `${path}[${index}]`));
    return [...listErrors(value, schema, path), ...inner];
  }
  if (!isRecord(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const known = own(schema.properties, key);
    if (known !== undefined) return checkListTypes(value[key], known, child(path, key));
    return checkListTypes(value[key], additional(schema), `${path}[${key}]`);
  });
}

function listErrors(list: readonly unknown[], schema: Schema, path: string): FieldError[] {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return repeated(list).map((index) => duplicate(`${path}[${index}]`, sorted(list[index])));
    case "map": {
      const odd = list.findIndex((item) => item !== null && !isRecord(item));
      if (odd !== -1)
        return [invalid(`${path}[${odd}]`, sorted(list[odd]), "must be an object for an array of list-type map")];
      const keys = list.map((item) => keyOf(item, schema["x-kubernetes-list-map-keys"] ?? []));
      return repeated(keys).map((index) => duplicate(`${path}[${index}]`, keys[index]));
    }
    default:
      return [];
  }
}

/** Where a value stands for the second time; further times are not told. */
function repeated(values: readonly unknown[]): number[] {
  const times = new Map<string, number>();
  return values.flatMap((value, index) => {
    const text = JSON.stringify(sorted(value));
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    return before === 1 ? [index] : [];
  });
}

function keyOf(item: unknown, keys: readonly string[]): Json {
  const key: Json = {};
  if (!isRecord(item)) return key;
  for (const name of [...keys].sort()) if (Object.hasOwn(item, name)) set(key, name, sorted(item[name]));
  return key;
}
