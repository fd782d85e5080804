/** Between the version in which objects are stored and the one in which they were asked for. */
import { servedVersionOf } from "./registry.ts";
import type { AnyObject, AnyStoredObject, ServedResource } from "./resource.ts";

/** By resource, then by stored object: lists and watches show the same objects again and again. */
const shown = new WeakMap<ServedResource, WeakMap<object, AnyStoredObject>>();

/** The very same object where it is stored as it is served. */
export function toServed(resource: ServedResource, stored: object): AnyStoredObject {
  const object = stored as AnyStoredObject;
  const apiVersion = servedVersionOf(resource);
  if (!resource.conversion && object.apiVersion === apiVersion) return object;
  const known = shown.get(resource) ?? new WeakMap<object, AnyStoredObject>();
  shown.set(resource, known);
  const before = known.get(object);
  if (before) return before;
  const converted = resource.conversion?.toServed(object) ?? { ...object, apiVersion };
  const frozen = Object.freeze(converted) as AnyStoredObject;
  known.set(object, frozen);
  return frozen;
}

export function toStored(resource: ServedResource, served: AnyObject): AnyObject {
  if (resource.conversion) return resource.conversion.toStored(served);
  return served.apiVersion === resource.storedVersion ? served : { ...served, apiVersion: resource.storedVersion };
}
