/** Which fields differ between two states of an object. */
import { jsonEqual } from "@berg/apimachinery";
import { FieldSet } from "./field-set.ts";
import { type FieldType, type ListType, type MapType, sortOf } from "./field-type.ts";
import { itemElement } from "./list-items.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { getField, isList, isObject, type JsonObject } from "./values.ts";

/** No field is in more than one of these. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** Throws an ItemProblem where the items of a list cannot be told apart. */
export function compare(type: FieldType, before: unknown, after: unknown): Comparison {
  const comparing = new Comparing();
  comparing.values(type, before, after);
  return comparing.found;
}

class Comparing {
  readonly found = { removed: new FieldSet(), modified: new FieldSet(), added: new FieldSet() };
  readonly #path: PathElement[] = [];

  /** One of them may be undefined: a field that is new or gone is in the set with all that is below it. */
  values(type: FieldType, before: unknown, after: unknown): void {
    if (before === after) return;
    const sort = sortOf(type, after === undefined ? before : after);
    const sortBefore = before === undefined ? sort : sortOf(type, before);
    if (sortBefore !== sort) this.#as(sortBefore, type, before, after);
    this.#as(sort, type, before, after);
    if (before === undefined) this.found.added.add(this.#path);
    else if (after === undefined) this.found.removed.add(this.#path);
  }

  #as(sort: "map" | "scalar" | "list", type: FieldType, before: unknown, after: unknown): void {
    if (sort === "map" && type.map) this.#maps(type.map, before, after);
    else if (sort === "list" && type.list) this.#lists(type.list, before, after);
    else this.#leaves(before, after);
  }

  #leaves(before: unknown, after: unknown): void {
    if (before === undefined) this.found.added.add(this.#path);
    else if (after === undefined) this.found.removed.add(this.#path);
    else if (!jsonEqual(before, after)) this.found.modified.add(this.#path);
  }

  #maps(type: MapType, before: unknown, after: unknown): void {
    const [old, now] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
    // Null and empty are told apart as values, since there is nothing in them to tell apart.
    if (type.isAtomic || (isEmpty(old) && isEmpty(now))) {
      this.#leaves(before, after);
      return;
    }
    for (const key in old) this.#below(fieldElement(key), fieldIn(type, key), old[key], getField(now, key));
    for (const key in now) {
      if (getField(old, key) === undefined) this.#below(fieldElement(key), fieldIn(type, key), undefined, now[key]);
    }
  }

  #lists(type: ListType, before: unknown, after: unknown): void {
    const [old, now] = [isList(before) ? before : [], isList(after) ? after : []];
    if (type.isAtomic || (old.length === 0 && now.length === 0)) {
      this.#leaves(before, after);
      return;
    }
    const [oldItems, newItems] = [byElement(type, old), byElement(type, now)];
    for (const [element, items] of oldItems) this.#items(type, element, items, newItems.get(element) ?? []);
    for (const [element, items] of newItems) if (!oldItems.has(element)) this.#items(type, element, [], items);
  }

  /** Items that cannot be told apart, though they should, are owned as one. */
  #items(type: ListType, element: PathElement, old: readonly unknown[], now: readonly unknown[]): void {
    const marker = [...this.#path, element];
    if (old.length <= 1 && now.length <= 1) {
      this.#below(element, type.items, old[0], now[0]);
    } else if (old.length > 1 && now.length > 1) {
      if (!jsonEqual(old, now)) this.found.modified.add(marker);
    } else if (old.length > 1) {
      this.#below(element, type.items, undefined, now[0]);
      this.found.removed.add(marker);
    } else {
      this.#below(element, type.items, old[0], undefined);
      this.found.added.add(marker);
    }
  }

  #below(element: PathElement, type: FieldType, before: unknown, after: unknown): void {
    this.#path.push(element);
    this.values(type, before, after);
    this.#path.pop();
  }
}

/** Of a field that a schema does not know: as one. */
export function fieldIn(type: MapType, key: string): FieldType {
  return type.field(key) ?? type.others ?? {};
}

function byElement(type: ListType, list: readonly unknown[]): Map<PathElement, unknown[]> {
  const items = new Map<PathElement, unknown[]>();
  for (const item of list) {
    const element = itemElement(type, item);
    const same = items.get(element);
    if (same) same.push(item);
    else items.set(element, [item]);
  }
  return items;
}

function isEmpty(object: JsonObject): boolean {
  for (const _ in object) return false;
  return true;
}
