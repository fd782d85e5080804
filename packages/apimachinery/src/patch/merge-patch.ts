import { getField, isJsonObject, type JsonObject, jsonEqual, keysOf, setField, withFields } from "./json.ts";
import { orTooDeep } from "./patch-error.ts";

/**
 * JSON merge patch (RFC 7396): objects are merged, `null` removes a field, and everything else, lists too, replaces.
 * The result is the very document where the patch changes nothing.
 *
 *     applyMergePatch({ a: 1, b: { c: 2 } }, { a: null, b: { d: 3 } }) // { b: { c: 2, d: 3 } }
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  return orTooDeep(() => merge(document, patch));
}

function merge(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return jsonEqual(target, patch) ? target : patch;
  const object = isJsonObject(target) ? target : {};
  return withFields(
    object,
    keysOf(patch).map((key) => {
      const value = patch[key];
      return [key, value === null ? undefined : merge(getField(object, key), value)];
    }),
  );
}

/**
 * The merge patch that makes `modified` of `original`.
 *
 * A merge patch cannot set a field to `null`, so a field that is `null` in `modified` is taken as absent, as Kubernetes
 * takes it. Inside lists, `null` stays.
 */
export function createMergePatch(original: object, modified: object): object {
  return orTooDeep(() =>
    isJsonObject(original) && isJsonObject(modified) ? diffObjects(original, modified) : modified,
  );
}

function diffObjects(original: JsonObject, modified: JsonObject): JsonObject {
  const patch: Record<string, unknown> = {};
  for (const key of keysOf(original)) {
    const after = getField(modified, key);
    if (after === undefined || (after === null && original[key] !== null)) setField(patch, key, null);
  }
  for (const key of keysOf(modified)) {
    const before = getField(original, key);
    const after = modified[key];
    if (after === null || jsonEqual(before, after)) continue;
    if (!isJsonObject(before) || !isJsonObject(after)) {
      setField(patch, key, after);
      continue;
    }
    const inner = diffObjects(before, after);
    if (keysOf(inner).length > 0) setField(patch, key, inner);
  }
  return patch;
}
