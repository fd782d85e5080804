import { describe, expect, test } from "vitest";
import { clusterResourceDefinitions, customResourceDefinitions } from "./crd.ts";
import type { StructuralSchema } from "./structural.ts";

interface Place {
  path: string;
  schema: StructuralSchema;
}

function everyNode(schema: StructuralSchema, path: string): Place[] {
  return [
    { path, schema },
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => everyNode(field, `${path}.${name}`)),
    ...(schema.items ? everyNode(schema.items, `${path}[]`) : []),
    ...(schema.additionalProperties ? everyNode(schema.additionalProperties, `${path}.*`) : []),
  ];
}

const all = [...customResourceDefinitions(), ...clusterResourceDefinitions()];

describe.each(all)("$metadata.name", ({ spec, metadata }) => {
  const [version] = spec.versions;
  const nodes = everyNode(version?.schema.openAPIV3Schema ?? {}, spec.names.kind);

  test("is named after its plural and group", () => {
    expect(metadata.name).toBe(`${spec.names.plural}.${spec.group}`);
  });

  test("describes every field", () => {
    expect(nodes.filter(({ schema }) => !schema.description).map(({ path }) => path)).toEqual([]);
  });

  test("bounds every text, list and map, so that an object fits into etcd and a rule has a price", () => {
    const boundless = nodes.filter(
      ({ schema: { type, enum: values, maxLength, maxItems, additionalProperties, maxProperties } }) =>
        (type === "string" && !values && maxLength === undefined) ||
        (type === "array" && maxItems === undefined) ||
        (additionalProperties && maxProperties === undefined),
    );
    expect(boundless.map(({ path }) => path)).toEqual([]);
  });

  test("says of every list who owns its items", () => {
    const unsaid = nodes.filter(({ schema }) => schema.type === "array" && !schema["x-kubernetes-list-type"]);
    expect(unsaid.map(({ path }) => path)).toEqual([]);
  });

  test("shows no time that may be still to come in a column of type date", () => {
    const dates = version?.additionalPrinterColumns.filter(({ type }) => type === "date");
    expect(dates?.map(({ jsonPath }) => jsonPath)).toEqual([".metadata.creationTimestamp"]);
  });

  test("selects only by fields that it has", () => {
    const paths = nodes.map(({ path }) => path.replace(spec.names.kind, ""));
    expect(paths).toEqual(expect.arrayContaining(version?.selectableFields?.map(({ jsonPath }) => jsonPath) ?? []));
  });
});

// The server's message would quote the value that does not match.
test("no flag and no kubeconfig has a pattern", () => {
  const secrets = all
    .flatMap(({ spec }) => everyNode(spec.versions[0]?.schema.openAPIV3Schema ?? {}, spec.names.kind))
    .filter(({ path }) => path.match(/\.(flag|kubeconfig)$/));
  expect(secrets.map(({ path }) => path)).toEqual([
    "Challenge.spec.flag",
    "ChallengeInstance.spec.flag",
    "KubeconfigRequest.status.kubeconfig",
  ]);
  expect(secrets.filter(({ schema }) => schema.pattern)).toEqual([]);
});
