import { expect, test } from "vitest";
import type { Schema } from "./schema.ts";
import { unknownFields } from "./unknown-fields.ts";

const schema: Schema = {
  type: "object",
  properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
};

test("what is not dropped stays", () => {
  const object = { spec: { a: "x", b: 1 }, other: 2, metadata: { foo: 1 } };
  const before = structuredClone(object);
  expect(unknownFields(object, schema, { drop: false })).toEqual(["metadata.foo", "other", "spec.b"]);
  expect(object).toEqual(before);
});

test("apiVersion, kind and metadata are known, but only where an object stands", () => {
  const object = { apiVersion: "v1", kind: "A", metadata: {}, spec: { kind: "B", metadata: {} } };
  expect(unknownFields(object, schema, { drop: true })).toEqual(["spec.kind", "spec.metadata"]);
  expect(object).toEqual({ apiVersion: "v1", kind: "A", metadata: {}, spec: {} });
});

test("names on the prototype of objects are not known", () => {
  const object = JSON.parse('{"spec":{"__proto__":1,"constructor":2,"toString":3}}');
  expect(unknownFields(object, schema, { drop: true })).toEqual([
    "spec.__proto__",
    "spec.constructor",
    "spec.toString",
  ]);
  expect(object).toEqual({ spec: {} });
});
