import { isJsonObject, type JsonObject } from "./json.ts";
import { kindOf, PatchError } from "./patch-error.ts";
import type { FieldRule } from "./strategic-schema.ts";

/** The words by which a strategic merge patch says more than its values can. */
export const patchDirective = "$patch";
export const retainKeysDirective = "$retainKeys";
export const setElementOrderPrefix = "$setElementOrder";
export const deleteFromListPrefix = "$deleteFromPrimitiveList";

export function isDirective(key: string): boolean {
  return (
    key === patchDirective ||
    key === retainKeysDirective ||
    key.startsWith(setElementOrderPrefix) ||
    key.startsWith(deleteFromListPrefix)
  );
}

/** What tells an element of a merged list apart from the others. */
export type ElementId = string | number | boolean;

/** Finds the id of an element by the rule of its list; throws where it has none. `at` names the list. */
export function identifyBy(rule: FieldRule, at: string): (element: unknown) => ElementId {
  const { mergeKey } = rule;
  if (mergeKey === undefined) {
    return (element) => {
      if (!isId(element)) throw new PatchError(400, `${at} is a list of plain values, but one is ${kindOf(element)}`);
      return element;
    };
  }
  return (element) => {
    if (!isJsonObject(element)) throw new PatchError(400, `${at} is a list of objects, but one is ${kindOf(element)}`);
    const id = Object.hasOwn(element, mergeKey) ? element[mergeKey] : undefined;
    if (!isId(id)) throw new PatchError(400, `an element of ${at} has no "${mergeKey}", by which they are told apart`);
    return id;
  };
}

export function isMerged(rule: FieldRule): boolean {
  return rule.mergeKey !== undefined || rule.set === true;
}

export function hasDirective(element: unknown): element is JsonObject {
  return isJsonObject(element) && Object.hasOwn(element, patchDirective);
}

function isId(value: unknown): value is ElementId {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
