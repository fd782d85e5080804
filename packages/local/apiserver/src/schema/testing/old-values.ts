/** Values that were stored before their schema became stricter, and what is then sent. */
import type { Schema } from "../schema.ts";

export interface OldValueCase {
  before: Schema;
  schema: Schema;
  old: unknown;
  /** The whole spec. */
  updates: readonly unknown[];
}

const text: Schema = { type: "string" };
const short: Schema = { type: "string", maxLength: 2 };

export const oldValueCases: Readonly<Record<string, OldValueCase>> = {
  text: {
    before: text,
    schema: short,
    old: "long",
    updates: [{ text: "long" }, { text: "other" }, { text: "ok" }, {}],
  },
  type: { before: text, schema: { type: "integer" }, old: "x", updates: [{ type: "x" }, { type: "y" }] },
  object: {
    before: { type: "object", properties: { a: text, b: text } },
    schema: { type: "object", properties: { a: short, b: short }, required: ["c"] },
    old: { a: "long", b: "b" },
    updates: [
      { object: { a: "long", b: "b" } },
      { object: { a: "long", b: "x" } },
      { object: { a: "long", b: "longer" } },
      { object: { a: "changed" } },
      { object: { a: "long" } },
    ],
  },
  map: {
    before: { type: "object", additionalProperties: text },
    schema: { type: "object", additionalProperties: short, maxProperties: 1 },
    old: { a: "long", b: "b" },
    updates: [
      { map: { a: "long", b: "b" } },
      { map: { a: "long", b: "c" } },
      { map: { a: "long" } },
      { map: { z: "long" } },
    ],
  },
  atomicList: {
    before: { type: "array", items: text },
    schema: { type: "array", items: short },
    old: ["long"],
    updates: [{ atomicList: ["long"] }, { atomicList: ["long", "a"] }],
  },
  listMap: {
    before: {
      type: "array",
      items: { type: "object", properties: { name: text, value: text }, required: ["name"] },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    schema: {
      type: "array",
      items: { type: "object", properties: { name: text, value: short }, required: ["name"] },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    old: [
      { name: "a", value: "long" },
      { name: "b", value: "b" },
    ],
    updates: [
      {
        listMap: [
          { name: "b", value: "c" },
          { name: "a", value: "long" },
        ],
      },
      { listMap: [{ name: "a", value: "longer" }] },
      { listMap: [{ name: "c", value: "long" }] },
    ],
  },
  set: {
    before: { type: "array", items: text },
    schema: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    old: ["a", "a"],
    updates: [{ set: ["a", "a"] }, { set: ["a", "a", "b", "b"] }],
  },
  alternatives: {
    before: { type: "object", properties: { a: text, b: text } },
    schema: {
      type: "object",
      properties: { a: text, b: text },
      anyOf: [{ properties: { a: { maxLength: 1 } } }, { required: ["b"] }],
    },
    old: { a: "long" },
    updates: [{ alternatives: { a: "long" } }, { alternatives: { a: "longer" } }],
  },
  preserved: {
    before: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true, required: ["c"] },
    old: { a: "x" },
    updates: [{ preserved: { a: "x" } }],
  },
};
