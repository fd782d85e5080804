import type { KubeObject, ObjectKey, ResourceType, Stored } from "@berg/apimachinery";
import type { Discovery } from "../client/discovery.ts";
import type { ChangeHandler, Informer } from "./informer.ts";
import type { Cache } from "./own-writes.ts";
import type { IndexFunction } from "./store.ts";

/** A kind that the cluster may serve or not. */
export interface OptionalKind {
  group: string;
  kind: string;
  /** Those that are understood here, the best first; unset: whatever the server prefers. */
  versions?: readonly string[];
}

/**
 * The informer of a kind whose CustomResourceDefinition may not be installed, or only later; or which is installed and
 * cannot be listed, for want of a right or because its conversion webhook is broken. Until it is filled, nothing is
 * there to be found, and nobody waits for it. Handlers and indexes may be given from the beginning.
 *
 *     const routes = manager.optionalInformer<Route>({ group, kind: "TLSRoute", versions: ["v1", "v1alpha2"] });
 *     …
 *     if (!(await routes.look(signal))) return "install the CustomResourceDefinition of TLSRoute";
 */
export class OptionalInformer<T extends KubeObject> implements Cache<T> {
  readonly kind: OptionalKind;
  readonly #discovery: Discovery;
  readonly #start: (type: ResourceType<T>) => Informer<T>;
  readonly #indexes = new Map<string, IndexFunction<T>>();
  /** Each with the undo of its place in the informer, once there is one. */
  readonly #handlers = new Map<ChangeHandler<T>, (() => void) | undefined>();
  readonly #servedHandlers = new Set<() => void>();
  #informer: Informer<T> | undefined;

  /** `start` begins to list and watch what was found. */
  constructor(kind: OptionalKind, discovery: Discovery, start: (type: ResourceType<T>) => Informer<T>) {
    this.kind = kind;
    this.#discovery = discovery;
    this.#start = start;
  }

  /** Undefined where the kind has not been found yet, and until the copy of what was found is complete. */
  get informer(): Informer<T> | undefined {
    return this.#informer?.hasSynced ? this.#informer : undefined;
  }

  /**
   * The informer, filled; undefined where the server does not serve the kind now, or its list is still under way. To be
   * asked by whoever needs it, as often as they like: one that was found is not looked for again, and the server is
   * asked once in 5 s.
   */
  async look(signal: AbortSignal): Promise<Informer<T> | undefined> {
    if (!this.#informer) {
      const type = await this.#find(signal);
      if (!type) return undefined;
      // Others may have looked meanwhile.
      this.#informer ??= this.#begin(type);
    }
    return this.informer;
  }

  /** Resolves when the copy of what was found is complete, and at once where nothing was found. */
  async synced(signal: AbortSignal): Promise<void> {
    await this.#informer?.synced(signal);
  }

  /** Told once, when the kind can be used: for those who need it and were told that it is not there. Returns its undo. */
  onServed(handler: () => void): () => void {
    this.#servedHandlers.add(handler);
    return () => this.#servedHandlers.delete(handler);
  }

  async #find(signal: AbortSignal): Promise<ResourceType<T> | undefined> {
    const { group, kind, versions = [undefined] } = this.kind;
    for (const version of versions) {
      const wanted = version === undefined ? { group, kind } : { group, kind, version };
      const type = await this.#discovery.find(wanted, { signal });
      if (type) return type as ResourceType<T>;
    }
    return undefined;
  }

  #begin(type: ResourceType<T>): Informer<T> {
    const informer = this.#start(type);
    for (const [name, valuesOf] of this.#indexes) informer.ensureIndex(name, valuesOf);
    for (const handler of this.#handlers.keys()) this.#handlers.set(handler, informer.onChange(handler));
    void informer.synced().then(() => {
      for (const handler of this.#servedHandlers) handler();
    });
    return informer;
  }

  /** Told of every change from now on, and of what is there already as additions. Returns its undo. */
  onChange(handler: ChangeHandler<T>): () => void {
    this.#handlers.set(handler, this.#informer?.onChange(handler));
    return () => {
      this.#handlers.get(handler)?.();
      this.#handlers.delete(handler);
    };
  }

  get reached(): string | undefined {
    return this.#informer?.reached;
  }

  prepare(object: Stored<T>): Stored<T> {
    return this.#informer?.prepare(object) ?? object;
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.#informer?.get(key);
  }

  list(): Stored<T>[] {
    return this.#informer?.list() ?? [];
  }

  ensureIndex(name: string, valuesOf: IndexFunction<T>): void {
    if (!this.#indexes.has(name)) this.#indexes.set(name, valuesOf);
    this.#informer?.ensureIndex(name, valuesOf);
  }

  byIndex(name: string, value: string): Stored<T>[] {
    return this.#informer?.byIndex(name, value) ?? [];
  }
}
