/** Objects of a kind with anything in them that its shape allows: most make no sense, and none may bring the server down. */
import fc from "fast-check";
import type { ServedResource } from "../../../registry/resource.ts";
import type { Schema } from "../../../schema/schema.ts";

const texts = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "A b",
    "..",
    "/x",
    "-1",
    "Always",
    "Localhost",
    "Exists",
    "In",
    "metadata.labels['x']",
    "10.0.0.1",
  ),
  // Go escapes three characters where it shows them, and JavaScript puts keys that are numbers first.
  fc.string({ maxLength: 8 }).map((text) => text.replaceAll(/[<>&]|^\d+$/g, "x")),
  fc.constantFrom("toString", "__proto__", "constructor"),
);
const numbers = fc.constantFrom(0, 1, -1, 80, 65536, 2 ** 31 - 1, -(2 ** 31));
const quantities = fc.constantFrom<string | number>("0", "1", "-1", "500m", "1Gi", "1.0001", "1e3", 2, 0.5);

export function randomObject({ kind, group, version, schema }: ServedResource): fc.Arbitrary<Record<string, unknown>> {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const metadata = { name: "x", namespace: "default", labels: { a: "b" } };
  // As a request brings it: without what is undefined.
  return anyValue(schema, 0).map((body) =>
    JSON.parse(JSON.stringify({ apiVersion, kind, metadata, ...(body as object) })),
  );
}

function anyValue(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (schema.format === "quantity") return quantities;
  if (schema["x-kubernetes-int-or-string"]) return fc.oneof(numbers, texts);
  if (schema["x-kubernetes-preserve-unknown-fields"]) return fc.dictionary(texts, fc.jsonValue(), { maxKeys: 2 });
  if (schema.enum) return fc.oneof(fc.constantFrom(...schema.enum), texts);
  if (schema.format === "date-time") return fc.constantFrom("2026-01-01T00:00:00Z", null);
  switch (schema.type) {
    case "array":
      return fc.array(anyValue(schema.items ?? {}, depth + 1), { maxLength: 2 });
    case "boolean":
      return fc.boolean();
    case "integer":
      return numbers;
    case "object":
      return objectOf(schema, depth);
    default:
      return texts;
  }
}

/** What is needed is mostly there; of the rest a little, the less the deeper, so that objects stay small. */
function objectOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (typeof schema.additionalProperties === "object")
    return fc.dictionary(texts, anyValue(schema.additionalProperties, depth + 1), { maxKeys: 2 });
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, property]): [string, fc.Arbitrary<unknown>] => {
      const isLikely = depth < 2 || schema.required?.includes(name);
      const value = fc.constant(null).chain(() => anyValue(property, depth + 1));
      const absent = { arbitrary: fc.constant(undefined), weight: isLikely ? 1 : 8 };
      return [name, fc.oneof(absent, { arbitrary: value, weight: 2 })];
    },
  );
  return fc.record(Object.fromEntries(properties));
}
