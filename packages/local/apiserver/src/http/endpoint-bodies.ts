/** Bodies of what is asked rather than stored, read by their shape: who answers can then rely on what is in them. */
import { apiVersionOf, parseApiVersion } from "@berg/apimachinery";
import { badRequest } from "../errors/refusals.ts";
import { tokenRequestShape } from "../kinds/reviews/authentication.ts";
import { tellProblems } from "../registry/decoding.ts";
import type { ServedResource } from "../registry/resource.ts";
import type { Body, Caller, WriteOptions } from "../registry/verbs.ts";
import { decodeBuiltIn } from "../schema/decode/decode-object.ts";
import { notAnObject, unrecognized } from "../schema/parse/parse-json.ts";
import type { Schema } from "../schema/schema.ts";

/** What is sent. */
export type BodyKind = Pick<ServedResource, "group" | "version" | "kind">;

/** What the verbs read for themselves is left as it is. */
export function shapeOf({ kind }: BodyKind, resource: ServedResource): Schema | undefined {
  if (kind === "TokenRequest") return tokenRequestShape;
  return kind === resource.kind ? resource.schema : undefined;
}

export function decodeBy(schema: Schema, wanted: BodyKind, body: Body, options: WriteOptions, caller: Caller): Body {
  const { value, duplicates } = body;
  const { kind } = wanted;
  const problem = notAnObject(value);
  if (problem !== undefined) throw unrecognized(kind, JSON.stringify(value))(problem);
  const object = { ...(value as Record<string, unknown> | null) };
  const version = checkClaim(wanted, object);
  const problems = [
    ...decodeBuiltIn(object, schema, kind).map((path) => `unknown field ${JSON.stringify(path)}`),
    ...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
  ];
  const refuse = (why: string) => badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
  tellProblems(problems, body, options, caller, refuse);
  return { value: { ...object, metadata: object.metadata ?? {} }, duplicates };
}

/** Nobody has to say what they send, but what they say must be right. */
function checkClaim({ group, version, kind }: BodyKind, object: Record<string, unknown>): string {
  const expected = apiVersionOf({ group, version });
  object.kind ||= kind;
  object.apiVersion ||= expected;
  if (object.kind === kind && object.apiVersion === expected) return version;
  const claimed = parseApiVersion(String(object.apiVersion)).version;
  throw badRequest(
    `${object.kind} in version "${claimed}" cannot be handled as a ${kind}: no kind ${JSON.stringify(object.kind)} is registered for version ${JSON.stringify(object.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}
