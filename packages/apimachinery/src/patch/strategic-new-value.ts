import { isJsonObject, isList, type JsonObject, keysOf, setField } from "./json.ts";
import { hasDirective, isDirective } from "./strategic-directives.ts";

/** What becomes of nulls inside of what replaces something or joins a list. */
export type Nulls = "drop" | "keep";

/** A value of the patch where it is added to an object that has none. Objects marked with `$patch` are dropped from it. */
export function addedValue(value: unknown): unknown {
  if (isList(value)) return value.map(addedValue).filter((element) => element !== undefined);
  if (!isJsonObject(value)) return value;
  return hasDirective(value) ? undefined : fieldsOf(value, addedValue, "drop");
}

/** A value of the patch where it replaces something, or joins a list: marked objects stay. */
export function newValue(value: unknown, nulls: Nulls): unknown {
  if (isList(value)) return value.map((element) => newValue(element, nulls));
  return isJsonObject(value) ? newObject(value, nulls) : value;
}

export function newObject(patch: JsonObject, nulls: Nulls): JsonObject {
  return fieldsOf(patch, (value) => newValue(value, nulls), nulls);
}

function fieldsOf(patch: JsonObject, enter: (value: unknown) => unknown, nulls: Nulls): JsonObject {
  const object: Record<string, unknown> = {};
  for (const key of keysOf(patch)) {
    if (isDirective(key) || (patch[key] === null && nulls === "drop")) continue;
    const value = enter(patch[key]);
    if (value !== undefined) setField(object, key, value);
  }
  return object;
}
