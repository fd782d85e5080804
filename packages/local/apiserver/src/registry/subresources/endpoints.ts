/** The subresources that are more than a part of an object, by name: `pods/eviction`; a scale of any kind is a `scale`. */
import { getObject } from "../get.ts";
import { patchObject } from "../patch.ts";
import type { Registry } from "../registry.ts";
import { updateObject } from "../update.ts";
import type { Body, Caller, PatchBody, Place, WriteOptions } from "../verbs.ts";
import { bindPod } from "./binding.ts";
import { evictPod } from "./eviction.ts";
import { getScale, patchScale, updateScale } from "./scale.ts";

export function subresourceEndpoints(registry: Registry) {
  /** Reads the object itself, and writes the part of it that the subresource is for. */
  const partEndpoint = (subresource: string) => ({
    get: (place: Place) => getObject(registry, place, {}),
    update: (place: Place, body: Body, options: WriteOptions, caller: Caller) =>
      updateObject(registry, place, subresource, body, options, caller),
    patch: (place: Place, patch: PatchBody, options: WriteOptions, caller: Caller) =>
      patchObject(registry, place, subresource, patch, options, caller),
  });
  return {
    scale: {
      get: (place: Place) => getScale(registry, place),
      update: (place: Place, body: Body, options: WriteOptions, caller: Caller) =>
        updateScale(registry, place, body, options, caller),
      patch: (place: Place, patch: PatchBody, options: WriteOptions, caller: Caller) =>
        patchScale(registry, place, patch, options, caller),
    },
    "namespaces/finalize": { update: partEndpoint("finalize").update },
    "pods/ephemeralcontainers": partEndpoint("ephemeralcontainers"),
    "pods/eviction": {
      create: (place: Place, body: Body, options: WriteOptions, caller: Caller) =>
        evictPod(registry, place, body, options, caller),
    },
    "pods/binding": {
      create: (place: Place, body: Body, options: WriteOptions, caller: Caller) =>
        bindPod(registry, place, body, options, caller),
    },
  };
}
