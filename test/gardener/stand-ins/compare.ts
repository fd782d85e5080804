/**
 * Compares a stand-in with what Gardener publishes of itself, field by field. Pure.
 *
 * A blob of ours stands for whatever Gardener has there. Fields that Gardener has and we lack are told by their names:
 * what is sent in them is dropped by the stand-in.
 */
import type { Schema } from "./schema.ts";

/** The schemas of one group's OpenAPI document, by name. */
export type Published = Record<string, Schema>;

export interface Differences {
  /** Ours, and not Gardener's: a mistake. */
  wrong: string[];
  /** Gardener's, and not ours. */
  lacking: string[];
}

export function compareSchemas(ours: Schema, theirs: Schema, published: Published): Differences {
  const found: Differences = { wrong: [], lacking: [] };
  compare("", ours, theirs, published, found);
  return found;
}

const ofEveryObject = new Set(["apiVersion", "kind", "metadata"]);

function compare(path: string, ours: Schema, unresolved: Schema, published: Published, found: Differences): void {
  const theirs = resolve(unresolved, published);
  const [mine, other] = [kindOf(ours), kindOf(theirs)];
  if (mine === "blob" && other === "object") return;
  if (mine !== other) return void found.wrong.push(`${path} is ${mine}, Gardener's is ${other}`);
  if (mine === "array") compare(`${path}[]`, ours.items as Schema, theirs.items as Schema, published, found);
  else if (ours.additionalProperties)
    compare(`${path}{}`, ours.additionalProperties as Schema, theirs.additionalProperties as Schema, published, found);
  else if (mine === "object") compareFields(path, ours, theirs, published, found);
}

function compareFields(path: string, ours: Schema, theirs: Schema, published: Published, found: Differences): void {
  const [mine, others] = [fieldsOf(ours), fieldsOf(theirs)];
  const required = { mine: new Set(ours.required as string[]), others: new Set(theirs.required as string[]) };
  for (const [name, schema] of Object.entries(mine)) {
    const at = path === "" ? name : `${path}.${name}`;
    const other = others[name];
    if (!other) {
      found.wrong.push(`${at} is not Gardener's`);
      continue;
    }
    // The other way round is no mistake: what its schema leaves open, Gardener's code asks for.
    const isMissed = required.others.has(name) && !required.mine.has(name) && at !== "status";
    if (isMissed) found.wrong.push(`${at} may lack, Gardener's may not`);
    compare(at, schema, other, published, found);
  }
  for (const name of Object.keys(others)) {
    if (!(name in mine) && !(path === "" && ofEveryObject.has(name)))
      found.lacking.push(path === "" ? name : `${path}.${name}`);
  }
}

function fieldsOf(schema: Schema): Record<string, Schema> {
  return (schema.properties ?? {}) as Record<string, Schema>;
}

function resolve(schema: Schema, published: Published): Schema {
  const [only] = (schema.allOf as Schema[] | undefined) ?? [];
  const reference = (only?.$ref ?? schema.$ref) as string | undefined;
  if (reference === undefined) return schema;
  const name = reference.replace("#/components/schemas/", "");
  return resolve(published[name] as Schema, published);
}

/** A word for what kind of value it takes. */
function kindOf(schema: Schema): string {
  if (schema["x-kubernetes-preserve-unknown-fields"]) return "blob";
  if (schema["x-kubernetes-int-or-string"] || schema.format === "int-or-string" || schema.oneOf)
    return "number or text";
  if (schema.format === "date-time") return "time";
  return String(schema.type ?? "object");
}
