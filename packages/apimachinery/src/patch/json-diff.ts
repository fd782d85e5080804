import { getField, isJsonObject, isList, type JsonObject, jsonEqual, keysOf } from "./json.ts";
import { type JsonPatchOperation, maxJsonPatchOperations } from "./json-patch.ts";
import { formatPointer } from "./json-pointer.ts";
import { orTooDeep } from "./patch-error.ts";

/**
 * The operations that make `modified` of `original`. Objects are compared field by field, lists from both ends, so
 * that one element added or removed is one operation.
 */
export function diffJson(original: unknown, modified: unknown): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  orTooDeep(() => diffValues(original, modified, "", operations));
  // The server would refuse so long a patch.
  if (operations.length > maxJsonPatchOperations) return [{ op: "replace", path: "", value: modified }];
  return operations;
}

function diffValues(original: unknown, modified: unknown, path: string, out: JsonPatchOperation[]): void {
  if (original === modified) return;
  if (isList(original) && isList(modified)) diffLists(original, modified, path, out);
  else if (isJsonObject(original) && isJsonObject(modified)) diffObjects(original, modified, path, out);
  else out.push({ op: "replace", path, value: modified });
}

function diffObjects(original: JsonObject, modified: JsonObject, path: string, out: JsonPatchOperation[]) {
  for (const key of keysOf(original)) {
    if (getField(modified, key) === undefined) out.push({ op: "remove", path: path + formatPointer([key]) });
  }
  for (const key of keysOf(modified)) {
    const before = getField(original, key);
    const after = modified[key];
    if (before === undefined) out.push({ op: "add", path: path + formatPointer([key]), value: after });
    else diffValues(before, after, path + formatPointer([key]), out);
  }
}

function diffLists(
  original: readonly unknown[],
  modified: readonly unknown[],
  path: string,
  out: JsonPatchOperation[],
): void {
  const shorter = Math.min(original.length, modified.length);
  let start = 0;
  while (start < shorter && jsonEqual(original[start], modified[start])) start++;
  let same = 0;
  while (same < shorter - start && jsonEqual(original.at(-1 - same), modified.at(-1 - same))) same++;

  const before = original.slice(start, original.length - same);
  const after = modified.slice(start, modified.length - same);
  const both = Math.min(before.length, after.length);
  const at = (index: number) => `${path}/${start + index}`;
  for (let index = 0; index < both; index++) diffValues(before[index], after[index], at(index), out);
  for (let index = before.length - 1; index >= both; index--) out.push({ op: "remove", path: at(index) });
  for (let index = both; index < after.length; index++) {
    out.push({ op: "add", path: at(index), value: after[index] });
  }
}
