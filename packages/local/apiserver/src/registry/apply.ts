/** PATCH by server-side apply. */
import { parseApiVersion } from "@berg/apimachinery";
import { applyObject } from "../apply/apply-object.ts";
import { badRequest } from "../errors/refusals.ts";
import { dropUnknown, fillIn } from "./decoding.ts";
import { draftOf, goTypeOf, isObject } from "./json.ts";
import { type Registry, servedVersionOf } from "./registry.ts";
import type { AnyObject, AnyStoredObject, ServedResource } from "./resource.ts";
import type { Caller, PatchBody, Place, WriteOptions } from "./verbs.ts";

/** What comes of it, with its managedFields. */
export function applied(
  { clock }: Registry,
  { resource, name }: Place,
  live: AnyStoredObject | undefined,
  { body, force }: Extract<PatchBody, { type: "apply" }>,
  subresource: string,
  options: WriteOptions,
  caller: Caller,
): AnyObject {
  const configuration = body.value;
  if (!isObject(configuration)) {
    const why = `json: cannot unmarshal ${goTypeOf(configuration)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
  }
  checkType(resource, configuration);
  const { object } = applyObject({
    kind: resource,
    name,
    live,
    applied: configuration,
    manager: options.fieldManager ?? caller.defaultManager,
    force,
    subresource,
    now: clock.now(),
  });
  // What a schema does not know has been refused by now, whatever was asked for.
  for (const path of body.duplicates) {
    const problem = `key ${JSON.stringify(path.split(".").at(-1))} already set in map`;
    if (options.fieldValidation === "Strict")
      throw badRequest(
        `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 1: ${problem}`,
      );
    if (options.fieldValidation === "Warn") caller.warn(`line 1: ${problem}`);
  }
  const draft = draftOf(object);
  dropUnknown(resource, draft);
  fillIn(resource, draft);
  return draft;
}

function checkType(resource: ServedResource, { apiVersion = "", kind = "" }: Record<string, unknown>): void {
  if (apiVersion === servedVersionOf(resource) && kind === resource.kind) return;
  const { group, version } = parseApiVersion(String(apiVersion));
  throw badRequest(`invalid object type: ${group}/${version}, Kind=${String(kind)}`);
}
