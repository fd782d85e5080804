/** What every object has beside what its kind adds. */
import type { Schema } from "../schema/schema.ts";

const text: Schema = { type: "string" };
const time: Schema = { type: "string", format: "date-time" };
const textMap: Schema = { type: "object", additionalProperties: text };

const ownerReference: Schema = {
  type: "object",
  "x-kubernetes-map-type": "atomic",
  properties: {
    apiVersion: text,
    blockOwnerDeletion: { type: "boolean" },
    controller: { type: "boolean" },
    kind: text,
    name: text,
    uid: { ...text, default: "" },
  },
};

const managedFieldsEntry: Schema = {
  type: "object",
  properties: {
    apiVersion: text,
    fieldsType: text,
    fieldsV1: { type: "object" },
    manager: text,
    operation: text,
    subresource: text,
    time,
  },
};

export const metadataSchema: Schema = {
  type: "object",
  properties: {
    annotations: textMap,
    creationTimestamp: time,
    deletionGracePeriodSeconds: { type: "integer", format: "int64" },
    deletionTimestamp: time,
    finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    generateName: text,
    generation: { type: "integer", format: "int64" },
    labels: textMap,
    managedFields: { type: "array", items: managedFieldsEntry, "x-kubernetes-list-type": "atomic" },
    name: text,
    namespace: text,
    ownerReferences: {
      type: "array",
      items: ownerReference,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};

export const objectProperties: Record<string, Schema> = { apiVersion: text, kind: text, metadata: metadataSchema };
