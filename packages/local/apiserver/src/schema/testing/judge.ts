/** What we make of a custom object that is sent: the same steps as in the registry, as far as a schema is concerned. */
import { type ObjectMeta, StatusError } from "@berg/apimachinery";
import { decodeCustom } from "../decode/decode-custom.ts";
import { fillDefaults } from "../fill-defaults.ts";
import type { Json } from "../json.ts";
import { subdomainProblems } from "../metadata/names.ts";
import { validateObjectMeta } from "../metadata/validate-object-meta.ts";
import type { Schema } from "../schema.ts";
import { validateSchema } from "../validate/validate-schema.ts";

export interface Judgement {
  code: number;
  causes?: string[];
  message?: string;
  spec?: unknown;
}

export function specOf(properties: Record<string, Schema>): Schema {
  return { type: "object", properties: { spec: { type: "object", properties } } };
}

export function objectOf(kind: string, name: string, spec: unknown): Json {
  return { apiVersion: "schema.example/v1", kind, metadata: { name, namespace: "default" }, spec };
}

export function judge(sent: Json, schema: Schema, old?: Json): Judgement {
  const object = structuredClone(sent);
  try {
    decodeCustom(object, schema, String(object.kind));
  } catch (error) {
    if (error instanceof StatusError) return { code: error.status.code ?? 0, message: error.status.message ?? "" };
    throw error;
  }
  fillDefaults(object, schema);
  const metadata = object.metadata as ObjectMeta;
  const errors = [
    ...(old ? [] : validateObjectMeta(metadata, { namespaced: true, nameProblems: subdomainProblems })),
    ...validateSchema(object, schema, old),
  ];
  if (errors.length === 0) return { code: 200, spec: object.spec };
  return { code: 422, causes: errors.map(({ reason, field, message }) => `${reason} ${field}: ${message}`).sort() };
}
