/**
 * Keeps the resources that are served in step with the CustomResourceDefinitions that are stored. A definition is served
 * once it is established, and until its last object is gone.
 *
 *     const kinds = new CustomKinds(served);
 *     for (const crd of table.list().items) kinds.set(crd);
 *     // and then on every event: kinds.set(object), kinds.delete(object)
 */
import type { ServedResource } from "../registry/resource.ts";
import type { ServedResources } from "../registry/served-resources.ts";
import { servedResourcesOf } from "./custom-resource.ts";
import { type Definition, isTrue, type StoredDefinition } from "./definition.ts";

interface Known {
  /** What the resources were made of: schemas are compiled again only where this changes. */
  source: string;
  resources: ServedResource[];
}

export class CustomKinds {
  readonly #served: ServedResources;
  readonly #known = new Map<string, Known>();

  constructor(served: ServedResources) {
    this.#served = served;
  }

  set(crd: StoredDefinition): void {
    const { name } = crd.metadata;
    if (!isTrue(crd, "Established")) {
      this.delete(crd);
      return;
    }
    const source = sourceOf(crd);
    const before = this.#known.get(name);
    if (before?.source === source) return;
    const resources = servedResourcesOf(crd);
    const kept = new Set(resources.map(({ version }) => version));
    for (const resource of before?.resources ?? []) if (!kept.has(resource.version)) this.#served.remove(resource);
    for (const resource of resources) this.#served.add(resource);
    this.#known.set(name, { source, resources });
  }

  delete({ metadata }: StoredDefinition): void {
    for (const resource of this.#known.get(metadata.name)?.resources ?? []) this.#served.remove(resource);
    this.#known.delete(metadata.name);
  }
}

/** Status changes too: names are accepted, and what is going takes nothing new. */
function sourceOf({ spec, status }: Definition & StoredDefinition): string {
  return JSON.stringify([spec, status?.acceptedNames, isTrue({ spec, ...(status && { status }) }, "Terminating")]);
}
