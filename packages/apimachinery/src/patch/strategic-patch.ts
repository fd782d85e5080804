import { quoted } from "../parse-error.ts";
import { getField, isJsonObject, isList, type JsonObject, keysOf, setField, withFields } from "./json.ts";
import { kindOf, orTooDeep, PatchError } from "./patch-error.ts";
import {
  deleteFromListPrefix,
  type ElementId,
  hasDirective,
  identifyBy,
  isDirective,
  isMerged,
  patchDirective,
  retainKeysDirective,
  setElementOrderPrefix,
} from "./strategic-directives.ts";
import { checkOrder, orderElements } from "./strategic-order.ts";
import { type FieldRule, ruleOf, type StrategicSchema } from "./strategic-schema.ts";

/**
 * Strategic merge patch: a merge patch that knows which lists of the built-in kinds are merged, and by which key.
 * Where Kubernetes leaves nulls and directives inside values that the patch adds, to be lost when it reads the object
 * into its types, they are left out at once. The result is the very original where the patch changes nothing.
 *
 *     applyStrategicPatch(pod, { spec: { containers: [{ name: "web", image: "web:2" }] } }, schema)
 */
export function applyStrategicPatch(original: unknown, patch: unknown, schema: StrategicSchema): unknown {
  if (!isJsonObject(original)) throw new PatchError(400, `only an object can be patched, not ${kindOf(original)}`);
  if (!isJsonObject(patch)) {
    throw new PatchError(400, `a strategic merge patch is an object, not ${kindOf(patch)}`);
  }
  return orTooDeep(() => mergeObject(original, patch, schema, ""));
}

function mergeObject(
  original: JsonObject,
  patch: JsonObject,
  schema: StrategicSchema | undefined,
  at: string,
): JsonObject {
  const directive = getField(patch, patchDirective);
  if (directive === "replace") return newObject(patch, "keep");
  if (directive === "delete") return {};
  if (directive !== undefined) throw unknownDirective(at);

  const kept = retainKeys(original, patch, at);
  const orders = parallelLists(patch, setElementOrderPrefix, at);
  const deletions = parallelLists(patch, deleteFromListPrefix, at);
  const changes = new Map<string, unknown>();

  for (const key of keysOf(patch)) {
    if (isDirective(key) || orders.has(key)) continue;
    changes.set(key, mergeField(getField(kept, key), patch[key], ruleOf(schema, key), join(at, key)));
  }
  for (const [key, order] of orders) {
    const lists = [getField(kept, key), getField(patch, key)] as const;
    changes.set(key, mergeInOrder(...lists, order, ruleOf(schema, key), join(at, key)));
  }
  for (const [key, deleted] of deletions) {
    const list = changes.has(key) ? changes.get(key) : getField(kept, key);
    if (isList(list)) changes.set(key, deleteElements(list, deleted, join(at, key)));
  }
  return withFields(kept, changes);
}

function mergeField(before: unknown, value: unknown, rule: FieldRule, at: string): unknown {
  if (value === null) return undefined;
  if (isJsonObject(before) && isJsonObject(value)) {
    return rule.replace ? newObject(value, "keep") : mergeObject(before, value, rule.fields, at);
  }
  if (!isList(before) || !isList(value)) return newValue(value, "drop");
  if (!isMerged(rule)) return newValue(value, "keep");
  const { merged, patched, remaining } = mergeList(before, value, rule, at);
  return orderElements(merged, identifyBy(rule, at), patched, remaining);
}

/** A list for which the patch also gives an order; the patch may leave the elements themselves alone. */
function mergeInOrder(before: unknown, value: unknown, order: readonly unknown[], rule: FieldRule, at: string) {
  if (!isMerged(rule)) throw new PatchError(400, `${at} takes no order: its elements are replaced, not merged`);
  const original = listAt(before, at);
  const patch = listAt(value, at);
  const idOf = identifyBy(rule, at);
  const wanted = order.map(idOf);
  checkOrder((patch ?? []).filter((element) => !hasDirective(element)).map(idOf), wanted, at);
  if (original === undefined && patch === undefined) return undefined;
  const merged = original ? mergeList(original, patch ?? [], rule, at).merged : newValue(patch, "drop");
  return orderElements(merged as unknown[], idOf, wanted, (original ?? []).map(idOf));
}

function listAt(value: unknown, at: string): readonly unknown[] | undefined {
  if (value === undefined || isList(value)) return value;
  throw new PatchError(400, `${at} is a list, not ${kindOf(value)}`);
}

