/** How the items of a list are told apart, where it is not owned as one. */
import type { ListType } from "./field-type.ts";
import { keyElement, type PathElement, valueElement } from "./path-element.ts";
import { compareText, getField, isList, isObject } from "./values.ts";

/** Something that no item of such a list can be. */
export class ItemProblem extends Error {}

export function itemElement(list: ListType, item: unknown): PathElement {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

function keyedElement(list: ListType, item: unknown): PathElement {
  if (item === null) throw new ItemProblem("associative list with keys may not have a null element");
  if (!isObject(item)) throw new ItemProblem("associative list with keys may not have non-map elements");
  const fields: [string, unknown][] = [];
  for (const key of list.keys) {
    const own = getField(item, key);
    const value = own === undefined ? list.keyDefault(key) : own;
    // An item that has the key is another one than an item that has it not.
    if (value !== undefined) fields.push([key, value]);
  }
  if (fields.length === 0) {
    const keys = list.keys.map((key) => JSON.stringify(key)).join(" ");
    throw new ItemProblem(
      `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(fields.sort(([a], [b]) => compareText(a, b)));
}

function setElement(item: unknown): PathElement {
  if (isObject(item)) throw new ItemProblem("associative list without keys has an element that's a map type");
  if (isList(item)) throw new ItemProblem("not supported: associative list with lists as elements");
  if (item === null) throw new ItemProblem("associative list without keys has an element that's an explicit null");
  return valueElement(item);
}
