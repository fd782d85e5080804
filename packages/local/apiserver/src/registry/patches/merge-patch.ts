/**
 * Merge patches as kube-apiserver applies them. Unlike the standard, which takes lists as they are, it also drops nulls
 * from objects inside of lists, unless the list comes in the place of an object.
 */
import { draftOf, isObject, setField } from "../json.ts";

/** May share parts with both. */
export function mergePatched(document: Record<string, unknown>, patch: Record<string, unknown>) {
  const merged = { ...document };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else setField(merged, key, mergedValue(Object.hasOwn(merged, key) ? merged[key] : null, value));
  }
  return merged;
}

function mergedValue(before: unknown, value: unknown): unknown {
  if (!isObject(before)) return withoutNulls(draftOf(value));
  return isObject(value) ? mergePatched(before, value) : value;
}

/** Nulls that stand in a list themselves stay. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) for (const item of value) withoutNulls(item);
  if (!isObject(value)) return value;
  for (const [key, field] of Object.entries(value)) {
    if (field === null) delete value[key];
    else withoutNulls(field);
  }
  return value;
}
