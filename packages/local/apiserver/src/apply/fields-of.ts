/** Which fields an object sets: what whoever applies it will own. */

import { fieldIn } from "./compare.ts";
import { FieldSet } from "./field-set.ts";
import { type FieldType, type ListType, type MapType, sortOf } from "./field-type.ts";
import { itemElement } from "./list-items.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { isList, isObject, type JsonObject } from "./values.ts";

export function fieldsOf(type: FieldType, value: unknown): FieldSet {
  const set = new FieldSet();
  collect(type, value, [], set);
  return set;
}

function collect(type: FieldType, value: unknown, path: readonly PathElement[], set: FieldSet): void {
  const sort = sortOf(type, value);
  if (sort === "map" && type.map && !type.map.isAtomic) {
    if (isObject(value)) collectFields(type.map, value, path, set);
  } else if (sort === "list" && type.list && !type.list.isAtomic) {
    if (isList(value)) collectItems(type.list, value, path, set);
  } else {
    set.add(path);
  }
}

function collectFields(type: MapType, map: JsonObject, path: readonly PathElement[], set: FieldSet): void {
  for (const [key, value] of Object.entries(map)) {
    const below = [...path, fieldElement(key)];
    collect(fieldIn(type, key), value, below, set);
    // A field that the schema names is there because of what is in it; a key of a map is there by itself.
    const isBare = value === null || (isObject(value) && Object.keys(value).length === 0);
    if (isBare || type.field(key) === undefined) set.add(below);
  }
}

function collectItems(type: ListType, list: readonly unknown[], path: readonly PathElement[], set: FieldSet): void {
  const elements = list.map((item) => itemElement(type, item));
  for (const [index, element] of elements.entries()) {
    const below = [...path, element];
    set.add(below);
    const isDuplicate = elements.indexOf(element) !== index || elements.lastIndexOf(element) !== index;
    if (!isDuplicate) collect(type.items, list[index], below, set);
  }
}
