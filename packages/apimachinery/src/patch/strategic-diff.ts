import { getField, isJsonObject, isList, type JsonObject, jsonEqual, keysOf, setField } from "./json.ts";
import { orTooDeep } from "./patch-error.ts";
import {
  deleteFromListPrefix,
  identifyBy,
  isMerged,
  patchDirective,
  retainKeysDirective,
  setElementOrderPrefix,
} from "./strategic-directives.ts";
import { type FieldRule, ruleOf, type StrategicSchema } from "./strategic-schema.ts";

/**
 * The strategic merge patch that makes `modified` of `original`.
 *
 * Its limits are those of the format: a field that is `null` counts as absent, a list that is merged as a set holds
 * each value once, and no field may be named like a directive. Elements of a merged list that share a key (a Service
 * with port 53 for TCP and UDP) cannot be told apart, so such a list is replaced as a whole.
 */
export function createStrategicPatch(original: object, modified: object, schema: StrategicSchema): object {
  return orTooDeep(() => diffObjects(original as JsonObject, modified as JsonObject, { fields: schema }, ""));
}

function diffObjects(original: JsonObject, modified: JsonObject, rule: FieldRule, at: string): JsonObject {
  const patch: Record<string, unknown> = {};
  for (const key of keysOf(original)) {
    if (original[key] !== null && (getField(modified, key) ?? null) === null) setField(patch, key, null);
  }
  const set = keysOf(modified).filter((key) => modified[key] !== null);
  for (const key of set) {
    const before = getField(original, key);
    const after = modified[key];
    if (!jsonEqual(before, after)) diffField(patch, key, before, after, ruleOf(rule.fields, key), `${at}${key}`);
  }
  if (rule.retainKeys && set.length > 0 && keysOf(patch).length > 0) patch[retainKeysDirective] = set.sort();
  return patch;
}

function diffField(
  patch: Record<string, unknown>,
  key: string,
  before: unknown,
  after: unknown,
  rule: FieldRule,
  at: string,
): void {
  if (isJsonObject(before) && isJsonObject(after) && !rule.replace) {
    const inner = diffObjects(before, after, rule, `${at}.`);
    if (keysOf(inner).length > 0) setField(patch, key, inner);
  } else if (isList(before) && isList(after) && isMerged(rule)) {
    const { changes, deletions, order } = rule.set ? diffSets(before, after, at) : diffLists(before, after, rule, at);
    if (changes.length > 0) setField(patch, key, changes);
    if (deletions.length > 0) patch[`${deleteFromListPrefix}/${key}`] = deletions;
    if (order.length > 0) patch[`${setElementOrderPrefix}/${key}`] = order;
  } else {
    setField(patch, key, after);
  }
}

interface ListDiff {
  changes: readonly unknown[];
  deletions: readonly unknown[];
  order: readonly unknown[];
}

function diffSets(before: readonly unknown[], after: readonly unknown[], at: string): ListDiff {
  const idOf = identifyBy({ set: true }, at);
  const [old, wanted] = [new Set(before.map(idOf)), new Set(after.map(idOf))];
  return {
    changes: [...wanted].filter((id) => !old.has(id)),
    deletions: [...old].filter((id) => !wanted.has(id)),
    order: before.length === 0 ? [] : [...wanted],
  };
}

function diffLists(before: readonly unknown[], after: readonly unknown[], rule: FieldRule, at: string): ListDiff {
  const idOf = identifyBy(rule, at);
  const mergeKey = rule.mergeKey as string;
  const old = new Map(before.map((element) => [idOf(element), element as JsonObject]));
  const wanted = new Map(after.map((element) => [idOf(element), element as JsonObject]));
  if (old.size < before.length || wanted.size < after.length) {
    return { changes: [{ [patchDirective]: "replace" }, ...after], deletions: [], order: [] };
  }

  const changes: JsonObject[] = [];
  for (const [id, element] of wanted) {
    const known = old.get(id);
    if (known === undefined) changes.push(element);
    else {
      const inner = diffObjects(known, element, rule, `${at}.`);
      if (keysOf(inner).length > 0) changes.push({ ...inner, [mergeKey]: id });
    }
  }
  for (const id of old.keys()) {
    if (!wanted.has(id)) changes.push({ [mergeKey]: id, [patchDirective]: "delete" });
  }
  const ids = [...wanted.keys()];
  const sameOrder = old.size === wanted.size && [...old.keys()].every((id, index) => id === ids[index]);
  const order = before.length === 0 || (changes.length === 0 && sameOrder) ? [] : ids.map((id) => ({ [mergeKey]: id }));
  return { changes, deletions: [], order };
}
