// What stands in the snapshots is what a real API server answers: validate-schema.real.test.ts shows it.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fillDefaults } from "../fill-defaults.ts";
import type { Json } from "../json.ts";
import type { Schema } from "../schema.ts";
import { judge, objectOf, specOf } from "../testing/judge.ts";
import { oldValueCases } from "../testing/old-values.ts";
import { valueCases } from "../testing/values.ts";
import { unknownFields } from "../unknown-fields.ts";
import { validateSchema } from "./validate-schema.ts";

function shown(schema: Schema, object: Json, old?: Json): string[] {
  const { code, causes, message, spec } = judge(object, schema, old);
  return code === 200 ? [`ok ${JSON.stringify(spec)}`] : (causes ?? [`${code} ${message}`]);
}

describe("values against their schema", () => {
  test.each(Object.entries(valueCases))("%s", (name, { schema, values }) => {
    const whole = specOf({ [name]: schema });
    const judged = values.map((value) => [
      JSON.stringify(value),
      shown(whole, objectOf("Thing", "x", { [name]: value })),
    ]);
    expect(Object.fromEntries(judged)).toMatchSnapshot();
  });
});

describe("values that were stored under another schema", () => {
  test.each(Object.entries(oldValueCases))("%s", (name, { schema, old, updates }) => {
    const stored = objectOf("Old", "x", { [name]: old });
    const judged = updates.map((update) => [
      JSON.stringify(update),
      shown(specOf({ [name]: schema }), objectOf("Old", "x", update), stored),
    ]);
    expect(Object.fromEntries(judged)).toMatchSnapshot();
  });

  test("what says which kind it is, is always checked", () => {
    const schema: Schema = { type: "object", properties: { kind: { type: "string", enum: ["Other"] } } };
    const object = { apiVersion: "v1", kind: "Thing", metadata: { name: "x" } };
    expect(validateSchema(object, schema, object)).toHaveLength(1);
  });
});

describe("where only status is written", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      spec: { type: "object", properties: { size: { type: "integer" } } },
      status: {
        type: "object",
        properties: {
          ready: { type: "integer" },
          names: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        },
        minProperties: 1,
        required: ["ready"],
      },
    },
  };
  const told = (object: unknown, old?: unknown) =>
    validateSchema(object, schema, old, "status").map(({ field, message }) => `${field}: ${message}`);

  test("nothing else is looked at", () => {
    expect(told({ spec: { size: "x" } })).toEqual([]);
    expect(told({ spec: { size: "x" }, status: { ready: 1 } })).toEqual([]);
  });

  test("texts name the path within it, fields the whole one", () => {
    expect(told({ status: { ready: "x" } })).toEqual([
      'status.ready: Invalid value: "string": ready in body must be of type integer: "string"',
    ]);
    expect(told({ status: {} })).toEqual([
      "status: Invalid value: 0:  in body should have at least 1 properties",
      "status.ready: Required value",
    ]);
  });

  test("what has not changed is tolerated", () => {
    const status = { ready: "x" };
    expect(told({ status }, { status })).toEqual([]);
    expect(told({ status }, {})).toHaveLength(1);
  });

  test("lists that are sets are still sets", () => {
    expect(told({ status: { ready: 1, names: ["a", "a"] } }, {})).toEqual(['status.names[1]: Duplicate value: "a"']);
  });
});

const anySchema: fc.Arbitrary<Schema> = fc.constantFrom(...Object.values(valueCases).map(({ schema }) => schema));

describe("whatever is sent", () => {
  test("validation answers, and does not throw", () => {
    fc.assert(
      fc.property(fc.jsonValue(), anySchema, fc.jsonValue(), (value, schema, old) => {
        const whole = specOf({ field: schema });
        expect(validateSchema({ spec: { field: value } }, whole)).toBeInstanceOf(Array);
        expect(validateSchema({ spec: { field: value } }, whole, { spec: { field: old } })).toBeInstanceOf(Array);
      }),
    );
  });

  test("an object that has not changed is tolerated, unless something in it has no schema or is an object of its own", () => {
    fc.assert(
      fc.property(fc.jsonValue(), anySchema, (value, schema) => {
        fc.pre(!schema["x-kubernetes-embedded-resource"]);
        const object = { spec: { field: value } };
        const whole = specOf({ field: schema });
        unknownFields(object, whole, { drop: true });
        fc.pre(!schema["x-kubernetes-preserve-unknown-fields"] && schema.additionalProperties !== true);
        fc.pre(schema.additionalProperties !== false);
        fc.pre(isDescribed(object.spec.field, schema));
        expect(validateSchema(object, whole, structuredClone(object))).toEqual([]);
      }),
    );
  });

  test("a second pruning, and a second defaulting, change nothing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), anySchema, (value, schema) => {
        const whole = specOf({ field: schema });
        const object = { spec: { field: value } };
        unknownFields(object, whole, { drop: true });
        const pruned = structuredClone(object);
        expect(unknownFields(object, whole, { drop: true })).toEqual([]);
        expect(object).toEqual(pruned);
        fillDefaults(object, whole);
        const filled = structuredClone(object);
        fillDefaults(object, whole);
        expect(object).toEqual(filled);
      }),
    );
  });
});

/** Whether it has the types that its schema says: else Kubernetes cannot compare it with what was there. */
function isDescribed(value: unknown, schema: Schema): boolean {
  if (Array.isArray(value)) return schema.type === "array" && schema["x-kubernetes-list-type"] !== "map";
  return typeof value !== "object" || value === null || schema.type === "object";
}
