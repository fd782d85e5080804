/** All resources that are served at this moment. Custom kinds come and go. */
import type { ServedResource } from "./resource.ts";

export class ServedResources {
  readonly #byPath = new Map<string, ServedResource>();
  readonly #listeners = new Set<() => void>();
  /** Grows with every change, so that what is made of all resources can be kept until then. */
  generation = 0;

  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#byPath.get(pathOf({ group, version, resource }));
  }

  /** In the order in which they were added. */
  all(): ServedResource[] {
    return [...this.#byPath.values()];
  }

  /** Replaces one of the same path. */
  add(resource: ServedResource): void {
    this.#byPath.set(pathOf(resource), resource);
    this.#changed();
  }

  remove(resource: { group: string; version: string; resource: string }): void {
    if (this.#byPath.delete(pathOf(resource))) this.#changed();
  }

  /** Returns its undo. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    this.generation++;
    for (const listener of this.#listeners) listener();
  }
}

function pathOf({ group, version, resource }: { group: string; version: string; resource: string }): string {
  return `${group}/${version}/${resource}`;
}
