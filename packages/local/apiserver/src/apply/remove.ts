/** Taking fields away from an object. */
import { fieldIn } from "./compare.ts";
import { FieldSet } from "./field-set.ts";
import { type FieldType, sortOf } from "./field-type.ts";
import { itemElement } from "./list-items.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { fromEntries, isList, isObject } from "./values.ts";

/** Null is left where nothing else is: of a list or object of which every item or field was taken. */
export function removeFields(type: FieldType, value: unknown, fields: FieldSet): unknown {
  const sort = sortOf(type, value);
  if (sort === "map") return type.map?.isAtomic ? null : removeFromMap(type, value, fields);
  if (sort === "list") return type.list?.isAtomic ? null : removeFromList(type, value, fields);
  return value;
}

function removeFromMap(type: FieldType, value: unknown, fields: FieldSet): unknown {
  if (!isObject(value)) return null;
  const kept: [string, unknown][] = [];
  for (const [key, field] of Object.entries(value)) {
    const toRemove = fields.below.get(fieldElement(key));
    if (toRemove?.isMember) continue;
    const isTouched = toRemove?.hasBelow() ?? false;
    kept.push([key, isTouched && type.map && toRemove ? removeFields(fieldIn(type.map, key), field, toRemove) : field]);
  }
  return kept.length > 0 ? fromEntries(kept) : null;
}

function removeFromList(type: FieldType, value: unknown, fields: FieldSet): unknown {
  if (!isList(value) || !type.list) return null;
  const kept: unknown[] = [];
  for (const item of value) {
    const toRemove = fields.below.get(itemElement(type.list, item));
    if (toRemove?.isMember) continue;
    kept.push(toRemove?.hasBelow() ? removeFields(type.list.items, item, toRemove) : item);
  }
  return kept.length > 0 ? kept : null;
}

/**
 * With the fields that a schema names and that have members below them. Nobody owns those, since they are there because
 * of what is in them; so they go when the last of it goes.
 */
export function withNamedFields(type: FieldType, set: FieldSet): FieldSet {
  if (set.below.size === 0) return set;
  const below = new Map<PathElement, FieldSet>();
  for (const [element, inner] of set.below) {
    const named = element.startsWith("f:") ? type.map?.field(element.slice(2)) : undefined;
    const complete = withNamedFields(named ?? typeBelow(type, element), inner);
    const isMissing = named !== undefined && !complete.isMember && inner.below.size > 0;
    below.set(element, isMissing ? new FieldSet(true, new Map(complete.below)) : complete);
  }
  return new FieldSet(set.isMember, below);
}

function typeBelow(type: FieldType, element: PathElement): FieldType {
  if (element.startsWith("f:")) return type.map?.others ?? {};
  return (element.startsWith("k:") && type.list?.items) || {};
}
