/**
 * The JSON of stored objects, made once as long as it is in use. Objects in the store are frozen, so their JSON cannot
 * change; a list of a thousand is then put together from pieces.
 *
 * What is kept is bounded: the cache has two halves, and when the younger one is full the older one is forgotten. What
 * is still in use moves over to the younger one, as it is found.
 */
import type { AnyObject } from "../registry/resource.ts";

const halfBytes = 16 << 20;

let young = new WeakMap<object, Buffer>();
let old = new WeakMap<object, Buffer>();
let youngBytes = 0;

/** `"metadata":{…},"data":{…}}`: an object without its opening brace, kind and version, which stand before it. */
export function bodyOf(object: AnyObject): Buffer {
  return kept(object, () => {
    const { apiVersion: _version, kind: _kind, ...rest } = object;
    return JSON.stringify(rest).slice(1);
  });
}

/** `{"name":…}` */
export function metadataOf(object: AnyObject): Buffer {
  // A kind that keeps nothing may answer without.
  return object.metadata ? kept(object.metadata, () => JSON.stringify(object.metadata)) : emptyObject;
}

const emptyObject = Buffer.from("{}");
const nothingMore = Buffer.from("}");

/** `{"kind":"Pod","apiVersion":"v1",`: what stands before a body. */
export function headOf(kind: string, apiVersion: string): Buffer {
  return Buffer.from(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`);
}

/** The whole object. */
export function encode(object: AnyObject): Buffer {
  const body = bodyOf(object);
  const head = headOf(object.kind, object.apiVersion);
  return Buffer.concat(body.equals(nothingMore) ? [head.subarray(0, -1), body] : [head, body]);
}

function kept(key: object, make: () => string): Buffer {
  const known = young.get(key);
  if (known) return known;
  const bytes = old.get(key) ?? Buffer.from(make());
  if (youngBytes + bytes.length > halfBytes) {
    old = young;
    young = new WeakMap();
    youngBytes = 0;
  }
  young.set(key, bytes);
  youngBytes += bytes.length;
  return bytes;
}
