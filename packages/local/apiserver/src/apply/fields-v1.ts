/** The form in which a set of fields stands in managedFields: `{"f:data":{".":{},"f:color":{}}}`. */
import { FieldSet } from "./field-set.ts";
import { type PathElement, readElement, sortElements } from "./path-element.ts";
import { isObject, type JsonObject } from "./values.ts";

/** Throws where it is not such a set. Steps of a sort that nobody knows yet are left out, as Kubernetes does. */
export function readFieldsV1(fields: unknown): FieldSet {
  const set = readSet(fields);
  return set.isMember ? new FieldSet(false, new Map(set.below)) : set;
}

function readSet(fields: unknown): FieldSet {
  if (!isObject(fields)) throw new Error("fieldsV1 must be an object of objects");
  const below = new Map<PathElement, FieldSet>();
  let isMember = false;
  for (const text in fields) {
    if (text === ".") {
      isMember = true;
      continue;
    }
    const element = readElement(text);
    if (element !== undefined) below.set(element, readSet(fields[text]));
  }
  // A field with nothing below it can only be there as a member.
  return below.size === 0 ? new FieldSet(true) : new FieldSet(isMember, below);
}

/** Sorted as Kubernetes sorts. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const written: Record<string, unknown> = {};
  if (set.below.size === 0) return written;
  if (set.isMember && set.hasBelow()) written["."] = {};
  for (const element of sortElements(set.below.keys())) {
    const inner = set.below.get(element);
    if (inner && !inner.isEmpty()) written[element] = writeFieldsV1(inner);
  }
  return written;
}
