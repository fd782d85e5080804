/** The subresources that are more than a part of an object, by name: `pods/eviction`; a scale of any kind is a `scale`. */
import { getObject } from "../get.ts";
import { patchObject } from "../patch.ts";
import { refusedWhenKnown } from "../refused-when-known.ts";
import type { Registry } from "../registry.ts";
import { updateObject } from "../update.ts";
import type { Body, Caller, PatchBody, Place, WriteOptions } from "../verbs.ts";
import { bindPod } from "./binding.ts";
import { evictPod } from "./eviction.ts";
import { getScale, patchScale, updateScale } from "./scale.ts";

export function subresourceEndpoints(registry: Registry) {
  const update = refusedWhenKnown(registry, updateObject);
  const patch = refusedWhenKnown(registry, patchObject);
  /** Reads the object itself, and writes the part of it that the subresource is for. */
  const partEndpoint = (subresource: string) => ({
    get: (place: Place) => getObject(registry, place, {}),
    update: (place: Place, body: Body, options: WriteOptions, caller: Caller) =>
      update(place, subresource, body, options, caller),
    patch: (place: Place, body: PatchBody, options: WriteOptions, caller: Caller) =>
      patch(place, subresource, body, options, caller),
  });
  return {
    scale: {
      get: (place: Place) => getScale(registry, place),
      update: refusedWhenKnown(registry, updateScale),
      patch: refusedWhenKnown(registry, patchScale),
    },
    "namespaces/finalize": { update: partEndpoint("finalize").update },
    "pods/ephemeralcontainers": partEndpoint("ephemeralcontainers"),
    "pods/eviction": { create: refusedWhenKnown(registry, evictPod) },
    "pods/binding": { create: refusedWhenKnown(registry, bindPod) },
  };
}
