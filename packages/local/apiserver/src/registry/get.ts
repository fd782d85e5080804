/** GET of one object. */
import { notFound } from "../errors/refusals.ts";
import { toServed } from "./conversion.ts";
import { parseVersion, untilFresh } from "./freshness.ts";
import { keyOfPlace, type Registry, subjectOf, tableOf } from "./registry.ts";
import type { AnyStoredObject } from "./resource.ts";
import type { Place } from "./verbs.ts";

/** `resourceVersion` is the oldest that will do. */
export async function getObject(
  registry: Registry,
  place: Place,
  { resourceVersion }: { resourceVersion?: string },
): Promise<AnyStoredObject> {
  await untilFresh(registry, parseVersion(resourceVersion));
  const stored = tableOf(registry, place.resource).get(keyOfPlace(place));
  if (!stored) throw notFound(subjectOf(place.resource, place.name));
  return toServed(place.resource, stored);
}
