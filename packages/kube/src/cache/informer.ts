import { isDeepStrictEqual } from "node:util";
import { type KubeObject, type ObjectKey, type ResourceType, resourceName, type Stored } from "@berg/apimachinery";
import { abortable } from "../abort.ts";
import type { Client, Selection } from "../client/client.ts";
import { type Clock, type Random, systemClock, systemRandom } from "../clock.ts";
import { errorText, type Logger, silentLogger, stackOf } from "../log.ts";
import { deepFreeze } from "./freeze.ts";
import { type InformerMetrics, noInformerMetrics } from "./metrics.ts";
import { type ObjectEvent, Reflector } from "./reflector.ts";
import { type Change, type IndexFunction, Store } from "./store.ts";
import { type Transform, withoutManagedFields } from "./transforms.ts";

export interface InformerOptions<T extends KubeObject> {
  client: Pick<Client, "list" | "listAll" | "watch">;
  type: ResourceType<T>;
  selection?: Selection;
  /** What is dropped before an object is kept; by default managedFields. */
  transform?: Transform<T>;
  /** How many objects a page of a list has at most: fewer than usual where each may be large. */
  pageSize?: number;
  /** Nobody waits for it: whoever looks into it asks `hasSynced` first. */
  isDispensable?: boolean;
  clock?: Clock;
  random?: Random;
  log?: Logger;
  metrics?: InformerMetrics;
}

export type ChangeHandler<T extends KubeObject> = (change: Change<T>) => void;

/**
 * A local, indexed and always current copy of one resource, with word of every change.
 *
 * Handlers run one after the other, in the order of the changes, when the copy holds the change already. They are for
 * noting that something happened (a key into a queue), not for doing it. Objects are frozen: copy before you edit.
 *
 *     const pods = new Informer({ client, type: Pods, selection: { labelSelector: "app=web" } });
 *     pods.onChange(({ object }) => queue.add(keyOf(object)));
 *     void pods.run(signal);
 *     await pods.synced(signal);
 */
export class Informer<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly isDispensable: boolean;
  readonly #store = new Store<T>();
  readonly #handlers = new Set<ChangeHandler<T>>();
  readonly #reflector: Reflector<T>;
  readonly #selection: Selection;
  readonly #transform: Transform<T>;
  readonly #log: Logger;
  readonly #metrics: InformerMetrics;
  readonly #firstSync = Promise.withResolvers<void>();
  #hasSynced = false;
  #started = false;

  constructor(options: InformerOptions<T>) {
    this.type = options.type;
    this.isDispensable = options.isDispensable ?? false;
    this.#selection = options.selection ?? {};
    this.#transform = options.transform ?? withoutManagedFields;
    this.#log = options.log ?? silentLogger;
    this.#metrics = options.metrics ?? noInformerMetrics;
    this.#reflector = new Reflector({
      client: options.client,
      type: options.type,
      selection: this.#selection,
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom,
      log: this.#log,
      metrics: this.#metrics,
      pageSize: options.pageSize,
      prepare: (object) => this.prepare(object),
      onReplace: (objects, after) => this.#onReplace(objects, after),
      onEvents: (events) => this.#onEvents(events),
    });
  }

  /** Whether it would serve someone who asks for this. */
  isFor(selection: Selection = {}, transform: Transform<T> = withoutManagedFields): boolean {
    return isDeepStrictEqual(selection, this.#selection) && transform === this.#transform;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Why the copy cannot be made or followed now: see Reflector. It may quote the server: see errorText. */
  get failure(): unknown {
    return this.#reflector.failure;
  }

  /** Milliseconds since the server last said anything. */
  get silentForMs(): number {
    return this.#reflector.silentForMs;
  }

  /** Milliseconds for which the watch that is open has brought nothing, and 0 while none is: see Reflector. */
  get deafForMs(): number {
    return this.#reflector.deafForMs;
  }

  /** The version up to which every change is in the copy; undefined before the first sync. */
  get reached(): string | undefined {
    return this.#reflector.reached;
  }

  get size(): number {
    return this.#store.size;
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.#store.get(key);
  }

  list(): Stored<T>[] {
    return this.#store.list();
  }

  /** The first to name an index defines it; several parts may need the same one. */
  ensureIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#store.ensureIndex(name, (object) => this.#orElse("index", () => valuesOf(object), []));
  }

  byIndex(name: string, value: string): Stored<T>[] {
    return this.#store.byIndex(name, value);
  }

  /** The object as the copy would keep it: without what the transform drops, and read-only. Takes the object over. */
  prepare(object: Stored<T>): Stored<T> {
    // Rather all of it than nothing: whoever misses it here takes it for deleted.
    return deepFreeze(this.#orElse("transform", () => this.#transform(object), object));
  }

  /** Told of every change from now on, and of what is there already as additions. Returns its undo. */
  onChange(handler: ChangeHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const object of this.#store.list()) this.#tell(handler, { type: "added", object });
    return () => this.#handlers.delete(handler);
  }

  /** Resolves when the copy is complete for the first time. */
  synced(signal?: AbortSignal): Promise<void> {
    return abortable(this.#firstSync.promise, signal);
  }

  /** Runs until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#started) throw new Error(`the informer of ${resourceName(this.type)} was started already`);
    this.#started = true;
    const endSampling = this.#metrics.sample(() => ({
      objects: this.size,
      lastEventAgeSeconds: this.silentForMs / 1000,
    }));
    try {
      await this.#reflector.run(signal);
    } finally {
      endSampling();
    }
  }

  #onReplace(objects: Stored<T>[], after: { reset: boolean }): void {
    this.#announce(this.#store.replace(objects, after));
    this.#hasSynced = true;
    this.#firstSync.resolve();
  }

  #onEvents(events: ObjectEvent<T>[]): void {
    for (const { type, object } of events) {
      this.#announce(type === "DELETED" ? this.#store.remove(object) : this.#store.put(object));
    }
  }

  #announce(changes: Change<T>[]): void {
    for (const change of changes) {
      for (const handler of this.#handlers) this.#tell(handler, change);
    }
  }

  #tell(handler: ChangeHandler<T>, change: Change<T>): void {
    this.#orElse("handler", () => handler(change), undefined);
  }

  // A mistake in what was handed in must reach neither the others nor the watch, which would bring the same again.
  #orElse<R>(part: "handler" | "index" | "transform", work: () => R, otherwise: R): R {
    try {
      return work();
    } catch (error) {
      this.#log.error(
        { resource: resourceName(this.type), error: errorText(error), stack: stackOf(error) },
        `${part} threw`,
      );
      return otherwise;
    }
  }
}
