/** What holds of every document and every patch, however strange. */
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { canonical, deepFreeze, thrownBy, withoutNulls } from "./fixtures.ts";
import { diffJson } from "./json-diff.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { applyMergePatch, createMergePatch } from "./merge-patch.ts";
import { PatchError } from "./patch-error.ts";
import { createStrategicPatch } from "./strategic-diff.ts";
import { applyStrategicPatch } from "./strategic-patch.ts";
import { type FieldRule, type StrategicSchema, strategicSchemaFor } from "./strategic-schema.ts";

const runs = { numRuns: 1_500 };

/** Keys that need escaping in a pointer, or that name something every object inherits. */
const keys = fc.constantFrom("a", "b", "c", "", "a/b", "m~n", "~1", "0", "__proto__", "constructor", "toString");

/** Any JSON, out of few enough parts that two of them have much in common. */
const anyJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, 1, 2.5, "", "x", "ünïcode ✓"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie("value")), { maxLength: 4 }).map((fields) => Object.fromEntries(fields)),
  ),
})).value;

const anyJsonObject = fc
  .array(fc.tuple(keys, anyJson), { maxLength: 4 })
  .map((fields): object => Object.fromEntries(fields));

/** Lists of which two differ little, as those of two versions of one object do. */
const alikeList = fc.array(fc.constantFrom<unknown>(0, 1, { a: 0 }, { a: 1 }), { maxLength: 5 });

/** Applies a patch of any shape; it may only work or throw a PatchError, and touch nothing that it was given. */
function expectHarmless(
  document: unknown,
  patch: unknown,
  apply: (document: unknown, patch: unknown) => unknown,
): void {
  const before = [canonical(document), canonical(patch)];
  const error = thrownBy(() => apply(deepFreeze(document), deepFreeze(patch)));
  if (error !== undefined && !(error instanceof PatchError)) throw error;
  expect([canonical(document), canonical(patch)]).toEqual(before);
}

const inherited = Object.getOwnPropertyNames(Object.prototype);
afterAll(() => expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(inherited));

describe("JSON patch", () => {
  test("the difference of two documents, applied to the first, gives the second", () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(anyJson, anyJson), fc.tuple(alikeList, alikeList)), ([original, modified]) => {
        const patch = deepFreeze(diffJson(deepFreeze(original), deepFreeze(modified)));
        expect(canonical(applyJsonPatch(original, patch))).toBe(canonical(modified));
        expect(patch.length === 0).toBe(canonical(original) === canonical(modified));
      }),
      runs,
    );
  });

  test("a patch of any shape is harmless", () => {
    const pointer = fc
      .array(fc.constantFrom("a", "b", "0", "1", "-", "__proto__", "constructor", "a~1b", "~"), { maxLength: 3 })
      .map((steps) => steps.map((step) => `/${step}`).join(""));
    const operation = fc.record(
      {
        op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "other"),
        path: fc.oneof({ weight: 9, arbitrary: pointer }, { weight: 1, arbitrary: anyJson }),
        from: pointer,
        value: anyJson,
      },
      { requiredKeys: ["op"] },
    );
    const patch = fc.oneof(
      { weight: 9, arbitrary: fc.array(operation, { maxLength: 5 }) },
      { weight: 1, arbitrary: anyJson },
    );
    fc.assert(
      fc.property(anyJson, patch, (document, operations) => expectHarmless(document, operations, applyJsonPatch)),
      runs,
    );
  });
});

