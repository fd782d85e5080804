/** What a JSON patch, a merge patch or a strategic merge patch makes of an object, and whether that is still one. */
import {
  applyStrategicPatch,
  maxJsonPatchOperations,
  PatchError,
  StatusError,
  strategicSchemaFor,
} from "@berg/apimachinery";
import { invalid as invalidField } from "../errors/field-error.ts";
import { badRequest, invalid, refusal, requestTooLarge } from "../errors/refusals.ts";
import { dropUnknown, kindMissing, tellProblems } from "./decoding.ts";
import { goText, goTypeOf, isObject, sortedJson } from "./json.ts";
import { applyPatch, Inapplicable } from "./patches/json-patch.ts";
import { mergePatched } from "./patches/merge-patch.ts";
import { isCustom, servedVersionOf } from "./registry.ts";
import type { AnyObject, ServedResource } from "./resource.ts";
import type { Caller, PatchBody, WriteOptions } from "./verbs.ts";

type Change = Exclude<PatchBody, { type: "apply" }>;

/** May share parts with `live`. */
export function patched(
  resource: ServedResource,
  live: AnyObject,
  { type, body }: Change,
  { fieldValidation }: WriteOptions,
): unknown {
  try {
    if (type === "json") return applyPatch(live, operationsOf(body.value, fieldValidation !== "Ignore"));
    const patch = changesOf(type, body.value);
    if (type === "merge") return mergePatched(live, patch);
    return applyStrategicPatch(live, patch, strategicSchemaFor(resource) ?? {}, "keep");
  } catch (error) {
    if (error instanceof Inapplicable)
      throw refusal(422, "Invalid", "the server rejected our request due to an error in our request", {});
    if (error instanceof RangeError) throw badRequest("the patch is nested too deeply");
    if (!(error instanceof PatchError)) throw error;
    const { code, text } = error.answer ?? { code: 400, text: () => error.message };
    throw code === 400 ? badRequest(text(goText)) : refusal(code, "", text(goText));
  }
}

function operationsOf(patch: unknown, isTyped: boolean): unknown[] {
  const decoding = isTyped ? "error decoding patch: " : "";
  const operation = isTyped ? "handlers.jsonPatchOp" : "jsonpatch.Operation";
  const operations = patch ?? [];
  if (!Array.isArray(operations))
    throw badRequest(`${decoding}${wrongForm(patch, isTyped ? `[]${operation}` : "jsonpatch.Patch")}`);
  const odd = operations.find((one) => one !== null && !isObject(one));
  if (odd !== undefined) throw badRequest(`${decoding}${wrongForm(odd, operation)}`);
  if (isTyped) for (const one of operations.filter(isObject)) checkOperation(one);
  if (operations.length > maxJsonPatchOperations)
    throw requestTooLarge(
      `Request entity is too large: The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${operations.length}`,
    );
  return operations;
}

function checkOperation(operation: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(operation)) {
    if (!["op", "path", "from"].includes(name) || typeof value === "string" || value === null) continue;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goTypeOf(value)} into Go struct field jsonPatchOp.${name} of type string`,
    );
  }
}

function changesOf(type: "merge" | "strategic", patch: unknown): Record<string, unknown> {
  if (isObject(patch)) return patch;
  if (patch === null && type === "strategic") return {};
  if (patch === null) throw badRequest("Invalid JSON Patch");
  const why = wrongForm(patch, "map[string]interface {}");
  throw badRequest(type === "merge" ? `error decoding patch: ${why}` : why);
}

function wrongForm(patch: unknown, wanted: string): string {
  return `json: cannot unmarshal ${goTypeOf(patch)} into Go value of type ${wanted}`;
}

/** Changes `value`. */
export function decodePatched(
  resource: ServedResource,
  value: unknown,
  patch: Change,
  options: WriteOptions,
  caller: Caller,
): AnyObject {
  const shown = patch.type === "strategic" ? goText(patch.body.value) : shownJson(resource, value);
  const refuse = (why: string) => invalid({ group: "", kind: "", name: "" }, [invalidField("patch", shown, why)]);
  if (!isObject(value))
    throw refuse(`json: cannot unmarshal ${goTypeOf(value)} into Go value of type ${resource.kind}`);
  const object = value as AnyObject;
  const wrongClaim = claimProblem(resource, object, patch.type);
  if (wrongClaim !== undefined) throw refuse(wrongClaim);
  const unknown = decodeOr(resource, object, refuse);
  const problems = [...patchProblems(patch), ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`)];
  tellProblems(problems, patch.body, options, caller, refuse);
  return object;
}

/** Another kind cannot be patched in. A strategic merge patch, and what it leaves out, cannot say what it is. */
function claimProblem(resource: ServedResource, object: AnyObject, type: Change["type"]): string | undefined {
  const expected = servedVersionOf(resource);
  if (isCustom(resource)) {
    const missing = kindMissing(object);
    if (missing !== undefined || object.apiVersion === expected) return missing;
    return `the API version in the data (${object.apiVersion ?? ""}) does not match the expected API version (${expected})`;
  }
  if (type !== "strategic" && object.kind && object.kind !== resource.kind) {
    const internal = resource.group === "" ? "core" : resource.group.split(".")[0];
    return `converting (${resource.version}.${object.kind}) to (${internal}.${resource.kind}): unknown conversion`;
  }
  if (type !== "strategic" && object.apiVersion && object.apiVersion !== expected)
    return `no kind ${JSON.stringify(resource.kind)} is registered for version ${JSON.stringify(object.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  object.kind = resource.kind;
  object.apiVersion = expected;
  return undefined;
}

function decodeOr(resource: ServedResource, object: AnyObject, refuse: (why: string) => StatusError): string[] {
  try {
    return dropUnknown(resource, object);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw refuse(error.message.replace(/^\S+ in version "[^"]*" cannot be handled as a \S+: /, ""));
  }
}

/** What is wrong with the patch itself. */
function patchProblems({ type, body }: Change): string[] {
  const duplicates = body.duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`);
  if (type !== "json") return duplicates;
  const known = ["op", "path", "from", "value"];
  const operations = Array.isArray(body.value) ? body.value.filter(isObject) : [];
  const unknown = operations.flatMap((operation, index) =>
    Object.keys(operation)
      .filter((key) => !known.includes(key))
      .map((key) => `unknown field "[${index}].${key}"`),
  );
  return [...unknown, ...duplicates].map((problem) => `json patch ${problem}`);
}

function shownJson(resource: ServedResource, value: unknown): string {
  if (isCustom(resource) || !isObject(value)) return sortedJson(value);
  return JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));
}
