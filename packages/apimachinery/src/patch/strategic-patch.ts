import { getField, isJsonObject, isList, type JsonObject, keysOf, withFields } from "./json.ts";
import { kindOf, orTooDeep, PatchError } from "./patch-error.ts";
import { mixedLists } from "./strategic-answers.ts";
import {
  deleteFromListPrefix,
  type ElementId,
  hasDirective,
  identifyBy,
  isDirective,
  isMerged,
  join,
  parallelLists,
  patchDirective,
  retainKeys,
  setElementOrderPrefix,
  unknownDirective,
} from "./strategic-directives.ts";
import { addedValue, type Nulls, newObject, newValue } from "./strategic-new-value.ts";
import { checkOrder, orderElements } from "./strategic-order.ts";
import { type FieldRule, ruleOf, type StrategicSchema } from "./strategic-schema.ts";

/**
 * Strategic merge patch: a merge patch that knows which lists of the built-in kinds are merged, and by which key.
 * Where Kubernetes leaves nulls and directives inside values that the patch adds, to be lost when it reads the object
 * into its types, they are left out at once; a server that reads objects as Kubernetes does has `nulls` kept. The result
 * is the very original where the patch changes nothing.
 *
 *     applyStrategicPatch(pod, { spec: { containers: [{ name: "web", image: "web:2" }] } }, schema)
 */
export function applyStrategicPatch(
  original: unknown,
  patch: unknown,
  schema: StrategicSchema,
  nulls: Nulls = "drop",
): unknown {
  if (!isJsonObject(original)) throw new PatchError(400, `only an object can be patched, not ${kindOf(original)}`);
  if (!isJsonObject(patch)) {
    throw new PatchError(400, `a strategic merge patch is an object, not ${kindOf(patch)}`);
  }
  return orTooDeep(() => mergeObject(original, patch, schema, "", nulls));
}

function mergeObject(
  original: JsonObject,
  patch: JsonObject,
  schema: StrategicSchema | undefined,
  at: string,
  nulls: Nulls,
): JsonObject {
  const directive = getField(patch, patchDirective);
  if (directive === "replace") return newObject(patch, nulls);
  if (directive === "delete") return {};
  if (directive !== undefined) throw unknownDirective(at, patch);

  const kept = retainKeys(original, patch, at);
  const orders = parallelLists(patch, setElementOrderPrefix, at);
  const deletions = parallelLists(patch, deleteFromListPrefix, at);
  const changes = new Map<string, unknown>();

  for (const key of keysOf(patch)) {
    if (isDirective(key) || orders.has(key)) continue;
    changes.set(key, mergeField(getField(kept, key), patch[key], ruleOf(schema, key), join(at, key), nulls));
  }
  for (const [key, order] of orders) {
    const lists = [getField(kept, key), getField(patch, key)] as const;
    changes.set(key, mergeInOrder(...lists, order, ruleOf(schema, key), join(at, key), nulls));
  }
  for (const [key, deleted] of deletions) {
    const list = changes.has(key) ? changes.get(key) : getField(kept, key);
    if (isList(list)) changes.set(key, deleteElements(list, deleted, join(at, key)));
  }
  return withFields(kept, changes);
}

function mergeField(before: unknown, value: unknown, rule: FieldRule, at: string, nulls: Nulls): unknown {
  if (value === null) return undefined;
  if (isJsonObject(before) && isJsonObject(value)) {
    return rule.replace ? newObject(value, nulls) : mergeObject(before, value, rule.fields, at, nulls);
  }
  if (!isList(before) || !isList(value)) return addedValue(value);
  if (!isMerged(rule)) return newValue(value, nulls);
  const { merged, patched, remaining } = mergeList(before, value, rule, at, nulls);
  return orderElements(merged, identifyBy(rule, at), patched, remaining);
}

/** A list for which the patch also gives an order; the patch may leave the elements themselves alone. */
function mergeInOrder(
  before: unknown,
  value: unknown,
  order: readonly unknown[],
  rule: FieldRule,
  at: string,
  nulls: Nulls,
) {
  if (!isMerged(rule)) throw new PatchError(400, `${at} takes no order: its elements are replaced, not merged`);
  const original = listAt(before, at);
  const patch = listAt(value, at);
  const idOf = identifyBy(rule, at);
  const wanted = order.map(idOf);
  checkOrder(
    (patch ?? []).filter((element) => !hasDirective(element)),
    order,
    idOf,
    at,
  );
  if (original === undefined && patch === undefined) return undefined;
  const merged = original ? mergeList(original, patch ?? [], rule, at, nulls).merged : addedValue(patch);
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

function mergeList(
  original: readonly unknown[],
  patch: readonly unknown[],
  rule: FieldRule,
  at: string,
  nulls: Nulls,
): MergedList {
  const idOf = identifyBy(rule, at, () => mixedLists(original, patch));
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
    else throw unknownDirective(at, element, true);
  }
  const additions = patch.filter((element) => !hasDirective(element));
  if (replaces) {
    const merged = additions.map((element) => newValue(element, nulls));
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
      merged.push(newValue(element, nulls));
    } else {
      merged[place] = mergeObject(merged[place] as JsonObject, element as JsonObject, rule.fields, at, nulls);
    }
  }
  return { merged, patched: additions.map(idOf), remaining };
}

function deleteElements(list: readonly unknown[], deleted: readonly unknown[], at: string): unknown[] {
  const idOf = identifyBy({ set: true }, at, () => mixedLists(list, deleted));
  const gone = new Set(deleted.map(idOf));
  return list.filter((element) => !gone.has(idOf(element)));
}
