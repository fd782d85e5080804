import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingControlPlane } from "../../../../../../../test/control-plane/binaries.ts";
import type { Schema } from "../../../schema/schema.ts";
import { workloadKinds } from "../index.ts";
import { RealServer } from "../testing/real-server.ts";

type Shape = Record<string, unknown>;

describe.skipIf(await missingControlPlane())("the shapes of workloads, beside those of a real API server", () => {
  let server: RealServer;
  const documents = new Map<string, Record<string, Shape>>();

  beforeAll(async () => {
    server = await RealServer.start();
    for (const path of ["api/v1", "apis/apps/v1", "apis/policy/v1", "apis/discovery.k8s.io/v1"]) {
      const { body } = await server.ask("GET", `/openapi/v3/${path}`);
      documents.set(path, (body as { components: { schemas: Record<string, Shape> } }).components.schemas);
    }
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test.each(workloadKinds)(
    "$kind has the same fields, types, keys and strategies",
    ({ group, version, kind, schema }) => {
      const schemas = documents.get(group === "" ? `api/${version}` : `apis/${group}/${version}`) ?? {};
      const name = Object.keys(schemas).find((key) => key.endsWith(`.${version}.${kind}`)) ?? "";
      const wanted = new Map<string, string>();
      const own = new Map<string, string>();
      const { apiVersion, kind: _, metadata, ...rest } = (schemas[name]?.properties ?? {}) as Record<string, Shape>;
      describeShape({ ...schemas[name], properties: rest }, kind, schemas, wanted);
      describeShape(schema as Shape, kind, {}, own);
      const differences = [...new Set([...wanted.keys(), ...own.keys()])]
        .filter((path) => wanted.get(path) !== own.get(path))
        .map((path) => `${path}: theirs ${wanted.get(path)}, ours ${own.get(path)}`);
      expect(wanted.size).toBeGreaterThan(3);
      expect(differences).toEqual([]);
    },
  );
});

/** One line for each thing that is said of each field, so that a difference can be read. */
function describeShape(shape: Shape, path: string, schemas: Record<string, Shape>, out: Map<string, string>): void {
  const { ref, schema } = resolved(shape, schemas);
  if (special(ref, schema) !== undefined) {
    out.set(path, special(ref, schema) ?? "");
    return;
  }
  out.set(path, `${schema.type} ${schema.format ?? ""}`);
  for (const word of said) if (schema[word] !== undefined) out.set(`${path} ${word}`, JSON.stringify(schema[word]));
  const { required, enum: choices, default: usual, properties, items, additionalProperties } = schema as Schema;
  if (required) out.set(`${path} required`, required.toSorted().join());
  if (choices) out.set(`${path} enum`, choices.toSorted().join());
  // `{}`, 0, false and "" say no more than that Go has such a value where nobody sets one.
  const isZero = usual === 0 || usual === false || usual === "" || typeof usual === "object";
  if (usual !== undefined && !isZero) out.set(`${path} default`, JSON.stringify(usual));
  for (const [name, property] of Object.entries(properties ?? {}))
    describeShape(property as Shape, `${path}.${name}`, schemas, out);
  if (items) describeShape(items as Shape, `${path}[]`, schemas, out);
  if (typeof additionalProperties === "object") describeShape(additionalProperties as Shape, `${path}{}`, schemas, out);
}

const said = [
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
];

function resolved(shape: Shape, schemas: Record<string, Shape>): { ref: string; schema: Shape } {
  const [first] = (shape.allOf as Shape[] | undefined) ?? [];
  const ref = String(shape.$ref ?? first?.$ref ?? "").replace("#/components/schemas/", "");
  if (ref === "") return { ref, schema: shape };
  const { $ref, allOf, ...more } = shape;
  return { ref, schema: { ...schemas[ref], ...more } };
}

/** Types that are no structs, or that mean the same to both in other words. */
function special(ref: string, schema: Shape): string | undefined {
  if (ref.endsWith(".resource.Quantity") || schema.format === "quantity") return "quantity";
  if (ref.endsWith(".intstr.IntOrString") || schema.format === "int-or-string") return "int or string";
  if (ref.endsWith(".runtime.RawExtension") || ref.endsWith(".FieldsV1")) return "anything";
  if (schema["x-kubernetes-preserve-unknown-fields"]) return "anything";
  return undefined;
}
