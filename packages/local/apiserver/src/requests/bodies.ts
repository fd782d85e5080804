/** From the bytes of a body to what it says, by the media type under which it came. */

import { isBuiltIn } from "../discovery/built-in-groups.ts";
import { badRequest, refusal, unsupportedMediaType } from "../errors/refusals.ts";
import type { ServedResource } from "../registry/resource.ts";
import type { Body, PatchBody } from "../registry/verbs.ts";
import { notAnObject, parseJson, unrecognized } from "../schema/parse/parse-json.ts";
import { parseYaml, unrecognizedYaml } from "../schema/parse/parse-yaml.ts";
import { parseMediaType } from "./media-type.ts";

/** What is not offered is not named: protobuf is what clients that are not told otherwise send for built-in kinds. */
export const objectMediaTypes = ["application/json", "application/yaml"] as const;

const patchTypes: Record<string, PatchBody["type"]> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};
const customPatchTypes = Object.keys(patchTypes).filter((type) => patchTypes[type] !== "strategic");

/** Of the Content-Type of an object; JSON where there is none. */
export function objectMediaType(contentType: string | undefined): (typeof objectMediaTypes)[number] {
  const wanted = contentType ? parseMediaType(contentType)?.type : "application/json";
  const known = objectMediaTypes.find((type) => type === wanted);
  if (!known) throw unsupportedMediaType("", objectMediaTypes);
  return known;
}

/** A whole object of this kind. */
export async function readObject(contentType: string | undefined, bytes: Buffer, kind: string): Promise<Body> {
  const isYaml = objectMediaType(contentType) === "application/yaml";
  // Bytes that are no UTF-8 become replacement characters, as they do in Go.
  const text = bytes.toString();
  return isYaml ? parseYaml(text, unrecognizedYaml(kind, text)) : parseJson(text, unrecognized(kind, text));
}

/** The options of a delete, or undefined where there is no body. */
export async function readOptions(contentType: string | undefined, bytes: Buffer): Promise<unknown> {
  if (bytes.length === 0) return undefined;
  const isYaml = objectMediaType(contentType) === "application/yaml";
  const noKind = (why: string) => badRequest(`couldn't get version/kind; json parse error: ${why}`);
  const { value } = isYaml ? await parseYaml(bytes.toString()) : parseJson(bytes.toString(), noKind);
  const problem = notAnObject(value);
  if (problem !== undefined) throw noKind(problem);
  return value ?? {};
}

export function patchType(contentType: string | undefined, resource: ServedResource): PatchBody["type"] {
  const type = patchTypes[parseMediaType(contentType ?? "")?.type ?? ""];
  if (type && !(type === "strategic" && !isBuiltIn(resource))) return type;
  if (!isBuiltIn(resource)) throw unsupportedMediaType("", customPatchTypes);
  throw refusal(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
}

export async function readPatch(type: PatchBody["type"], bytes: Buffer, force: boolean): Promise<PatchBody> {
  const text = bytes.toString();
  if (type === "apply") {
    const body = await parseYaml(text, (why) =>
      badRequest(`error decoding YAML: error converting YAML to JSON: ${why}`),
    );
    return { type, body: body.value === null ? { value: {}, duplicates: [] } : body, force };
  }
  const prefix = type === "strategic" ? "" : "error decoding patch: ";
  return { type, body: parseJson(text, (why) => badRequest(`${prefix}${why}`)) };
}
