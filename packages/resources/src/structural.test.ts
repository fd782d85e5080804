import { describe, expect, test } from "vitest";
import { z } from "zod";
import { list, listMap, map, text, time } from "./fields.ts";
import { ruled } from "./rules.ts";
import { type JsonSchema, type StructuralSchema, structuralSchema, toStructural } from "./structural.ts";

const fieldOf = (schema: z.ZodType) => structuralSchema(z.strictObject({ field: schema })).properties?.field;

describe("a structural schema", () => {
  const rules: [string, z.ZodType, StructuralSchema][] = [
    ["has no limits that only say that integers are safe", z.int(), { type: "integer" }],
    [
      "keeps the limits that an author gave an integer",
      z.int().min(1).max(9),
      { type: "integer", minimum: 1, maximum: 9 },
    ],
    ["keeps one limit beside a safe one", z.int().min(0), { type: "integer", minimum: 0 }],
    [
      "takes integer or text as int-or-string, with the limits of both",
      z.union([text({ max: 5, pattern: /^[0-7]+$/ }), z.int().max(511)]),
      { maximum: 511, maxLength: 5, pattern: "^[0-7]+$", "x-kubernetes-int-or-string": true },
    ],
    [
      "takes any other scalars as anything but objects and lists",
      z.union([z.string(), z.number(), z.boolean()]),
      {
        minProperties: 1,
        maxProperties: 0,
        minItems: 1,
        maxItems: 0,
        "x-kubernetes-preserve-unknown-fields": true,
      },
    ],
    ["marks what may be null", z.string().nullable(), { type: "string", nullable: true }],
    ["keeps an enum with its type", z.enum(["True", "False"]), { type: "string", enum: ["True", "False"] }],
    ["keeps a default", z.int().default(80), { type: "integer", default: 80 }],
    ["gives a description", z.string().describe("words"), { type: "string", description: "words" }],
    [
      "keeps a description given before a default",
      z.string().describe("words").default("x"),
      { type: "string", description: "words", default: "x" },
    ],
    ["drops unknown fields without saying so", z.strictObject({}), { type: "object" }],
    ["can keep unknown fields", z.looseObject({}), { type: "object", "x-kubernetes-preserve-unknown-fields": true }],
    [
      "types the values of a map and limits their number",
      map(z.string(), 4),
      { type: "object", maxProperties: 4, additionalProperties: { type: "string" } },
    ],
    [
      "owns a list as a whole",
      list(z.string(), 3),
      { type: "array", maxItems: 3, items: { type: "string" }, "x-kubernetes-list-type": "atomic" },
    ],
    [
      "tells the items of a list map apart by their keys",
      listMap(z.strictObject({ type: z.string() }), ["type"], 3),
      {
        type: "array",
        maxItems: 3,
        items: { type: "object", required: ["type"], properties: { type: { type: "string" } } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
      },
    ],
    [
      "carries rules, and the field they blame",
      ruled(z.strictObject({ a: z.string() }), { cel: "self.a != ''", message: "no", field: "a", holds: () => true }),
      {
        type: "object",
        required: ["a"],
        properties: { a: { type: "string" } },
        "x-kubernetes-validations": [{ rule: "self.a != ''", message: "no", fieldPath: ".a" }],
      },
    ],
    [
      "carries rules through a description and an optional",
      ruled(z.int(), { cel: "self > 0", message: "no", holds: () => true })
        .describe("words")
        .exactOptional(),
      { type: "integer", description: "words", "x-kubernetes-validations": [{ rule: "self > 0", message: "no" }] },
    ],
    [
      "knows a time by its format, and lets no list pass for one",
      time(),
      {
        type: "string",
        format: "date-time",
        maxLength: 40,
        pattern: expect.stringContaining("T"),
        minItems: 1,
        maxItems: 0,
      },
    ],
  ];
  test.each(rules)("%s", (_, schema, want) => {
    expect(fieldOf(schema)).toEqual(want);
  });

  test("requires what has neither a default nor an optional", () => {
    const schema = z.strictObject({ a: z.string(), b: z.string().default("x"), c: z.string().exactOptional() });
    expect(structuralSchema(schema).required).toEqual(["a"]);
  });

  test("writes its keywords in one order, whatever the order in zod", () => {
    const one = fieldOf(z.string().describe("words").default("x").meta({ maxLength: 3 }));
    const other = fieldOf(z.string().meta({ maxLength: 3 }).default("x").describe("words"));
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  });

  const refusals: [string, JsonSchema, string][] = [
    ["a reference", { $ref: "#/x" }, 'the schema structural: the API server does not take "$ref" there'],
    [
      "a union of objects",
      { properties: { a: { anyOf: [{ type: "object" }, { type: "string" }] } } },
      "the schema.a structural: a union can only be of scalars",
    ],
    [
      "named fields beside typed ones",
      { properties: { a: { type: "string" } }, additionalProperties: { type: "string" } },
      "the schema structural: it has both named fields and a type for others",
    ],
    [
      "a keyword that CRDs do not know",
      { items: { const: 1 } },
      'the schema[] structural: the API server does not take "const"',
    ],
  ];
  test.each(refusals)("cannot hold %s, and the error names the place", (_, schema, want) => {
    expect(() => toStructural(schema)).toThrow(want);
  });

  test("cannot hold a schema that refers to itself", () => {
    const tree = z.strictObject({
      get children() {
        return z.array(tree);
      },
    });
    expect(() => structuralSchema(tree)).toThrow("$ref");
  });
});
