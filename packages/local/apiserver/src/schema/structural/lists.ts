/** Lists that are sets or maps: their items must be comparable, and their keys always be there. */
import { type FieldError, forbidden, invalid, notSupported, required } from "../../errors/field-error.ts";
import { own } from "../json.ts";
import type { Schema } from "../schema.ts";

export function listErrors(schema: Schema, path: string): FieldError[] {
  const listType: string | undefined = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const errors: FieldError[] = [];
  const { items } = schema;
  if (listType !== undefined) {
    const rule = "must be array if x-kubernetes-list-type is specified";
    if (!schema.type) errors.push(required(`${path}.type`, rule));
    else if (schema.type !== "array") errors.push(invalid(`${path}.type`, schema.type, rule));
    else if (listType === "set" && items) errors.push(...setErrors(items, `${path}.items`));
    if (!["atomic", "set", "map"].includes(listType))
      errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
  }
  if (keys.length > 0 && listType !== "map") {
    const rule = "must be map if x-kubernetes-list-map-keys is non-empty";
    const place = `${path}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? required(place, rule) : invalid(place, listType, rule));
  }
  if (listType === "map") errors.push(...mapErrors(schema, keys, path));
  if (items && !Array.isArray(items) && (listType === "set" || listType === "map"))
    errors.push(...keyErrors(items, listType, keys, `${path}.items`));
  return errors;
}

function setErrors(items: Schema, path: string): FieldError[] {
  const rule = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items["x-kubernetes-list-type"];
  if (items.type === "array" && listType !== undefined && listType !== "atomic")
    return [invalid(`${path}.x-kubernetes-list-type`, listType, rule)];
  // The value that is shown is that of the list type, as there.
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic")
    return [invalid(`${path}.x-kubernetes-map-type`, listType, rule)];
  return [];
}

function mapErrors({ items }: Schema, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const place = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(required(place, "must not be empty if x-kubernetes-list-type is map"));
  if (!items) return [...errors, required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map")];
  if (items.type !== "object") {
    const rule = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalid(`${path}.items.type`, items.type ?? "", rule)];
  }
  for (const [index, key] of keys.entries()) {
    const inner = own(items.properties, key);
    if (inner?.type === "array" || inner?.type === "object") {
      const rule = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(`${path}.items.properties[${key}].type`, items.type, rule));
    }
    if (inner === undefined) errors.push(invalid(place, keys, "entries must all be names of item properties"));
    if (keys.indexOf(key) !== index) errors.push(invalid(place, keys, "must not contain duplicate entries"));
  }
  return errors;
}

function keyErrors(items: Schema, listType: string, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (items.nullable)
    errors.push(forbidden(`${path}.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  if (listType === "set") return errors;
  for (const key of keys) {
    const inner = own(items.properties, key);
    if (inner === undefined) continue;
    const place = `${path}.properties[${key}]`;
    const why = "this property is in x-kubernetes-list-map-keys, so it";
    if (!items.required?.includes(key) && inner.default === undefined)
      errors.push(required(`${place}.default`, `${why} must have a default or be a required property`));
    if (inner.nullable) errors.push(forbidden(`${place}.nullable`, `${why} cannot be nullable`));
  }
  return errors;
}
