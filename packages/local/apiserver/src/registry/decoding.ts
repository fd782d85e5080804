/** From a body to an object of the kind that the URL names: what it claims to be, which fields it has, and its defaults. */
import { parseApiVersion, type StatusError } from "@berg/apimachinery";
import { badRequest } from "../errors/refusals.ts";
import { decodeCustom } from "../schema/decode/decode-custom.ts";
import { decodeBuiltIn } from "../schema/decode/decode-object.ts";
import { fillDefaults } from "../schema/fill-defaults.ts";
import { notAnObject, summaryOf, unrecognized } from "../schema/parse/parse-json.ts";
import { goTypeOf } from "./json.ts";
import { isCustom, type Registry, servedVersionOf } from "./registry.ts";
import type { AnyObject, ServedResource } from "./resource.ts";
import type { Body, Caller, WriteOptions } from "./verbs.ts";

/** A whole object, as POST and PUT send it. */
export function decodeObject(
  registry: Registry,
  resource: ServedResource,
  body: Body,
  options: WriteOptions,
  caller: Caller,
): AnyObject {
  const object = claimedObject(registry, resource, body.value, options);
  const unknown = dropUnknown(resource, object);
  const { version } = parseApiVersion(object.apiVersion);
  const refuse = (why: string) =>
    badRequest(`${object.kind} in version "${version}" cannot be handled as a ${resource.kind}: ${why}`);
  tellProblems(fieldProblems(resource, unknown, body), body, options, caller, refuse);
  return object;
}

/** Leaves what the kind knows. Returns the paths of the rest. A null that is applied is no field left out: it is wrong. */
export function dropUnknown(resource: ServedResource, object: AnyObject, isApplied = false): string[] {
  const { schema, kind } = resource;
  const unknown = isCustom(resource)
    ? decodeCustom(object, schema, kind, isApplied)
    : decodeBuiltIn(object, schema, kind);
  object.metadata ??= {} as AnyObject["metadata"];
  return unknown;
}

export function fillIn(resource: ServedResource, draft: AnyObject, isApplied = false): void {
  fillDefaults(draft, resource.schema, isApplied && isCustom(resource));
  resource.strategy.fillIn?.(draft);
}

/** In the order in which Kubernetes tells them. */
function fieldProblems(resource: ServedResource, unknown: readonly string[], body: Body): string[] {
  const ofUnknown = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  const ofDuplicates = body.duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`);
  return isCustom(resource) ? [...ofDuplicates, ...ofUnknown] : [...ofUnknown, ...ofDuplicates];
}

/** Throws or warns, as the client wishes. What YAML says twice comes first, and as one problem. */
export function tellProblems(
  problems: readonly string[],
  { repeated = [] }: Body,
  { fieldValidation }: WriteOptions,
  caller: Caller,
  refuse: (why: string) => StatusError,
): void {
  if (fieldValidation === "Ignore") return;
  if (fieldValidation === "Warn") {
    for (const problem of [...repeated, ...problems]) caller.warn(problem);
    return;
  }
  const all = repeated.length === 0 ? problems : [yamlProblem(repeated), ...problems];
  if (all.length > 0) throw refuse(`strict decoding error: ${all.join(", ")}`);
}

export function yamlProblem(repeated: readonly string[]): string {
  return ["yaml: unmarshal errors:", ...repeated].join("\n  ");
}

function claimedObject(registry: Registry, resource: ServedResource, value: unknown, options: WriteOptions): AnyObject {
  const problem = notAnObject(value) ?? claimProblem(value ?? {});
  if (problem !== undefined) throw unrecognized(resource.kind, JSON.stringify(value))(problem);
  const object = (value ?? {}) as AnyObject;
  if (isCustom(resource)) checkCustomClaim(resource, object, options, JSON.stringify(value));
  else checkClaim(registry, resource, object);
  return object;
}

function claimProblem(value: object): string | undefined {
  for (const [name, claim] of Object.entries(value)) {
    if (name !== "kind" && name !== "apiVersion") continue;
    if (typeof claim !== "string" && claim !== null)
      return `json: cannot unmarshal ${goTypeOf(claim)} into Go struct field .${name} of type string`;
  }
  return undefined;
}

/** Built-in kinds need not say what they are; what they say must be right. */
function checkClaim(registry: Registry, resource: ServedResource, object: AnyObject): void {
  const expected = servedVersionOf(resource);
  object.kind ||= resource.kind;
  object.apiVersion ||= expected;
  if (object.kind === resource.kind && object.apiVersion === expected) return;
  const { group, version } = parseApiVersion(object.apiVersion);
  const isKnown = registry.served
    .all()
    .some((other) => other.kind === object.kind && other.group === group && other.version === version);
  const internal = resource.group === "" ? "core" : resource.group.split(".")[0];
  const why = isKnown
    ? `converting (${version}.${object.kind}) to (${internal}.${resource.kind}): unknown conversion`
    : `no kind ${JSON.stringify(object.kind)} is registered for version ${JSON.stringify(object.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  throw badRequest(`${object.kind} in version "${version}" cannot be handled as a ${resource.kind}: ${why}`);
}

function checkCustomClaim(
  resource: ServedResource,
  object: AnyObject,
  { fieldValidation }: WriteOptions,
  sent: string,
): void {
  const { kind, version } = resource;
  const missing = object.kind ? undefined : kindMissingIn(sent);
  // Where nobody asks for unknown fields Kubernetes decodes it in another way, and words this in another.
  if (missing !== undefined && fieldValidation === "Ignore")
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${missing}`);
  if (missing === undefined && object.apiVersion === null) {
    const why = ".apiVersion accessor error: <nil> is of the type <nil>, expected string";
    throw badRequest(`${object.kind} in version "" cannot be handled as a ${kind}: ${why}`);
  }
  if (missing !== undefined)
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): ${missing} (${summaryOf(sent)})`,
    );
  const expected = servedVersionOf(resource);
  if (object.apiVersion !== expected)
    throw badRequest(
      `the API version in the data (${object.apiVersion ?? ""}) does not match the expected API version (${expected})`,
    );
}

export function kindMissing(object: AnyObject): string | undefined {
  return object.kind ? undefined : kindMissingIn(JSON.stringify(object));
}

function kindMissingIn(sent: string): string {
  return `Object 'Kind' is missing in '${sent}'`;
}