/** A merged list before it is ordered, with the ids by which that is done. */
interface MergedList {
  merged: unknown[];
  patched: ElementId[];
  remaining: ElementId[];
}

function mergeList(original: readonly unknown[], patch: readonly unknown[], rule: FieldRule, at: string): MergedList {
  const idOf = identifyBy(rule, at);
  if (rule.set) {
    const [remaining, patched] = [original.map(idOf), patch.map(idOf)];
    return { merged: [...new Set([...remaining, ...patched])], patched, remaining };
  }
  const deleted = new Set<ElementId>();
  let replaces = false;
  for (const element of patch.filter(hasDirective)) {
    const directive = element[patchDirective];
    if (directive === "delete") deleted.add(idOf(element));
    else if (directive === "replace") replaces = true;
    else throw unknownDirective(at);
  }
  const additions = patch.filter((element) => !hasDirective(element));
  if (replaces) {
    const merged = additions.map((element) => newValue(element, "keep"));
    return { merged, patched: [], remaining: merged.map(idOf) };
  }

  const merged = original.filter((element) => !deleted.has(idOf(element)));
  const remaining = merged.map(idOf);
  const places = new Map(remaining.map((id, index) => [id, index] as const).reverse());
  for (const element of additions) {
    const id = idOf(element);
    const place = places.get(id);
    if (place === undefined) {
      places.set(id, merged.length);
      merged.push(newValue(element, "keep"));
    } else {
      merged[place] = mergeObject(merged[place] as JsonObject, element as JsonObject, rule.fields, at);
    }
  }
  return { merged, patched: additions.map(idOf), remaining };
}

function deleteElements(list: readonly unknown[], deleted: readonly unknown[], at: string): unknown[] {
  const idOf = identifyBy({ set: true }, at);
  const gone = new Set(deleted.map(idOf));
  return list.filter((element) => !gone.has(idOf(element)));
}

/** `$retainKeys` lists every field that may remain: those that the patch itself sets must be among them. */
function retainKeys(original: JsonObject, patch: JsonObject, at: string): JsonObject {
  const list = getField(patch, retainKeysDirective);
  if (list === undefined) return original;
  if (!isList(list)) throw new PatchError(400, `${join(at, retainKeysDirective)} is a list, not ${kindOf(list)}`);
  const retained = new Set(list);
  const stray = keysOf(patch).find((key) => !isDirective(key) && patch[key] !== null && !retained.has(key));
  if (stray !== undefined) {
    throw new PatchError(400, `${join(at, retainKeysDirective)} must name ${quoted(stray)}, which the patch sets`);
  }
  const dropped = keysOf(original).filter((key) => !retained.has(key));
  return withFields(
    original,
    dropped.map((key) => [key, undefined]),
  );
}

/** The lists that stand beside a field under `$prefix/field`, by field. */
function parallelLists(patch: JsonObject, prefix: string, at: string): Map<string, readonly unknown[]> {
  const lists = new Map<string, readonly unknown[]>();
  for (const key of keysOf(patch)) {
    if (!key.startsWith(prefix)) continue;
    const list = patch[key];
    if (!key.startsWith(`${prefix}/`)) throw new PatchError(400, `${join(at, key)} must be written ${prefix}/<field>`);
    if (!isList(list)) throw new PatchError(400, `${join(at, key)} is a list, not ${kindOf(list)}`);
    lists.set(key.slice(prefix.length + 1), list);
  }
  return lists;
}

/**
 * A value of the patch as it enters the object, where there is nothing to merge it with. Objects marked with `$patch`
 * are dropped from what is added to an object; what replaces something, or joins a list, keeps them as they are.
 */
function newValue(value: unknown, marked: "drop" | "keep"): unknown {
  if (isList(value))
    return value.map((element) => newValue(element, marked)).filter((element) => element !== undefined);
  if (!isJsonObject(value)) return value;
  return marked === "drop" && hasDirective(value) ? undefined : newObject(value, marked);
}

function newObject(patch: JsonObject, marked: "drop" | "keep"): JsonObject {
  const object: Record<string, unknown> = {};
  for (const key of keysOf(patch)) {
    const value = isDirective(key) || patch[key] === null ? undefined : newValue(patch[key], marked);
    if (value !== undefined) setField(object, key, value);
  }
  return object;
}

function unknownDirective(at: string): PatchError {
  return new PatchError(400, `${join(at, patchDirective)} must be "delete" or "replace"`);
}

function join(at: string, key: string): string {
  const name = quoted(key).slice(1, -1);
  return at === "" ? name : `${at}.${name}`;
}
