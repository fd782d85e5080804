/**
 * Challenges as they may really come: made from the CRD's own schema, with values that are admitted and still make no
 * sense, and with one field spoilt, so that the schema may refuse it. Whoever takes one must not fall over.
 */
import { parseTime } from "@berg/apimachinery";
import { customResourceDefinitions, type FieldError, validateChallenge } from "@berg/resources";
import fc from "fast-check";
import { nastyByField, nastyEnvironmentNames, nastyNumbers, nastyProbes, nastyTexts, nastyValues } from "./nasty.ts";

type Schema = ReturnType<
  typeof customResourceDefinitions
>[number]["spec"]["versions"][number]["schema"]["openAPIV3Schema"];

export interface WildChallenge {
  /** As somebody would send it to the API server. */
  manifest: { apiVersion: string; kind: string; metadata: { namespace: string; name: string }; spec: unknown };
  /** Why the schema refuses it; empty where it is admitted. */
  refused: FieldError[];
}

export function wildChallengeArbitrary(): fc.Arbitrary<WildChallenge> {
  const spoilt = fc
    .tuple(admittedSpecs, fc.constantFrom(...fieldPaths(schema)), fc.constantFrom(...nastyValues))
    .map(([spec, path, value]) => spoil(spec, path, value));
  return fc.oneof(admittedSpecs, spoilt).map(wildChallenge);
}

/** Only what the CRD's schema admits. */
export function admittedChallengeArbitrary(): fc.Arbitrary<WildChallenge> {
  return admittedSpecs.map(wildChallenge);
}

function wildChallenge(spec: unknown): WildChallenge {
  const metadata = { namespace: "berg", name: "wild" };
  const manifest = { apiVersion: "berg.norelect.ch/v1", kind: "Challenge", metadata, spec };
  return { manifest, refused: validateChallenge(manifest).errors };
}

const schema = challengeSpecSchema();
const admittedSpecs = admitted(schema, "spec");

function challengeSpecSchema(): Schema {
  const definition = customResourceDefinitions().find(({ spec }) => spec.names.kind === "Challenge");
  const spec = definition?.spec.versions[0]?.schema.openAPIV3Schema.properties?.spec;
  if (!spec) throw new Error("there is no schema of a Challenge's spec");
  return spec;
}

function admitted(node: Schema, field: string): fc.Arbitrary<unknown> {
  if (node.enum) return fc.constantFrom(...node.enum);
  if (node.items) return lists(node, node.items, field);
  if (node.additionalProperties) {
    const names = fc.constantFrom(...nastyEnvironmentNames);
    return fc.dictionary(names, admitted(node.additionalProperties, "value"), { maxKeys: 4, noNullPrototype: true });
  }
  if (node.properties) return objects(node, node.properties);
  if (node["x-kubernetes-int-or-string"]) return fc.oneof(texts(node, field), integers(node));
  if (node["x-kubernetes-preserve-unknown-fields"]) {
    return node.maxProperties === 0
      ? fc.oneof(texts(node, field), fc.constantFrom(...nastyNumbers), fc.boolean(), fc.constant(null))
      : fc.constantFrom(...nastyProbes);
  }
  if (node.type === "integer") return integers(node);
  if (node.type === "number") return fc.constantFrom(...nastyNumbers);
  if (node.type === "boolean") return fc.boolean();
  return texts(node, field);
}

function lists(node: Schema, items: Schema, field: string): fc.Arbitrary<unknown[]> {
  const item = admitted(items, field);
  const keys = node["x-kubernetes-list-map-keys"];
  if (!keys) return fc.array(item, { maxLength: 3 });
  // As the server compares them: with defaults filled in, and `tcp` is not `TCP`.
  const identity = (value: unknown) =>
    JSON.stringify(keys.map((key) => (value as Record<string, unknown>)[key] ?? items.properties?.[key]?.default));
  return fc.uniqueArray(item, { maxLength: 3, selector: identity });
}

function objects(node: Schema, properties: Record<string, Schema>): fc.Arbitrary<object> {
  const fields = Object.entries(properties).map(([name, field]) => [name, admitted(field, name)] as const);
  // The one rule between fields that a Challenge has.
  if (node["x-kubernetes-validations"]) return fc.oneof(...fields.map(([name, field]) => fc.record({ [name]: field })));
  const isRequired = new Set(node.required);
  const requiredKeys = fields.map(([name]) => name).filter((name) => isRequired.has(name));
  return fc.record(Object.fromEntries(fields), { requiredKeys, noNullPrototype: true });
}

function integers({ minimum = 0, maximum = 1_000_000 }: Schema): fc.Arbitrary<number> {
  return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }));
}

function texts(node: Schema, field: string): fc.Arbitrary<string> {
  const known = [...(nastyByField[field] ?? []), ...nastyTexts].filter((text) => isAdmitted(text, node));
  if (node.pattern) return fc.constantFrom(...known);
  const free = fc.string({
    unit: "grapheme",
    minLength: node.minLength ?? 0,
    maxLength: Math.min(node.maxLength ?? 40, 40),
  });
  return fc.oneof(
    fc.constantFrom(...known),
    free.filter((text) => isAdmitted(text, node)),
  );
}

function isAdmitted(text: string, { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format }: Schema) {
  const length = [...text].length;
  if (length < minLength || length > maxLength) return false;
  if (pattern !== undefined && !new RegExp(pattern).test(text)) return false;
  return format !== "date-time" || isTime(text);
}

function isTime(text: string): boolean {
  try {
    parseTime(text);
    return true;
  } catch {
    return false;
  }
}

/** Where something can be spoilt: `["containers", 0, "ports", 0, "port"]`, of each list the first and the second item. */
function fieldPaths(node: Schema, path: (string | number)[] = []): (string | number)[][] {
  const deeper = [
    ...Object.entries(node.properties ?? {}).map(([name, field]) => [name, field] as const),
    ...(node.items ? ([0, 1] as const).map((index) => [index, node.items as Schema] as const) : []),
    ...(node.additionalProperties ? [["1A=", node.additionalProperties] as const] : []),
  ];
  return [path, ...deeper.flatMap(([name, field]) => fieldPaths(field, [...path, name]))];
}

/** The same with `value` at `path`; what is missing on the way is put there. */
function spoil(whole: unknown, [name, ...rest]: (string | number)[], value: unknown): unknown {
  if (name === undefined) return value;
  if (typeof name === "number") {
    const list = Array.isArray(whole) ? [...whole] : [];
    const place = Math.min(name, list.length);
    list[place] = spoil(list[place], rest, value);
    return list;
  }
  const object = (typeof whole === "object" && whole !== null ? whole : {}) as Record<string, unknown>;
  return { ...object, [name]: spoil(object[name], rest, value) };
}
