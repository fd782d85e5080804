/** A copy of one kind in the model cluster that lags behind until it is told to go on. */
import { type KubeObject, keyOf, type ObjectKey, type ResourceType, type Stored } from "@berg/apimachinery";
import type { Change, IndexFunction, Informer, Selection } from "@berg/kube";
import { labels } from "@berg/resources";
import type { ModelCluster } from "./model-cluster.ts";

export interface ModelSelection<T extends KubeObject> {
  selection?: Selection;
  transform?: (object: Stored<T>) => Stored<T>;
}

export class ModelInformer<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly #cluster: ModelCluster;
  readonly #options: ModelSelection<T>;
  readonly #objects = new Map<ObjectKey, Stored<T>>();
  readonly #indexes = new Map<string, { valuesOf: IndexFunction<T>; found: Map<string, Map<ObjectKey, Stored<T>>> }>();
  readonly #canList: () => boolean;
  readonly #firstSync = Promise.withResolvers<void>();
  hasSynced = false;
  readonly #handlers = new Set<(change: Change<T>) => void>();
  #position: number;

  /** Begins with what is there now, if it may be listed. */
  constructor(
    cluster: ModelCluster,
    type: ResourceType<T>,
    options: ModelSelection<T> = {},
    canList: () => boolean = () => true,
  ) {
    this.#cluster = cluster;
    this.#canList = canList;
    this.type = type;
    this.#options = options;
    this.#position = 0;
    if (canList()) this.#list();
  }

  #list(): void {
    this.#position = this.#cluster.changes.length;
    for (const object of this.#cluster.all<T>(this.type.kind)) {
      if (this.#selects(object)) this.#take(false, object);
    }
    this.hasSynced = true;
    this.#firstSync.resolve();
  }

  /** The only thing that tests ask of it: takes in up to `most` changes. Returns whether there was one. */
  deliver(most = Number.POSITIVE_INFINITY): boolean {
    const { changes } = this.#cluster;
    if (!this.hasSynced) {
      if (this.#canList()) this.#list();
      return this.hasSynced;
    }
    let taken = 0;
    for (; taken < most && this.#position < changes.length; this.#position++) {
      const change = changes[this.#position];
      if (change?.object.kind !== this.type.kind) continue;
      taken++;
      this.#take(change.type === "deleted", change.object as Stored<T>);
    }
    return taken > 0;
  }

  #take(isDeleted: boolean, object: Stored<T>): void {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    const prepared = this.prepare(object);
    if (isDeleted || !this.#selects(object)) {
      // What is no longer selected is told of as it was when it still was.
      if (old && this.#objects.delete(key)) {
        this.#index(key, old, undefined);
        this.#announce({ type: "deleted", object: isDeleted ? prepared : old });
      }
      return;
    }
    this.#objects.set(key, prepared);
    this.#index(key, old, prepared);
    this.#announce(old ? { type: "updated", object: prepared, old } : { type: "added", object: prepared });
  }

  #announce(change: Change<T>): void {
    for (const handler of this.#handlers) handler(change);
  }

  #selects({ metadata }: Stored<T>): boolean {
    const { labelSelector, namespace, fieldSelector } = this.#options.selection ?? {};
    if (namespace !== undefined && metadata.namespace !== namespace) return false;
    if (fieldSelector !== undefined && fieldSelector !== `metadata.name=${metadata.name}`) return false;
    return (
      labelSelector === undefined || labelSelector === `${labels.managedBy}=${metadata.labels?.[labels.managedBy]}`
    );
  }

  get reached(): string {
    return String(this.#position);
  }

  synced(): Promise<void> {
    return this.#firstSync.promise;
  }

  prepare(object: Stored<T>): Stored<T> {
    return this.#options.transform?.(object) ?? object;
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.#objects.get(key);
  }

  list(): Stored<T>[] {
    return [...this.#objects.values()];
  }

  ensureIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#indexes.set(name, { valuesOf, found: new Map() });
    for (const [key, object] of this.#objects) this.#index(key, undefined, object);
  }

  #index(key: ObjectKey, old: Stored<T> | undefined, object: Stored<T> | undefined): void {
    for (const { valuesOf, found } of this.#indexes.values()) {
      for (const value of old ? valuesOf(old) : []) found.get(value)?.delete(key);
      for (const value of object ? valuesOf(object) : []) {
        const under = found.get(value) ?? new Map<ObjectKey, Stored<T>>();
        found.set(value, under.set(key, object as Stored<T>));
      }
    }
  }

  byIndex(name: string, value: string): Stored<T>[] {
    return [...(this.#indexes.get(name)?.found.get(value)?.values() ?? [])];
  }

  onChange(handler: (change: Change<T>) => void): () => void {
    for (const object of this.list()) handler({ type: "added", object });
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  asInformer(): Informer<T> {
    return this as unknown as Informer<T>;
  }
}
