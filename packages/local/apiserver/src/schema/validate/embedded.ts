/** Whole objects inside of an object: they must say what they are, and have metadata as any other. */
import type { ObjectMeta } from "@berg/apimachinery";
import { type FieldError, invalid, required } from "../../errors/field-error.ts";
import { additional, child, isRecord, type Json, own } from "../json.ts";
import { label1035Problems, pathSegmentProblems } from "../metadata/names.ts";
import { validateObjectMeta } from "../metadata/validate-object-meta.ts";
import type { Schema } from "../schema.ts";

export function checkEmbedded(value: unknown, schema: Schema | undefined, path = ""): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => checkEmbedded(item, schema.items, `${path}[${index}]`));
  if (!isRecord(value)) return [];
  const errors = schema["x-kubernetes-embedded-resource"] ? objectErrors(value, path) : [];
  for (const key of Object.keys(value)) {
    const known = own(schema.properties, key);
    const place = known === undefined ? `${path}[${key}]` : child(path, key);
    errors.push(...checkEmbedded(value[key], known ?? additional(schema), place));
  }
  return errors;
}

function objectErrors(object: Json, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { apiVersion, kind, metadata } = object;
  if (apiVersion === undefined) errors.push(required(child(path, "apiVersion")));
  if (kind === undefined) errors.push(required(child(path, "kind")));
  const versionProblem = apiVersion === undefined ? undefined : apiVersionProblem(apiVersion);
  if (versionProblem) errors.push(invalid(child(path, "apiVersion"), apiVersion, versionProblem));
  const problem = kind === undefined ? undefined : kindProblem(kind);
  if (problem) errors.push(invalid(child(path, "kind"), kind, problem));
  // Metadata of another shape was refused when it was read.
  if (isRecord(metadata)) errors.push(...metadataErrors(metadata as unknown as ObjectMeta, child(path, "metadata")));
  return errors;
}

function apiVersionProblem(apiVersion: unknown): string | undefined {
  if (typeof apiVersion !== "string") return "must be a string";
  if (apiVersion === "") return "must not be empty";
  return apiVersion.split("/").length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}

function kindProblem(kind: unknown): string | undefined {
  if (typeof kind !== "string") return "must be a string";
  if (kind === "") return "must not be empty";
  const problems = label1035Problems(kind.toLowerCase());
  return problems.length > 0 ? `may have mixed case, but should otherwise match: ${problems.join(",")}` : undefined;
}

function metadataErrors(metadata: ObjectMeta, path: string): FieldError[] {
  const named = { ...metadata, name: metadata.name || "fakename" };
  return validateObjectMeta(named, {
    namespaced: Boolean(metadata.namespace),
    nameProblems: pathSegmentProblems,
    path,
  });
}
