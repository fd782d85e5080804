/**
 * Follows CustomResourceDefinitions: serves what is established, and does what becomes due over time. What is to be done
 * is decided in `crds/`; here it is done, one definition at a time.
 */
import { isConflict, isNotFound } from "@berg/apimachinery";
import { type Clock, errorText, type Logger, sleep } from "@berg/kube";
import { CustomKinds } from "../crds/custom-kinds.ts";
import type { StoredDefinition } from "../crds/definition.ts";
import { cleanupFinalizer, nextStep } from "../crds/lifecycle.ts";
import type { AnyObject, ServedResource } from "../registry/resource.ts";
import type { ServedResources } from "../registry/served-resources.ts";
import type { Verbs, WriteOptions } from "../registry/verbs.ts";
import { Compacted, type Cursor, type Store, type Table } from "../storage/table.ts";
import { systemCaller } from "./system-caller.ts";

export interface DefinitionsOptions {
  store: Store;
  served: ServedResources;
  verbs: Verbs;
  /** The kind CustomResourceDefinition itself. */
  resource: ServedResource;
  clock: Clock;
  log: Logger;
}

const write: WriteOptions = { isDryRun: false, fieldValidation: "Ignore" };
// While its objects are going, and after a failure; then ever more slowly.
const soonMs = 100;
const slowestMs = 5_000;

export class Definitions {
  readonly #options: DefinitionsOptions;
  readonly #table: Table;
  readonly #kinds: CustomKinds;
  readonly #stop = new AbortController();
  /** How often in a row something went wrong, and what was last logged of it. */
  #failures = 0;
  #lastLogged = "";
  #running: Promise<void> | undefined;

  constructor(options: DefinitionsOptions) {
    this.#options = options;
    this.#table = options.store.table(options.resource.storedAs);
    this.#kinds = new CustomKinds(options.served);
  }

  /** What is established is served when this returns. */
  start(): void {
    const { items, revision } = this.#table.list();
    for (const crd of items) this.#kinds.set(crd as unknown as StoredDefinition);
    this.#running = this.#follow(this.#table.watch(revision));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #follow(first: Cursor): Promise<void> {
    const { signal } = this.#stop;
    let cursor = first;
    let due = new Set(this.#table.list().items.map(({ metadata }) => metadata.name));
    while (!signal.aborted) {
      try {
        for (const name of this.#take(cursor)) due.add(name);
        due = await this.#work(due);
        if (due.size > 0) await sleep(this.#options.clock, Math.min(slowestMs, soonMs * 2 ** this.#failures), signal);
        else await cursor.wait(signal);
      } catch (error) {
        if (signal.aborted) break;
        if (!(error instanceof Compacted)) throw error;
        cursor.close();
        const { items, revision } = this.#table.list();
        for (const crd of items) this.#kinds.set(crd as unknown as StoredDefinition);
        due = new Set(items.map(({ metadata }) => metadata.name));
        cursor = this.#table.watch(revision);
      }
    }
    cursor.close();
  }

  /** The names of those that changed. */
  #take(cursor: Cursor): string[] {
    const names: string[] = [];
    for (let event = cursor.next(); event; event = cursor.next()) {
      const crd = event.object as unknown as StoredDefinition;
      if (event.type === "DELETED") this.#kinds.delete(crd);
      else this.#kinds.set(crd);
      names.push(crd.metadata.name);
    }
    // One whose names were in conflict may have them now.
    return names.length === 0 ? [] : this.#table.list().items.map(({ metadata }) => metadata.name);
  }

  /** Returns those that must be looked at again. */
  async #work(due: Set<string>): Promise<Set<string>> {
    const again = new Set<string>();
    let hasFailed = false;
    for (const name of due) {
      try {
        if (!(await this.#step(name))) again.add(name);
      } catch (error) {
        if (isNotFound(error)) continue;
        again.add(name);
        if (isConflict(error)) continue;
        hasFailed = true;
        this.#tell(name, errorText(error));
      }
    }
    this.#failures = hasFailed ? this.#failures + 1 : 0;
    return again;
  }

  /** Once, however often it is tried again. */
  #tell(name: string, error: string): void {
    const text = `${name}: ${error}`;
    if (text === this.#lastLogged) return;
    this.#lastLogged = text;
    this.#options.log.warn({ name, error }, "cannot settle a CustomResourceDefinition; trying again");
  }

  /** Whether there is nothing left to do but wait for a change. */
  async #step(name: string): Promise<boolean> {
    const { store, clock, verbs, resource } = this.#options;
    const crd = this.#table.get(name) as unknown as StoredDefinition | undefined;
    if (!crd) return true;
    const objects = store.table(`${crd.spec.names.plural}.${crd.spec.group}`);
    const all = this.#table.newestAll() as Iterable<unknown> as Iterable<StoredDefinition>;
    const next = nextStep(crd, { all, hasObjects: objects.size > 0, now: clock.now() });
    const place = { resource, namespace: "", name };
    const caller = systemCaller(this.#stop.signal);
    const put = (part: "" | "status", object: object) =>
      verbs.update(place, part, { value: structuredClone(object), duplicates: [] }, write, caller);
    if (next.do === "write status") await put("status", { ...crd, status: next.status });
    if (next.do === "remove finalizer") {
      const { object } = await put("status", { ...crd, status: next.status });
      await put("", withoutFinalizer(object));
    }
    if (next.do === "delete its objects") {
      await this.#deleteObjects(crd);
      return false;
    }
    return true;
  }

  async #deleteObjects({ spec }: StoredDefinition): Promise<void> {
    const { served, verbs } = this.#options;
    const kind = served.all().find(({ group, resource }) => group === spec.group && resource === spec.names.plural);
    if (!kind) return;
    await verbs.deleteCollection(kind, "", {}, { isDryRun: false }, systemCaller(this.#stop.signal));
  }
}

function withoutFinalizer(object: AnyObject): object {
  const finalizers = object.metadata.finalizers?.filter((finalizer) => finalizer !== cleanupFinalizer) ?? [];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
