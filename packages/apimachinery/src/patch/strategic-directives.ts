import { quoted } from "../parse-error.ts";
import { getField, isJsonObject, isList, type JsonObject, keysOf, withFields } from "./json.ts";
import { kindOf, PatchError, type ServersAnswer } from "./patch-error.ts";
import { badDirective, badFormat, notAList } from "./strategic-answers.ts";
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

/**
 * Finds the id of an element by the rule of its list; throws where it has none. `at` names the list, `mixed` is what a
 * server says of elements of another sort.
 */
export function identifyBy(
  rule: FieldRule,
  at: string,
  mixed: () => ServersAnswer | undefined = () => undefined,
): (element: unknown) => ElementId {
  const { mergeKey } = rule;
  if (mergeKey === undefined) {
    return (element) => {
      if (isId(element)) return element;
      throw new PatchError(400, `${at} is a list of plain values, but one is ${kindOf(element)}`, mixed());
    };
  }
  return (element) => {
    if (!isJsonObject(element))
      throw new PatchError(400, `${at} is a list of objects, but one is ${kindOf(element)}`, mixed());
    const id = Object.hasOwn(element, mergeKey) ? element[mergeKey] : undefined;
    if (isId(id)) return id;
    throw new PatchError(400, `an element of ${at} has no "${mergeKey}", by which they are told apart`, {
      code: 500,
      text: (print) => `map: ${print(element)} does not contain declared merge key: ${mergeKey}`,
    });
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

/** `$retainKeys` lists every field that may remain: those that the patch itself sets must be among them. */
export function retainKeys(original: JsonObject, patch: JsonObject, at: string): JsonObject {
  const list = getField(patch, retainKeysDirective);
  if (list === undefined) return original;
  const answer = badFormat("retainKeys");
  if (!isList(list))
    throw new PatchError(400, `${join(at, retainKeysDirective)} is a list, not ${kindOf(list)}`, answer);
  const retained = new Set(list);
  const stray = keysOf(patch).find((key) => !isDirective(key) && patch[key] !== null && !retained.has(key));
  if (stray !== undefined) {
    const why = `${join(at, retainKeysDirective)} must name ${quoted(stray)}, which the patch sets`;
    throw new PatchError(400, why, answer);
  }
  const dropped = keysOf(original).filter((key) => !retained.has(key));
  return withFields(
    original,
    dropped.map((key) => [key, undefined]),
  );
}

/** The lists that stand beside a field under `$prefix/field`, by field. */
export function parallelLists(patch: JsonObject, prefix: string, at: string): Map<string, readonly unknown[]> {
  const lists = new Map<string, readonly unknown[]>();
  for (const key of keysOf(patch)) {
    if (!key.startsWith(prefix)) continue;
    const list = patch[key];
    const answer = badFormat(prefix === setElementOrderPrefix ? "setElementOrder list" : "primitive list");
    if (!key.startsWith(`${prefix}/`))
      throw new PatchError(400, `${join(at, key)} must be written ${prefix}/<field>`, answer);
    if (!isList(list)) throw new PatchError(400, `${join(at, key)} is a list, not ${kindOf(list)}`, notAList(list));
    lists.set(key.slice(prefix.length + 1), list);
  }
  return lists;
}

export function unknownDirective(at: string, patch: JsonObject, isInList = false): PatchError {
  const why = `${join(at, patchDirective)} must be "delete" or "replace"`;
  return new PatchError(400, why, badDirective(patch[patchDirective], patch, isInList));
}

/** `spec.containers` */
export function join(at: string, key: string): string {
  const name = quoted(key).slice(1, -1);
  return at === "" ? name : `${at}.${name}`;
}
