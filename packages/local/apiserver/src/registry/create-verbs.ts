/** The verbs over a store. One file each beside this one. */
import { createObject } from "./create.ts";
import { deleteObject } from "./delete.ts";
import { deleteCollection } from "./delete-collection.ts";
import { getObject } from "./get.ts";
import { listObjects } from "./list.ts";
import { patchObject } from "./patch.ts";
import { refusedWhenKnown } from "./refused-when-known.ts";
import type { Registry } from "./registry.ts";
import { updateObject } from "./update.ts";
import type { Verbs } from "./verbs.ts";
import { watchObjects } from "./watch.ts";

export function createVerbs(registry: Registry): Verbs {
  return {
    get: (...args) => getObject(registry, ...args),
    list: (...args) => listObjects(registry, ...args),
    watch: (...args) => watchObjects(registry, ...args),
    create: refusedWhenKnown(registry, createObject),
    update: refusedWhenKnown(registry, updateObject),
    patch: refusedWhenKnown(registry, patchObject),
    delete: refusedWhenKnown(registry, deleteObject),
    deleteCollection: refusedWhenKnown(registry, deleteCollection),
  };
}
