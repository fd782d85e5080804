/**
 * The way from `kubectl apply` to `kubectl apply --server-side`. What the annotation of the former says is kubectl's own,
 * though another manager's name stands on it; and where the annotation is there it is kept up to date.
 */

import { typeProblems } from "./check-types.ts";
import { compare } from "./compare.ts";
import { FieldSet } from "./field-set.ts";
import type { FieldType } from "./field-type.ts";
import { fieldsOf } from "./fields-of.ts";
import {
  compareText,
  fromEntries,
  getPath,
  isList,
  isObject,
  type JsonObject,
  withField,
  withoutField,
} from "./values.ts";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";
const mostAnnotationBytes = 256 * 1024;

/** What the annotation says and the object still has. */
export function lastAppliedFields(type: FieldType, live: JsonObject, apiVersion: string): FieldSet {
  const lastApplied = readLastApplied(live);
  const isUsable =
    isObject(lastApplied) &&
    typeof lastApplied.kind === "string" &&
    lastApplied.apiVersion === apiVersion &&
    typeProblems(type, live) === undefined &&
    typeProblems(type, lastApplied) === undefined;
  if (!isUsable) return new FieldSet();
  const { removed, modified, added } = compare(type, lastApplied, live);
  return fieldsOf(type, lastApplied).difference(modified).difference(added).difference(removed);
}

function readLastApplied(live: JsonObject): unknown {
  const text = getPath(live, "metadata", "annotations", annotation);
  if (typeof text !== "string" || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object with the annotation brought up to date, where it has one. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || !isObject(metadata.annotations)) return object;
  if (!getPath(metadata.annotations, annotation)) return object;
  const updated = withField(metadata.annotations, annotation, spell(withoutAnnotation(applied)));
  const annotations = sizeOf(updated) > mostAnnotationBytes ? withoutField(updated, annotation) : updated;
  return { ...object, metadata: { ...metadata, annotations } };
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const { metadata } = applied;
  if (!isObject(metadata) || !isObject(metadata.annotations)) return applied;
  return { ...applied, metadata: { ...metadata, annotations: withoutField(metadata.annotations, annotation) } };
}

function sizeOf(annotations: JsonObject): number {
  let size = 0;
  for (const [key, value] of Object.entries(annotations))
    size += Buffer.byteLength(key) + Buffer.byteLength(String(value));
  return size;
}

/** As kubectl writes it: keys sorted, one line. */
function spell(value: unknown): string {
  const text = JSON.stringify(sorted(value));
  return `${text.replace(/[<>&\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}

function sorted(value: unknown): unknown {
  if (isList(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => compareText(a, b));
  return fromEntries(entries.map(([key, field]) => [key, sorted(field)] as const));
}
