import { quoted } from "../parse-error.ts";
import { getField, isJsonObject, isList, type JsonObject, jsonEqual } from "./json.ts";
import { Draft } from "./json-draft.ts";
import { parsePointer } from "./json-pointer.ts";
import { kindOf, orTooDeep, PatchError } from "./patch-error.ts";

/** One step of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { op: "add" | "replace" | "test"; path: string; value: unknown }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

/** More operations than this the API server refuses (413). */
export const maxJsonPatchOperations = 10_000;

/**
 * Applies all operations, or throws a PatchError that names the one that failed.
 *
 *     applyJsonPatch(pod, [{ op: "replace", path: "/metadata/labels/app", value: "web" }])
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (!isList(patch)) throw new PatchError(400, `a JSON patch is a list of operations, not ${kindOf(patch)}`);
  if (patch.length > maxJsonPatchOperations) {
    throw new PatchError(413, `a JSON patch takes ${maxJsonPatchOperations} operations at most, not ${patch.length}`);
  }
  const draft = new Draft(document);
  orTooDeep(() => {
    for (const [index, operation] of patch.entries()) applyNamed(draft, operation, index);
  });
  return draft.root;
}

function applyNamed(draft: Draft, operation: unknown, index: number): void {
  if (!isJsonObject(operation)) {
    throw new PatchError(400, `operation ${index} of a JSON patch is an object, not ${kindOf(operation)}`);
  }
  try {
    applyOperation(draft, operation);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const what = [operation.op, operation.path].filter((part) => typeof part === "string").map(quoted);
    throw new PatchError(error.code, `operation ${index} (${what.join(" ")}) failed: ${error.message}`);
  }
}

function applyOperation(draft: Draft, operation: JsonObject): void {
  const pointer = (name: "path" | "from") => {
    const text = getField(operation, name);
    if (typeof text !== "string") throw new PatchError(422, `its ${name} must be a JSON pointer, not ${kindOf(text)}`);
    return parsePointer(text);
  };
  const value = () => {
    const given = getField(operation, "value");
    if (given === undefined) throw new PatchError(422, "it has no value");
    return given;
  };
  const path = pointer("path");
  switch (operation.op) {
    case "add":
      draft.add(path, value());
      break;
    case "replace":
      draft.replace(path, value());
      break;
    case "remove":
      draft.remove(path);
      break;
    case "test":
      if (!jsonEqual(draft.read(path), value())) throw new PatchError(422, "the value there is another one");
      break;
    case "move":
      draft.move(pointer("from"), path);
      break;
    case "copy":
      draft.copy(pointer("from"), path);
      break;
    default:
      throw new PatchError(422, "its op must be one of add, remove, replace, move, copy, test");
  }
}
