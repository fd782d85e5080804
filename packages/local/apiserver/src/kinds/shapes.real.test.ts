import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Schema } from "../schema/schema.ts";
import { builtInKinds } from "./index.ts";
import * as authentication from "./reviews/authentication.ts";
import * as authorization from "./reviews/authorization.ts";
import * as subresources from "./reviews/subresources.ts";
import { presenceOf } from "./shapes.ts";
import { workloadKinds } from "./workloads/index.ts";
import { RealServer } from "./workloads/testing/real-server.ts";

/** What we say otherwise, and why. */
const knownDifferences = [
  // No list type means the same as "atomic".
  /extra\{\} x-kubernetes-list-type$/,
  // Shapes that workloads share: there is no selector, condition or reference without these.
  /(podSelector|namespaceSelector|nodeTopology|clusterRoleSelectors\[\])\.matchExpressions\[\]\.(key|operator) presence$/,
  /Service\.status\.conditions\[\]\.(type|status|reason|message|lastTransitionTime) presence$/,
  /imagePullSecrets\[\]\.name presence$/,
];

type Shape = Record<string, unknown>;

const bodies: [document: string, kind: string, schema: Schema][] = [
  ["apis/authentication.k8s.io/v1", "TokenReview", authentication.tokenReviewShape],
  ["apis/authentication.k8s.io/v1", "SelfSubjectReview", authentication.selfSubjectReviewShape],
  ["api/v1", "TokenRequest", authentication.tokenRequestShape],
  ["apis/authorization.k8s.io/v1", "SubjectAccessReview", authorization.subjectAccessReviewShape],
  ["apis/authorization.k8s.io/v1", "LocalSubjectAccessReview", authorization.subjectAccessReviewShape],
  ["apis/authorization.k8s.io/v1", "SelfSubjectAccessReview", authorization.selfSubjectAccessReviewShape],
  ["apis/authorization.k8s.io/v1", "SelfSubjectRulesReview", authorization.selfSubjectRulesReviewShape],
  ["api/v1", "Eviction", subresources.evictionShape],
  ["api/v1", "Binding", subresources.bindingShape],
  ["api/v1", "Scale", subresources.scaleShape],
  ["api/v1", "DeleteOptions", subresources.deleteOptionsShape],
];
const kinds = builtInKinds
  .filter((kind) => !workloadKinds.includes(kind))
  .map(({ group, version, kind, schema }): [string, string, Schema] => [
    group === "" ? `api/${version}` : `apis/${group}/${version}`,
    kind,
    schema,
  ]);

describe.skipIf(await missingControlPlane())("shapes, beside those of a real API server", () => {
  let server: RealServer;
  const documents = new Map<string, Record<string, Shape>>();

  beforeAll(async () => {
    server = await RealServer.start();
    for (const [path] of [...kinds, ...bodies]) {
      if (documents.has(path)) continue;
      const { body } = await server.ask("GET", `/openapi/v3/${path}`);
      documents.set(path, (body as { components: { schemas: Record<string, Shape> } }).components.schemas);
    }
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test.each([...kinds, ...bodies])("%s %s has the same fields, types, keys and strategies", (path, kind, schema) => {
    const schemas = documents.get(path) ?? {};
    const name = Object.keys(schemas).find((key) => key.endsWith(`.v1.${kind}`)) ?? "";
    const { apiVersion, kind: _, metadata, ...properties } = (schemas[name]?.properties ?? {}) as Record<string, Shape>;
    const theirs = new Map<string, string>();
    const ours = new Map<string, string>();
    tell({ ...schemas[name], properties }, kind, schemas, theirs);
    tell(schema as Shape, kind, {}, ours);
    const differences = [...new Set([...theirs.keys(), ...ours.keys()])]
      .filter((line) => theirs.get(line) !== ours.get(line))
      .filter((line) => !knownDifferences.some((known) => known.test(line)))
      .map((line) => `${line}: theirs ${theirs.get(line)}, ours ${ours.get(line)}`);
    expect(theirs.size).toBeGreaterThan(2);
    expect(differences).toEqual([]);
  });
});

const words = [
  "format",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-patch-strategy",
  "x-kubernetes-patch-merge-key",
];

/** One line for each thing that is said of each field. */
function tell(shape: Shape, path: string, schemas: Record<string, Shape>, lines: Map<string, string>): void {
  const schema = resolved(shape, schemas);
  lines.set(path, String(schema.type ?? "anything"));
  for (const word of words) if (schema[word] !== undefined) lines.set(`${path} ${word}`, JSON.stringify(schema[word]));
  const { required, enum: choices, default: usual, properties = {}, items, additionalProperties } = schema as Schema;
  if (required) lines.set(`${path} required`, required.toSorted().join());
  if (choices) lines.set(`${path} enum`, choices.toSorted().join());
  // A default that says nothing is how OpenAPI tells of what Go always writes. It does not of lists and times.
  const isZero = usual === 0 || usual === false || usual === "" || typeof usual === "object";
  if (usual !== undefined && !isZero) lines.set(`${path} default`, JSON.stringify(usual));
  const isTold = schema.type !== "array" && schema.format !== "date-time" && schema.format !== "int-or-string";
  if (isTold && (isZero || presenceOf(schema as Schema) === "always")) lines.set(`${path} presence`, "always");
  for (const [name, property] of Object.entries(properties)) tell(property as Shape, `${path}.${name}`, schemas, lines);
  if (items) tell({ ...items, default: undefined }, `${path}[]`, schemas, lines);
  if (typeof additionalProperties === "object")
    tell({ ...additionalProperties, default: undefined }, `${path}{}`, schemas, lines);
}

function resolved(shape: Shape, schemas: Record<string, Shape>): Shape {
  const [first] = (shape.allOf as Shape[] | undefined) ?? [];
  const ref = String(shape.$ref ?? first?.$ref ?? "").replace("#/components/schemas/", "");
  if (ref.endsWith(".resource.Quantity")) return { format: "quantity" };
  if (ref.endsWith(".intstr.IntOrString")) return { format: "int-or-string" };
  // A schema holds schemas, without end; ours takes anything there, and `crds/` knows what may stand in it.
  if (ref.endsWith(".JSONSchemaProps")) return {};
  if (ref === "") return shape;
  const { $ref, allOf, ...more } = shape;
  const said = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
  return { ...schemas[ref], ...said };
}
