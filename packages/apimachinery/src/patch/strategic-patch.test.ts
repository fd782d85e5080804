import { describe, expect, test } from "vitest";
import { bottomless, deepFreeze, thrownBy } from "./fixtures.ts";
import { PatchError } from "./patch-error.ts";
import { applyStrategicPatch } from "./strategic-patch.ts";
import { type StrategicSchema, strategicSchemaFor } from "./strategic-schema.ts";
import { strategicVectors } from "./strategic-vectors.ts";

const schema = strategicSchemaFor({ group: "", kind: "Pod" }) as StrategicSchema;
const pod = deepFreeze({
  metadata: { name: "p", finalizers: ["a"] },
  spec: { containers: [{ name: "web", args: ["x"] }, { name: "proxy" }] },
});

describe("applyStrategicPatch", () => {
  test.each(strategicVectors)("$name", ({ group, kind, original, patch, want }) => {
    const schema = strategicSchemaFor({ group, kind }) as StrategicSchema;
    expect(applyStrategicPatch(deepFreeze(original), deepFreeze(patch), schema)).toEqual(want);
  });

  test.each([
    { patch: [], want: "a strategic merge patch is an object, not a list" },
    { patch: { metadata: { $patch: "merge" } }, want: 'metadata.$patch must be "delete" or "replace"' },
    {
      patch: { spec: { containers: [{ name: "web", $patch: "merge" }] } },
      want: 'spec.containers.$patch must be "delete" or "replace"',
    },
    {
      patch: { spec: { containers: [{ image: "x" }] } },
      want: 'an element of spec.containers has no "name", by which they are told apart',
    },
    {
      patch: { spec: { containers: [{ $patch: "delete" }] } },
      want: 'an element of spec.containers has no "name", by which they are told apart',
    },
    { patch: { spec: { containers: ["web"] } }, want: "spec.containers is a list of objects, but one is a string" },
    {
      patch: { metadata: { finalizers: [{}] } },
      want: "metadata.finalizers is a list of plain values, but one is an object",
    },
    {
      patch: { metadata: { finalizers: [null] } },
      want: "metadata.finalizers is a list of plain values, but one is null",
    },
    {
      patch: { spec: { "$deleteFromPrimitiveList/containers": ["web"] } },
      want: "spec.containers is a list of plain values, but one is an object",
    },
    {
      patch: { metadata: { $deleteFromPrimitiveList: [] } },
      want: "metadata.$deleteFromPrimitiveList must be written $deleteFromPrimitiveList/<field>",
    },
    {
      patch: { metadata: { "$setElementOrder/finalizers": "a" } },
      want: "metadata.$setElementOrder/finalizers is a list, not a string",
    },
    {
      patch: { spec: { containers: null, "$setElementOrder/containers": [] } },
      want: "spec.containers is a list, not null",
    },
    {
      patch: { spec: { tolerations: [], "$setElementOrder/tolerations": [] } },
      want: "spec.tolerations takes no order: its elements are replaced, not merged",
    },
    {
      patch: { metadata: { finalizers: ["b", "a"], "$setElementOrder/finalizers": ["a", "b"] } },
      want: "the elements of metadata.finalizers do not stand in the order that its $setElementOrder gives",
    },
    { patch: { metadata: { $retainKeys: "name" } }, want: "metadata.$retainKeys is a list, not a string" },
    {
      patch: { metadata: { $retainKeys: ["name"], labels: {} } },
      want: 'metadata.$retainKeys must name "labels", which the patch sets',
    },
  ])("says what is wrong: $want", ({ patch, want }) => {
    const error = thrownBy(() => applyStrategicPatch(pod, patch, schema));
    expect(error).toBeInstanceOf(PatchError);
    expect((error as PatchError).message).toBe(want);
  });

  test("shares what it does not change, and is the original itself where nothing changes", () => {
    const got = applyStrategicPatch(pod, { spec: { containers: [{ name: "web", tty: true }] } }, schema) as typeof pod;
    expect(got.metadata).toBe(pod.metadata);
    expect(got.spec.containers[1]).toBe(pod.spec.containers[1]);
    expect(got.spec.containers[0]?.args).toBe(pod.spec.containers[0]?.args);
    const nothing = {
      metadata: { labels: null, "$deleteFromPrimitiveList/finalizers": ["b"] },
      spec: { containers: [{ name: "proxy" }], "$setElementOrder/containers": [{ name: "web" }, { name: "proxy" }] },
    };
    expect(applyStrategicPatch(pod, nothing, schema)).toBe(pod);
  });

  test("treats names that objects inherit as plain data", () => {
    const patch = JSON.parse(
      '{"__proto__":{"polluted":true},"metadata":{"constructor":{"prototype":{"polluted":true}}}}',
    );
    const got = applyStrategicPatch({}, patch, schema);
    expect(JSON.stringify(got)).toBe(JSON.stringify(patch));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("refuses what is nested too deeply", () => {
    expect(() => applyStrategicPatch({}, { spec: { x: bottomless() } }, schema)).toThrow("nested too deeply");
  });
});

test("nulls in what is new are kept for whoever reads them", () => {
  const original = { containers: [{ name: "web" }], list: [1] };
  const rules = { containers: { mergeKey: "name" } };
  const patch = {
    containers: [{ name: "new", limits: { cpu: null } }],
    list: [{ a: null }],
    added: { a: null, b: [{ c: null }] },
    map: { $patch: "replace", a: null },
  };
  const merged = (nulls?: "keep") => applyStrategicPatch(original, patch, rules, nulls);
  expect(merged("keep")).toEqual({
    containers: [{ name: "new", limits: { cpu: null } }, { name: "web" }],
    list: [{ a: null }],
    added: { b: [{}] },
  });
  expect(merged()).toEqual({
    containers: [{ name: "new", limits: {} }, { name: "web" }],
    list: [{}],
    added: { b: [{}] },
  });
});
