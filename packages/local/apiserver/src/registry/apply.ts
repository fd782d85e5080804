/** PATCH by server-side apply. */
import { parseApiVersion, StatusError } from "@berg/apimachinery";
import { applyObject } from "../apply/apply-object.ts";
import { badRequest, refusal } from "../errors/refusals.ts";
import { dropUnknown, fillIn, yamlProblem } from "./decoding.ts";
import { draftOf, goTypeOf, isObject } from "./json.ts";
import { isCustom, type Registry, servedVersionOf } from "./registry.ts";
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
  const { repeated = [] } = body;
  if (options.fieldValidation === "Strict" && repeated.length > 0)
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${yamlProblem(repeated)}`);
  if (options.fieldValidation === "Warn") for (const problem of repeated) caller.warn(problem);
  const draft = draftOf(object);
  orNotConverted(resource, configuration as AnyObject, () => dropUnknown(resource, draft, true));
  fillIn(resource, draft, true);
  return draft;
}

/** What has the right type and still cannot be read, such as a time, is found out too late to be the client's mistake. */
function orNotConverted(resource: ServedResource, { metadata }: AnyObject, read: () => void): void {
  const { namespace = "", name = "" } = metadata ?? {};
  const kind = `${resource.group}/${resource.version}, Kind=${resource.kind}`;
  const prefix = `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: `;
  try {
    read();
  } catch (error) {
    if (isCustom(resource) || !(error instanceof StatusError) || !error.message.startsWith(prefix)) throw error;
    const what = error.message.slice(prefix.length);
    const where = what.startsWith("illegal base64") ? "error decoding from json: " : "";
    const why = `unable to convert unstructured object to ${kind}: ${where}${what}`;
    throw refusal(500, "", `failed to convert new object (${namespace}/${name}; ${kind}) to proper version: ${why}`);
  }
}

function checkType(resource: ServedResource, { apiVersion = "", kind = "" }: Record<string, unknown>): void {
  if (apiVersion === servedVersionOf(resource) && kind === resource.kind) return;
  const { group, version } = parseApiVersion(typeof apiVersion === "string" ? apiVersion : "");
  throw badRequest(`invalid object type: ${group}/${version}, Kind=${typeof kind === "string" ? kind : ""}`);
}
