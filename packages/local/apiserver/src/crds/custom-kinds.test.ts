import { beforeEach, describe, expect, test } from "vitest";
import { ServedResources } from "../registry/served-resources.ts";
import type { Schema } from "../schema/schema.ts";
import { CustomKinds } from "./custom-kinds.ts";
import type { DefinitionDraft, StoredDefinition } from "./definition.ts";
import { definitionStrategy } from "./definition-strategy.ts";
import { nextStep } from "./lifecycle.ts";
import { definition, group, schema, version } from "./testing/definitions.ts";

function established(crd: DefinitionDraft): StoredDefinition {
  definitionStrategy.fillIn?.(crd);
  definitionStrategy.prepare?.(crd, undefined, { now: 0, random: () => 0, newestAll: () => [] });
  const step = nextStep(crd as StoredDefinition, { all: [], hasObjects: false, now: 0 });
  return { ...crd, status: (step as { status: object }).status } as StoredDefinition;
}

let served: ServedResources;
let kinds: CustomKinds;
const paths = () => served.all().map(({ group, version, resource }) => `${group}/${version}/${resource}`);

beforeEach(() => {
  served = new ServedResources();
  kinds = new CustomKinds(served);
});

describe("what is served", () => {
  const two = () => definition("apples", { versions: [version("v1"), version("v2", { storage: false })] });

  test("every version that says so, stored in one", () => {
    kinds.set(established(two()));
    expect(paths()).toEqual([`${group}/v1/apples`, `${group}/v2/apples`]);
    expect(served.find(group, "v2", "apples")).toMatchObject({
      kind: "Apple",
      singular: "apple",
      namespaced: true,
      storedAs: `apples.${group}`,
      storedVersion: `${group}/v1`,
      strategy: { hasStatus: false, hasGeneration: true },
    });
  });

  test("nothing before it is established", () => {
    kinds.set(definition("apples") as StoredDefinition);
    expect(paths()).toEqual([]);
  });

  test("a version goes when it is no longer served, all go with the definition", () => {
    const crd = established(two());
    kinds.set(crd);
    const versions = [version("v1"), version("v2", { storage: false, served: false })];
    const changed = { ...crd, spec: { ...crd.spec, versions } };
    kinds.set(changed);
    expect(paths()).toEqual([`${group}/v1/apples`]);
    kinds.delete(changed);
    expect(paths()).toEqual([]);
  });

  test("what did not change is not made again", () => {
    const crd = established(two());
    kinds.set(crd);
    const before = served.generation;
    kinds.set({ ...crd, metadata: { ...crd.metadata, resourceVersion: "9" } });
    expect(served.generation).toBe(before);
  });

  test("a version that is deprecated says so, and what to use", () => {
    const versions = ["v1beta1", "v1", "v2", "v3alpha1"].map((name) => ({
      ...two().spec.versions?.[0],
      name,
      served: true,
    }));
    const deprecated = (name: string, more: object = {}) => ({
      ...established(two()),
      spec: {
        ...two().spec,
        versions: versions.map((one) => (one.name === name ? { ...one, deprecated: true, ...more } : one)),
      },
    });
    const told = (name: string, more?: object) => {
      kinds.set(deprecated(name, more) as StoredDefinition);
      return served.find(group, name, "apples")?.deprecation;
    };
    const { kind } = two().spec.names;
    expect(told("v1beta1")).toBe(`${group}/v1beta1 ${kind} is deprecated; use ${group}/v2 ${kind}`);
    const others = versions.map((one) => ({ ...one, deprecated: one.name !== "v1" }));
    kinds.set({ ...deprecated(""), spec: { ...two().spec, versions: others } } as StoredDefinition);
    expect(served.find(group, "v1beta1", "apples")?.deprecation).toContain(`; use ${group}/v1 ${kind}`);
    expect(told("v2")).toBe(`${group}/v2 ${kind} is deprecated`);
    expect(told("v1", { deprecationWarning: "it is over" })).toBe("it is over");
    expect(served.find(group, "v2", "apples")?.deprecation).toBeUndefined();
  });

  test("what is going takes nothing new", () => {
    const crd = established(two());
    const conditions = [...(crd.status?.conditions ?? []), { type: "Terminating", status: "True" }];
    kinds.set({ ...crd, status: { ...crd.status, conditions } } as StoredDefinition);
    expect(served.find(group, "v1", "apples")).toMatchObject({
      verbs: expect.arrayContaining(["create", "patch"]),
      shownVerbs: ["delete", "deletecollection", "get", "list", "watch"],
      takesNothingNew: "create not allowed while custom resource definition is terminating",
    });
  });
});

describe("an object of a custom kind", () => {
  const spec: Schema = {
    type: "object",
    required: ["size"],
    properties: { size: { type: "integer" }, max: { type: "integer" } },
    "x-kubernetes-validations": [{ rule: "!has(self.max) || self.size <= self.max", message: "too big" }],
  };
  const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };
  const crd = () =>
    definition("apples", {
      versions: [
        version("v1", {
          schema: { openAPIV3Schema: { ...schema, properties: { ...schema.properties, spec } } },
          subresources: { status: {}, scale },
          selectableFields: [{ jsonPath: ".spec.size" }],
        }),
      ],
    });
  const made = () => {
    kinds.set(established(crd()));
    const resource = served.find(group, "v1", "apples");
    if (!resource) throw new Error("not served");
    return resource;
  };
  const object = (spec: unknown) => ({ apiVersion: `${group}/v1`, kind: "Apple", metadata: { name: "a" }, spec });
  const check = (spec: unknown) =>
    made()
      .strategy.validate?.(object(spec), undefined, "")
      .map(({ field, message }) => `${field}: ${message}`);

  test("must be as the schema and the rules say", () => {
    expect(check({ size: 1, max: 2 })).toEqual([]);
    expect(check({ size: 3, max: 2 })).toEqual(["spec: Invalid value: too big"]);
  });

  test("is not asked for the rules where the schema already refuses it", () => {
    expect(check({ max: 2 })).toEqual([
      "spec.size: Required value",
      "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
    ]);
  });

  test("has a scale that is a number", () => {
    expect(check({ size: -1 })).toEqual([".spec.size: Invalid value: -1: should be a non-negative integer"]);
    expect(check({ size: 2 ** 31 })).toEqual([
      ".spec.size: Invalid value: 2147483648: should be less than or equal to 2147483647",
    ]);
    expect(made().subresources.scale?.paths).toEqual(scale);
  });

  test("can be selected and shown", () => {
    const { selectableFields, columns } = made();
    expect(selectableFields["spec.size"]?.(object({ size: 3 }))).toBe("3");
    expect(selectableFields["spec.size"]?.(object({}))).toBe("");
    expect(columns.map(({ name }) => name)).toEqual(["Name", "Age"]);
  });

  test("is warned about finalizers that others may use too", () => {
    const finalizers = ["orphan", "mine", "berg.test", "berg.test/mine"];
    const draft = { ...object({ size: 1 }), metadata: { name: "a", finalizers } };
    expect(made().strategy.warnings?.(draft, undefined)).toEqual([
      'metadata.finalizers: "berg.test": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
      'metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ]);
  });
});
