/**
 * What a schema says of ownership: which values are owned as one, and how the items of a list are told apart. One value
 * may be of several sorts, where the schema leaves that open; which one it is, the value then says.
 *
 * Parts without a schema are deduced: objects by their keys, lists as one. The rules are Kubernetes' own, also where
 * they are odd: below `x-kubernetes-preserve-unknown-fields` every object takes unknown fields.
 */
import { presenceOf } from "../schema/presence.ts";
import type { Schema } from "../schema/schema.ts";
import { metadataSchema, objectProperties } from "./metadata-schema.ts";

export interface FieldType {
  readonly scalar?: ScalarType;
  readonly list?: ListType;
  readonly map?: MapType;
}

export type ScalarType = "numeric" | "string" | "boolean" | "untyped";
export type Sort = "map" | "scalar" | "list";

export interface ListType {
  readonly isAtomic: boolean;
  /** Of a list that is not atomic; none where the items themselves tell them apart. */
  readonly keys: readonly string[];
  /** What an item without this key is taken to have. */
  keyDefault(key: string): unknown;
  readonly items: FieldType;
}

export interface MapType {
  readonly isAtomic: boolean;
  /** Of a field that the schema names. */
  field(name: string): FieldType | undefined;
  /** Of any other; undefined where there must be no other. */
  readonly others: FieldType | undefined;
  readonly hasFields: boolean;
}

const atomic: FieldType = untyped(true, () => atomic);
const deduced: FieldType = untyped(false, () => deduced);

function untyped(isAtomicMap: boolean, others: () => FieldType): FieldType {
  return {
    scalar: "untyped",
    list: lazily({ isAtomic: true, keys: [], keyDefault: () => undefined }, "items", () => atomic),
    map: lazily({ isAtomic: isAtomicMap, field: () => undefined, hasFields: false }, "others", others),
  };
}

// Read when first needed, and once: schemas may contain themselves, as that of a CustomResourceDefinition does.
const strictTypes = new WeakMap<Schema, FieldType>();
const openTypes = new WeakMap<Schema, FieldType>();
const objectTypes = new WeakMap<Schema, FieldType>();

/** Of a whole object: `schema` is that of its kind, without apiVersion, kind and metadata. */
export function objectType(schema: Schema): FieldType {
  return remembered(objectTypes, schema, () =>
    fieldTypeOf({ ...schema, type: "object", "x-kubernetes-embedded-resource": true }),
  );
}

/** `isOpen`: whether a schema further out lets unknown fields in. */
export function fieldTypeOf(schema: Schema, isOpen = false): FieldType {
  const letsIn = (isOpen || schema["x-kubernetes-preserve-unknown-fields"] === true) && schema !== metadataSchema;
  return remembered(letsIn ? openTypes : strictTypes, schema, () => readType(schema, letsIn));
}

function readType(schema: Schema, isOpen: boolean): FieldType {
  switch (schema.type) {
    case "object":
      return { map: mapType(schema, isOpen) };
    case "array":
      return { list: listType(schema, isOpen) };
    case "integer":
    case "number":
      return { scalar: "numeric" };
    case "boolean":
      return { scalar: "boolean" };
    case "string":
      return { scalar: schema.format === undefined || schema.format === "byte" ? "string" : "untyped" };
    default:
      if (schema.format === "quantity") return { scalar: "untyped" };
      return { scalar: "untyped", list: listType(schema, isOpen), map: mapType(schema, isOpen) };
  }
}

function listType(schema: Schema, isOpen: boolean): ListType {
  const keys = listKeys(schema);
  const keyDefault = (key: string) => defaultOf(schema.items?.properties?.[key]);
  const items = () => (schema.items ? fieldTypeOf(schema.items, isOpen) : atomic);
  return lazily({ isAtomic: keys === undefined, keys: keys ?? [], keyDefault }, "items", items);
}

/** What Go always writes is published with a default: nothing, in the words of its type. */
function defaultOf(schema: Schema | undefined): unknown {
  if (schema === undefined || schema.default !== undefined || presenceOf(schema) !== "always") return schema?.default;
  return schema.type === "string" ? "" : 0;
}

/** Undefined of a list that is owned as one. */
function listKeys(schema: Schema): readonly string[] | undefined {
  switch (schema["x-kubernetes-list-type"]) {
    case "map":
      return schema["x-kubernetes-list-map-keys"] ?? [];
    case "set":
      return [];
    case "atomic":
      return undefined;
  }
  if (!schema["x-kubernetes-patch-strategy"]?.split(",").includes("merge")) return undefined;
  const key = schema["x-kubernetes-patch-merge-key"];
  return key === undefined ? [] : [key];
}

function mapType(schema: Schema, isOpen: boolean): MapType {
  const { additionalProperties, "x-kubernetes-embedded-resource": isObject } = schema;
  const properties = new Map(Object.entries({ ...schema.properties, ...(isObject && objectProperties) }));
  const hasFields = properties.size > 0;
  const isAtomic = schema["x-kubernetes-map-type"] === "atomic";
  const isFree = additionalProperties === undefined ? isOpen || !hasFields : additionalProperties === true;
  const field = (name: string) => {
    const found = properties.get(name);
    return found && fieldTypeOf(found, isOpen);
  };
  const others = () => {
    if (typeof additionalProperties === "object") return fieldTypeOf(additionalProperties, isOpen);
    return isFree ? deduced : undefined;
  };
  return lazily({ isAtomic, field, hasFields }, "others", others);
}

/** A map of which the schema says nothing, neither its fields nor what they are. */
export function isDeducedMap(map: MapType): boolean {
  return !map.hasFields && map.others?.scalar === "untyped";
}

/** Which sort a value is. What fits no sort of the type, as null never does, is taken for the first that there is. */
export function sortOf(type: FieldType, value: unknown): Sort {
  const own = sortOfValue(value);
  if (own && type[own] !== undefined) return own;
  return type.map ? "map" : type.scalar ? "scalar" : "list";
}

function sortOfValue(value: unknown): Sort | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return "list";
  return typeof value === "object" ? "map" : "scalar";
}

function remembered(types: WeakMap<Schema, FieldType>, schema: Schema, read: () => FieldType): FieldType {
  const known = types.get(schema);
  if (known) return known;
  const type = read();
  types.set(schema, type);
  return type;
}

function lazily<T extends object, K extends string, V>(known: T, key: K, read: () => V): T & Readonly<Record<K, V>> {
  return Object.defineProperty(known, key, { get: read, enumerable: true }) as T & Readonly<Record<K, V>>;
}
