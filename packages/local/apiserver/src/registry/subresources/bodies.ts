/** The bodies of subresources that are of a kind of their own and are not stored. */
import { badRequest } from "../../errors/refusals.ts";
import { notAnObject, unrecognized } from "../../schema/parse/parse-json.ts";
import { isObject } from "../json.ts";
import type { Registry } from "../registry.ts";
import type { AnyObject } from "../resource.ts";
import type { Body, Place } from "../verbs.ts";

/** Says what it must be, or nothing. */
export function readKind(registry: Registry, kind: string, apiVersions: readonly string[], body: Body): AnyObject {
  const value = body.value ?? {};
  const problem = notAnObject(value);
  if (problem !== undefined) throw unrecognized(kind, JSON.stringify(value))(problem);
  const object = value as AnyObject;
  if (!isObject(object.metadata)) object.metadata = {} as AnyObject["metadata"];
  const isRight =
    (!object.kind || object.kind === kind) && (!object.apiVersion || apiVersions.includes(object.apiVersion));
  if (isRight) return object;
  const version = String(object.apiVersion).split("/").at(-1);
  const isKnown = registry.served.all().some((other) => other.kind === object.kind && other.version === version);
  const why = isKnown
    ? `converting (${version}.${object.kind}) to (${internalGroup(apiVersions[0] ?? "")}.${kind}): unknown conversion`
    : `no kind ${JSON.stringify(object.kind)} is registered for version ${JSON.stringify(object.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  throw badRequest(`${object.kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}

function internalGroup(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] as string) : "core";
}

export function checkNameOf(kind: string, { metadata }: AnyObject, { name }: Place): void {
  if (metadata.name !== name) throw badRequest(`name in URL does not match name in ${kind} object`);
}
