/** Schemas of CustomResourceDefinitions, most of them odd: what a real API server and ours must judge alike. */
import type { Schema } from "../schema.ts";

/** The root; or what stands at `properties.spec` of an ordinary one. */
export type SchemaCase = { root: unknown; hasStatus?: boolean } | { spec: unknown };

const text: Schema = { type: "string" };
const list = (items: unknown, more: object = {}): unknown => ({ type: "array", items, ...more });
const object = (properties: Record<string, unknown>, more: object = {}): unknown => ({
  type: "object",
  properties,
  ...more,
});
const listMap = (keys: string[], items: unknown): unknown =>
  list(items, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys });

export const schemaCases: Readonly<Record<string, SchemaCase>> = {
  "a good one": { spec: object({ a: text, b: list(text), c: { type: "object", additionalProperties: text } }) },
  "no type at the root": { root: { properties: { spec: text } } },
  "a list at the root": { root: list(text) },
  "an unknown type": { spec: { type: "text" } },
  "the type null": { spec: { type: "null" } },
  "no type of a field": { spec: object({ a: {} }) },
  "no type of items": { spec: list({}) },
  "no type of map values": { spec: { type: "object", additionalProperties: {} } },
  "a list without items": { spec: { type: "array" } },
  "nullable at the root": { root: { type: "object", nullable: true } },
  "additionalProperties at the root": { root: { type: "object", additionalProperties: text } },
  "additionalProperties beside properties": { spec: object({ a: text }, { additionalProperties: text }) },
  "additionalProperties false beside properties": { spec: object({ a: text }, { additionalProperties: false }) },
  "additionalProperties true beside properties": { spec: object({ a: text }, { additionalProperties: true }) },
  "preserve-unknown-fields false": { spec: object({}, { "x-kubernetes-preserve-unknown-fields": false }) },
  "only preserve-unknown-fields": { spec: { "x-kubernetes-preserve-unknown-fields": true } },
  uniqueItems: { spec: list(text, { uniqueItems: true }) },
  "a bad pattern": { spec: { type: "string", pattern: "(" } },
  "a pattern that RE2 has not": { spec: { type: "string", pattern: "(?=a)" } },
  "a bad pattern in anyOf": { spec: { type: "string", anyOf: [{ pattern: "[" }] } },
  "types in anyOf": { spec: { type: "integer", anyOf: [{ type: "integer" }, { type: "string" }] } },
  "int-or-string in its forms": {
    spec: object({
      a: { "x-kubernetes-int-or-string": true },
      b: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
      c: {
        "x-kubernetes-int-or-string": true,
        allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { minimum: 1 }],
      },
    }),
  },
  "int-or-string with a type in another place": {
    spec: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "string" }, { type: "integer" }] },
  },
  "int-or-string and more": {
    spec: {
      "x-kubernetes-int-or-string": true,
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-embedded-resource": true,
    },
  },
  "all that must not be nested": {
    spec: object(
      { a: list(text), metadata: { type: "object" } },
      {
        allOf: [
          {
            type: "object",
            title: "t",
            description: "d",
            default: {},
            nullable: true,
            additionalProperties: text,
            "x-kubernetes-preserve-unknown-fields": true,
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-int-or-string": true,
            properties: { metadata: { minProperties: 1 } },
          },
          { properties: { a: { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] } } },
          { "x-kubernetes-map-type": "atomic" },
        ],
        not: { nullable: true, items: { title: "x" } },
        oneOf: [{ description: "x" }],
      },
    ),
  },
  "fields that only anyOf knows, not at the root": {
    spec: object(
      { a: text },
      { anyOf: [{ required: ["a"] }, { properties: { b: { minLength: 1 }, a: { minLength: 2 } } }] },
    ),
  },
  "items that only not knows, not at the root": {
    spec: object({ a: text }, { not: { properties: { a: { items: { minLength: 1 } } } } }),
  },
  "fields that only anyOf knows": {
    root: object(
      { spec: object({ a: text, l: list(text) }) },
      {
        anyOf: [
          {
            properties: { other: { minLength: 1 }, spec: { properties: { a: { minLength: 1 }, b: { minLength: 1 } } } },
          },
        ],
        not: {
          properties: { spec: { properties: { a: { items: { minLength: 1 } }, l: { items: { minLength: 1 } } } } },
        },
        allOf: [{ oneOf: [{ properties: { deep: { minLength: 1 } } }] }],
      },
    ),
  },
  "map values that anyOf names": {
    spec: { type: "object", additionalProperties: text, anyOf: [{ properties: { a: { minLength: 1 } } }] },
  },
  "metadata with the name only": {
    root: object({
      metadata: object({ name: { type: "string", maxLength: 3 }, generateName: text }),
      apiVersion: text,
      kind: text,
    }),
  },
  "metadata with labels": {
    root: object({ metadata: object({ labels: { type: "object", additionalProperties: text } }) }),
  },
  "metadata that says too much": { root: object({ metadata: { type: "object", description: "x", minProperties: 1 } }) },
  "metadata of another type": { root: object({ metadata: text, kind: { type: "integer" }, apiVersion: list(text) }) },
  "metadata with a default": {
    root: object({
      metadata: object({ name: { type: "string", default: "x" } }),
      kind: { type: "string", default: "K" },
    }),
  },
  "an embedded object": {
    spec: object({}, { "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true }),
  },
  "an embedded object without properties": { spec: { type: "object", "x-kubernetes-embedded-resource": true } },
  "an embedded text": { spec: { type: "string", "x-kubernetes-embedded-resource": true } },
  "an embedded nothing": { spec: { "x-kubernetes-embedded-resource": true } },
  "an embedded map": {
    spec: { type: "object", "x-kubernetes-embedded-resource": true, additionalProperties: text },
  },
  "an embedded object in metadata": {
    spec: object(
      {
        metadata: object({ a: object({ b: text }, { "x-kubernetes-embedded-resource": true }) }),
        kind: { type: "integer" },
      },
      { "x-kubernetes-embedded-resource": true },
    ),
  },
  "a default in the map of an embedded object's metadata": {
    spec: object(
      { metadata: object({ labels: { type: "object", additionalProperties: { type: "string", default: "x" } } }) },
      { "x-kubernetes-embedded-resource": true },
    ),
  },
  "a map type of a list": { spec: list(text, { "x-kubernetes-map-type": "atomic" }) },
  "an unknown map type": { spec: object({ a: text }, { "x-kubernetes-map-type": "set" }) },
  "a map type without type": {
    spec: { "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-map-type": "atomic" },
  },
  "a list type of an object": { spec: object({ a: text }, { "x-kubernetes-list-type": "set" }) },
  "a list type without type": {
    spec: { "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-list-type": "atomic" },
  },
  "an unknown list type": { spec: list(text, { "x-kubernetes-list-type": "bag" }) },
  "a set of objects": { spec: list(object({ a: text }), { "x-kubernetes-list-type": "set" }) },
  "a set of sets": { spec: list(list(text, { "x-kubernetes-list-type": "set" }), { "x-kubernetes-list-type": "set" }) },
  "a set of nullables": { spec: list({ type: "string", nullable: true }, { "x-kubernetes-list-type": "set" }) },
  "a list map without keys": { spec: list(object({ a: text }), { "x-kubernetes-list-type": "map" }) },
  "keys without a list map": { spec: list(object({ a: text }), { "x-kubernetes-list-map-keys": ["a"] }) },
  "keys of a set": { spec: list(text, { "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["a"] }) },
  "a list map of texts": { spec: listMap(["a"], text) },
  "a list map with a key that is not required": { spec: listMap(["a"], object({ a: text })) },
  "a list map with a key that has a default": { spec: listMap(["a"], object({ a: { type: "string", default: "x" } })) },
  "a list map with an unknown key": { spec: listMap(["b"], object({ a: text })) },
  "a list map with a key twice": { spec: listMap(["a", "a"], object({ a: text }, { required: ["a"] })) },
  "a list map with a key that is a list": { spec: listMap(["a"], object({ a: list(text) }, { required: ["a"] })) },
  "a list map with nulls": {
    spec: listMap(["a"], object({ a: { type: "string", nullable: true } }, { required: ["a"], nullable: true })),
  },
  "a default of the wrong type": {
    spec: object({ a: { type: "integer", default: "x" }, b: { type: "string", default: null } }),
  },
  "a default that breaks a rule": { spec: object({ a: { type: "string", default: "long", maxLength: 2 } }) },
  "a default with unknown fields": { spec: object({ a: object({ b: text }, { default: { b: "x", c: 1 } }) }) },
  "a default that lacks something": { spec: object({ a: object({ b: text }, { default: {}, required: ["b"] }) }) },
  "a default inside of a list": { spec: list(object({ a: { type: "integer", default: 1.5 } })) },
  "a default that does not fit any alternative": {
    spec: object({ a: { type: "integer", default: 5, anyOf: [{ minimum: 10 }, { maximum: 0 }] } }),
  },
  "keywords that are not served": {
    spec: object({ a: text }, { patternProperties: { x: text }, definitions: { y: text }, dependencies: { a: ["b"] } }),
  },
  "a reference": { spec: { $ref: "#/definitions/x" } },
  "a list of items": { spec: { type: "array", items: [text, text] } },
  "an id": { spec: object({ a: text }, { id: "x" }) },
  "status with more than fields at the root": {
    root: object({ spec: text, status: { type: "object" } }, { anyOf: [{ required: ["spec"] }] }),
    hasStatus: true,
  },
  "status with required fields at the root": {
    root: object({ spec: text, status: { type: "object" } }, { required: ["spec"], description: "x" }),
    hasStatus: true,
  },
};

export function rootOf(given: SchemaCase): Schema {
  return ("root" in given ? given.root : { type: "object", properties: { spec: given.spec } }) as Schema;
}