describe("merge patch", () => {
  test("the difference of two documents, applied to the first, gives the second but for nulls", () => {
    fc.assert(
      fc.property(anyJsonObject, anyJsonObject, (original, modified) => {
        const patch = deepFreeze(createMergePatch(deepFreeze(original), deepFreeze(modified)));
        const got = applyMergePatch(original, patch);
        expect(canonical(withoutNulls(got))).toBe(canonical(withoutNulls(modified)));
      }),
      runs,
    );
  });

  test("applied twice, a patch is as applied once", () => {
    fc.assert(
      fc.property(anyJson, anyJson, (document, patch) => {
        const once = applyMergePatch(deepFreeze(document), deepFreeze(patch));
        expect(applyMergePatch(once, patch)).toBe(once);
      }),
      runs,
    );
  });

  test("a patch of any shape is harmless", () => {
    fc.assert(
      fc.property(anyJson, anyJson, (document, patch) => expectHarmless(document, patch, applyMergePatch)),
      runs,
    );
  });
});

describe("strategic merge patch", () => {
  const schema = strategicSchemaFor({ group: "apps", kind: "Deployment" }) as StrategicSchema;

  /** Objects of the shape that the schema knows, with fields besides that it does not. */
  function shaped(fields: StrategicSchema, uniqueIds: boolean): fc.Arbitrary<object> {
    const known = Object.entries(fields).map(([name, rule]) => [name, shapedField(rule, uniqueIds)]);
    const other = { other: anyJsonObject.map((value) => withoutNulls(value, true)), atomic: fc.array(fc.nat(2)) };
    return fc.record({ ...Object.fromEntries(known), ...other }, { requiredKeys: [] });
  }

  function shapedField(rule: FieldRule, uniqueIds: boolean): fc.Arbitrary<unknown> {
    const { mergeKey } = rule;
    if (rule.set) return fc.uniqueArray(fc.constantFrom("x", "y", "z"));
    if (mergeKey === undefined) return shaped(rule.fields ?? {}, uniqueIds);
    const id = fc.constantFrom("a", "b", "c", 80);
    const element = fc
      .tuple(shaped(rule.fields ?? {}, uniqueIds), id)
      .map(([value, key]) => ({ ...value, [mergeKey]: key }) as Record<string, unknown>);
    if (!uniqueIds) return fc.array(element, { maxLength: 3 });
    return fc.uniqueArray(element, { maxLength: 4, selector: (value) => value[mergeKey] });
  }

  test.each([
    { name: "with elements told apart by their keys", uniqueIds: true },
    { name: "with elements that share keys", uniqueIds: false },
  ])("the difference of two objects $name, applied to the first, gives the second", ({ uniqueIds }) => {
    const objects = shaped(schema, uniqueIds);
    fc.assert(
      fc.property(objects, objects, (original, modified) => {
        const patch = deepFreeze(createStrategicPatch(deepFreeze(original), deepFreeze(modified), schema));
        expect(canonical(applyStrategicPatch(original, patch, schema))).toBe(canonical(modified));
        expect(Object.keys(patch).length === 0).toBe(canonical(original) === canonical(modified));
      }),
      { numRuns: 150 },
    );
  });

  test("where nothing is to be changed, the result is the original itself", () => {
    fc.assert(
      fc.property(shaped(schema, true), (original) => {
        const same = structuredClone(original);
        expect(applyStrategicPatch(deepFreeze(original), deepFreeze(same), schema)).toBe(original);
      }),
      { numRuns: 150 },
    );
  });

  test("a patch of any shape is harmless", () => {
    const fields = ["metadata", "spec", "template", "containers", "env", "finalizers", "strategy", "name", "__proto__"];
    const directives = fields.flatMap((field) => [`$setElementOrder/${field}`, `$deleteFromPrimitiveList/${field}`]);
    const key = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...fields) },
      { weight: 1, arbitrary: fc.constantFrom("$patch", "$retainKeys", "$setElementOrder", ...directives) },
    );
    const rubbish = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6, depthSize: "medium" },
        fc.constantFrom(null, 1, "a", "delete", "replace", "merge", "name"),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
      ),
    })).value;
    const document = fc.oneof(shaped(schema, false), rubbish);
    fc.assert(
      fc.property(document, rubbish, (original, patch) =>
        expectHarmless(original, patch, (...given) => applyStrategicPatch(...given, schema)),
      ),
      { numRuns: 500 },
    );
  });
});
