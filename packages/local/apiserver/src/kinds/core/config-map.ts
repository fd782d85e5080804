/** ConfigMaps: named texts and bytes. */
import { jsonEqual } from "@berg/apimachinery";
import { type FieldError, forbidden, invalid, tooLong } from "../../errors/field-error.ts";
import type { AnyObject } from "../../registry/resource.ts";
import { builtIn } from "../built-in.ts";
import { configKeyProblems } from "../checks/names.ts";
import { ageColumn, column, nameColumn } from "../columns.ts";
import { bool, bytes, kept, mapOf, object, text } from "../shapes.ts";

interface ConfigMap {
  data?: Record<string, string>;
  /** Base64. */
  binaryData?: Record<string, string>;
  immutable?: boolean;
}

/** Of all values together; the same holds for Secrets. */
export const mostBytes = 1024 * 1024;

export const configMaps = builtIn({
  resource: "configmaps",
  kind: "ConfigMap",
  shortNames: ["cm"],
  schema: object({ immutable: kept(bool()), data: mapOf(text()), binaryData: mapOf(bytes()) }),
  columns: [
    nameColumn,
    column("Data", "How many values there are.", (object) => {
      const { data = {}, binaryData = {} } = object as ConfigMap;
      return Object.keys(data).length + Object.keys(binaryData).length;
    }),
    ageColumn,
  ],
  strategy: {
    validate: (object, old) => [...frozenErrors(object, old, ["data", "binaryData"]), ...errorsIn(object as ConfigMap)],
  },
});

function errorsIn({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    errors.push(...keyErrors("data", key));
    if (Object.hasOwn(binaryData, key))
      errors.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    size += Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    errors.push(...keyErrors("binaryData", key));
    size += Buffer.byteLength(value, "base64");
  }
  if (size > mostBytes) errors.push(tooLong("[]", mostBytes));
  return errors;
}

export function keyErrors(field: string, key: string): FieldError[] {
  return configKeyProblems(key).map((problem) => invalid(`${field}[${key}]`, key, problem));
}

/** What was made immutable stays so, and so do `fields`. */
export function frozenErrors(object: AnyObject, old: AnyObject | undefined, fields: readonly string[]): FieldError[] {
  if (old?.immutable !== true) return [];
  const changed = fields.filter((field) => !jsonEqual(object[field] ?? null, old[field] ?? null));
  const broken = object.immutable === true ? changed : ["immutable", ...changed];
  return broken.map((field) => forbidden(field, "field is immutable when `immutable` is set"));
}
