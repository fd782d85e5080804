/** The shape of `metadata`, which all kinds share. */
import type { Schema } from "../schema.ts";

const text: Schema = { type: "string" };
const time: Schema = { type: "string", format: "date-time", nullable: true };
const int64: Schema = { type: "integer", format: "int64" };
const bool: Schema = { type: "boolean" };
const texts: Schema = { type: "object", additionalProperties: text };

const ownerReference: Schema = {
  type: "object",
  properties: { apiVersion: text, kind: text, name: text, uid: text, controller: bool, blockOwnerDeletion: bool },
  required: ["apiVersion", "kind", "name", "uid"],
  "x-kubernetes-map-type": "atomic",
};

const managedFieldsEntry: Schema = {
  type: "object",
  properties: {
    manager: text,
    operation: text,
    apiVersion: text,
    time,
    fieldsType: text,
    fieldsV1: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    subresource: text,
  },
};

export const metadataSchema: Schema = {
  type: "object",
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: int64,
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: int64,
    labels: texts,
    annotations: texts,
    ownerReferences: {
      type: "array",
      items: ownerReference,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "uid",
    },
    finalizers: {
      type: "array",
      items: text,
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge",
    },
    managedFields: { type: "array", items: managedFieldsEntry, "x-kubernetes-list-type": "atomic" },
  },
};
