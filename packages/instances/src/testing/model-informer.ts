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
  readonly hasSynced = true;
  readonly #cluster: ModelCluster;
  readonly #options: ModelSelection<T>;
  readonly #objects = new Map<ObjectKey, Stored<T>>();
  readonly #indexes = new Map<string, IndexFunction<T>>();
  readonly #handlers = new Set<(change: Change<T>) => void>();
  #position: number;

  /** Begins with what is there now. */
  constructor(cluster: ModelCluster, type: ResourceType<T>, options: ModelSelection<T> = {}) {
    this.#cluster = cluster;
    this.type = type;
    this.#options = options;
    this.#position = cluster.changes.length;
    for (const object of cluster.all<T>(type.kind)) {
      if (this.#selects(object)) this.#objects.set(keyOf(object), this.prepare(object));
    }
  }

  /** The only thing that tests ask of it: takes in up to `most` changes. Returns whether there was one. */
  deliver(most = Number.POSITIVE_INFINITY): boolean {
    const { changes } = this.#cluster;
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
      if (old && this.#objects.delete(key)) this.#announce({ type: "deleted", object: isDeleted ? prepared : old });
      return;
    }
    this.#objects.set(key, prepared);
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
    this.#indexes.set(name, valuesOf);
  }

  byIndex(name: string, value: string): Stored<T>[] {
    const valuesOf = this.#indexes.get(name);
    return this.list().filter((object) => valuesOf?.(object).includes(value));
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
