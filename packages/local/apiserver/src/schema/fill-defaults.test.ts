import { expect, test } from "vitest";
import { fillDefaults } from "./fill-defaults.ts";
import type { Schema } from "./schema.ts";

test("a default is a copy of its own", () => {
  const schema: Schema = { type: "object", properties: { a: { type: "object", default: { b: [1] } } } };
  const object: { a?: { b: number[] } } = {};
  fillDefaults(object, schema);
  object.a?.b.push(2);
  expect(schema.properties?.a?.default).toEqual({ b: [1] });
});

test("__proto__ with a default is a field as any other", () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string","default":"x"}}}') as Schema;
  const object = {};
  fillDefaults(object, schema);
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  expect(Object.keys(object)).toEqual(["__proto__"]);
});

test("what is left out of what is not there stays left out", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      a: { type: "object", properties: { b: { type: "integer", default: 1 } } },
      c: { type: "boolean", default: false },
    },
  };
  const object = {};
  fillDefaults(object, schema);
  expect(object).toEqual({ c: false });
});
