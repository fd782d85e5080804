/**
 * The words in which the shapes of built-in kinds are written.
 *
 *     const portShape = object({ port: int32(), name: text() }, ["port"]);
 *     const specShape = object({ ports: listMap(["port", "protocol"], portShape, "port") });
 */
import { asMicroTime } from "../schema/micro-time.ts";
import type { Schema } from "../schema/schema.ts";

export { always, kept, presenceOf } from "../schema/presence.ts";

export function object(properties: Record<string, Schema>, required: string[] = []): Schema {
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

/** Replaced as a whole by whoever applies it. */
export function atomicObject(properties: Record<string, Schema>, required: string[] = []): Schema {
  return { ...object(properties, required), "x-kubernetes-map-type": "atomic" };
}

export function text(more: Schema = {}): Schema {
  return { type: "string", ...more };
}

export function choice(...values: string[]): Schema {
  return { type: "string", enum: values };
}

export function int32(more: Schema = {}): Schema {
  return { type: "integer", format: "int32", ...more };
}

export function int64(more: Schema = {}): Schema {
  return { type: "integer", format: "int64", ...more };
}

export function bool(more: Schema = {}): Schema {
  return { type: "boolean", ...more };
}

export function time(): Schema {
  return { type: "string", format: "date-time", nullable: true };
}

export function microTime(): Schema {
  return asMicroTime(time());
}

/** Base64. */
export function bytes(): Schema {
  return { type: "string", format: "byte" };
}

/** `500m`, `1Gi`, or a number. */
export function quantity(): Schema {
  return { "x-kubernetes-int-or-string": true, format: "quantity" };
}

export function intOrString(): Schema {
  return { "x-kubernetes-int-or-string": true, format: "int-or-string" };
}

/** Anything at all. */
export function anything(): Schema {
  return { "x-kubernetes-preserve-unknown-fields": true };
}

export function mapOf(additionalProperties: Schema): Schema {
  return { type: "object", additionalProperties };
}

export function atomicMapOf(additionalProperties: Schema): Schema {
  return { ...mapOf(additionalProperties), "x-kubernetes-map-type": "atomic" };
}

/** Replaced as a whole. */
export function list(items: Schema): Schema {
  return { type: "array", items, "x-kubernetes-list-type": "atomic" };
}

/** Each value once. */
export function setOf(items: Schema, isMergedByPatches = false): Schema {
  const strategy = isMergedByPatches ? { "x-kubernetes-patch-strategy": "merge" } : {};
  return { type: "array", items, "x-kubernetes-list-type": "set", ...strategy };
}

/** Objects told apart by `keys`; a strategic merge patch tells them apart by `mergeKey`, where there is one. */
export function listMap(keys: string[], items: Schema, mergeKey?: string): Schema {
  return {
    type: "array",
    items,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": keys,
    ...(mergeKey && { "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": mergeKey }),
  };
}

/** What a strategic merge patch does with it, where that is not what its list type says: `replace`, `retainKeys`… */
export function patchedBy(strategy: string, schema: Schema, mergeKey?: string): Schema {
  return {
    ...schema,
    "x-kubernetes-patch-strategy": strategy,
    ...(mergeKey && { "x-kubernetes-patch-merge-key": mergeKey }),
  };
}
