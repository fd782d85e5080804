import { expect, test } from "vitest";
import type { Schema } from "../schema/schema.ts";
import { objectType } from "./field-type.ts";
import { readFieldsV1, writeFieldsV1 } from "./fields-v1.ts";
import type { Manager, Managers } from "./managers.ts";
import { reconcile } from "./reconcile.ts";

const text: Schema = { type: "string" };

function reconciled(spec: Schema, fields: unknown): unknown {
  const type = objectType({ type: "object", properties: { spec } });
  const manager: Manager = {
    manager: "a",
    operation: "Apply",
    apiVersion: "apply.berg.test/v1",
    subresource: "",
    fields: readFieldsV1(fields),
  };
  const managers: Managers = new Map([["a", manager]]);
  const after = reconcile(type, managers, undefined).get("a");
  return after && writeFieldsV1(after.fields);
}

const atomicList: Schema = { type: "array", items: text, "x-kubernetes-list-type": "atomic" };
const atomicMap: Schema = { type: "object", properties: { a: text }, "x-kubernetes-map-type": "atomic" };
const inside = (schema: Schema): Schema => ({ type: "object", properties: { inner: schema } });

test.each([
  ["a list that became atomic", atomicList, { "f:spec": { 'v:"a"': {} } }, { "f:spec": {} }],
  ["a map that became atomic", atomicMap, { "f:spec": { "f:a": {} } }, { "f:spec": {} }],
  ["one further in", inside(atomicMap), { "f:spec": { "f:inner": { "f:a": {} } } }, { "f:spec": { "f:inner": {} } }],
  [
    "one in a list",
    { type: "array", items: atomicMap, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] },
    { "f:spec": { 'k:{"a":"b"}': { ".": {}, "f:a": {} } } },
    { "f:spec": { 'k:{"a":"b"}': {} } },
  ],
  ["what was atomic already", atomicList, { "f:spec": {} }, { "f:spec": {} }],
  [
    "what is not in the schema",
    inside(atomicMap),
    { "f:spec": { "f:b": { "f:c": {} } } },
    { "f:spec": { "f:b": { "f:c": {} } } },
  ],
  ["what has no schema", {}, { "f:spec": { "f:b": { "f:c": {} } } }, { "f:spec": { "f:b": { "f:c": {} } } }],
] as [string, Schema, unknown, unknown][])("%s", (_name, spec, before, after) => {
  expect(reconciled(spec, before)).toEqual(after);
});
