/** The shapes of kinds as OpenAPI has them. */

import { isBuiltIn } from "../discovery/built-in-groups.ts";
import type { ServedResource } from "../registry/resource.ts";
import { metadataSchema } from "../schema/metadata/metadata-schema.ts";
import type { Schema } from "../schema/schema.ts";

/** Anything that may stand in a document. */
export type Json = { [field: string]: unknown };

export const objectMetaName = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
export const listMetaName = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

/** `io.k8s.api.apps.v1.Deployment`, or `com.example.v1.Widget`. */
export function schemaName(resource: ServedResource): string {
  const { group, version, kind } = resource;
  if (!isBuiltIn(resource)) return `${group.split(".").reverse().join(".")}.${version}.${kind}`;
  if (group === "apiextensions.k8s.io")
    return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${kind}`;
  return `io.k8s.api.${group.split(".")[0] || "core"}.${version}.${kind}`;
}

export function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** Of a kind and of its list, by name. */
export function schemasOf(resource: ServedResource): Record<string, Json> {
  const name = schemaName(resource);
  const { schema } = resource;
  return {
    [name]: {
      ...openApi(schema),
      type: "object",
      properties: {
        apiVersion: versionField,
        kind: kindField,
        metadata: { description: metadataText, allOf: [reference(objectMetaName)] },
        ...mapped(schema.properties),
      },
      "x-kubernetes-group-version-kind": [groupVersionKind(resource)],
    },
    [`${name}List`]: {
      description: `${resource.kind}List is a list of ${resource.kind}`,
      type: "object",
      required: ["items"],
      properties: {
        apiVersion: versionField,
        kind: kindField,
        metadata: { description: listMetadataText, allOf: [reference(listMetaName)] },
        items: { description: "the objects", type: "array", items: { allOf: [reference(name)] } },
      },
      "x-kubernetes-group-version-kind": [groupVersionKind({ ...resource, kind: `${resource.kind}List` })],
    },
  };
}

export function groupVersionKind({ group, version, kind }: Pick<ServedResource, "group" | "version" | "kind">): Json {
  return { group, version, kind };
}

const text = "string";
const versionField = { description: "The version in which the object is written, such as apps/v1.", type: text };
const kindField = { description: "What the object is, such as Pod.", type: text };
const metadataText = "Standard object's metadata.";
const listMetadataText = "Standard list metadata.";

/** What all kinds share. */
export const commonSchemas: Record<string, Json> = {
  [objectMetaName]: { description: "Metadata that every object has.", ...openApi(metadataSchema) },
  [listMetaName]: {
    description: "Metadata that every list has.",
    type: "object",
    properties: {
      continue: { type: text },
      remainingItemCount: { type: "integer", format: "int64" },
      resourceVersion: { type: text },
    },
  },
};

/** Our words are OpenAPI's, but for what is a number or a text. */
function openApi(schema: Schema): Json {
  const { properties, items, additionalProperties, ...rest } = schema;
  const isEither = schema["x-kubernetes-int-or-string"] && !schema.anyOf;
  return {
    ...rest,
    ...(isEither && { oneOf: [{ type: "integer" }, { type: "string" }] }),
    ...(properties && { properties: mapped(properties) }),
    ...(items && { items: openApi(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === "object" ? openApi(additionalProperties) : additionalProperties,
    }),
  };
}

function mapped(properties: Record<string, Schema> = {}): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, openApi(schema)]));
}
