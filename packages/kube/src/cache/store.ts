/**
 * The objects of one informer: a map by key, indexes over it, and the changes that each write amounts to.
 *
 * A change is about one life of an object, which its UID names: an object that was deleted and made again under the
 * same name is a deletion followed by an addition, never an update, even where nobody saw it go.
 */
import { isDeepStrictEqual } from "node:util";
import { type KubeObject, keyOf, type ObjectKey, type Stored } from "@berg/apimachinery";

export type Change<T extends KubeObject> =
  | { type: "added"; object: Stored<T> }
  | { type: "updated"; object: Stored<T>; old: Stored<T> }
  /** `object` is its last state that was seen; not its very last where the deletion was only noticed later. */
  | { type: "deleted"; object: Stored<T> };

/** The values under which an object can be found, such as the UID of its owner. */
export type IndexFunction<T extends KubeObject> = (object: Stored<T>) => readonly string[];

export class Store<T extends KubeObject> {
  #objects = new Map<ObjectKey, Stored<T>>();
  readonly #indexes = new Map<string, Index<T>>();

  /** The first to name an index defines it; several parts may need the same one. */
  ensureIndex(name: string, valuesOf: IndexFunction<T>): void {
    if (this.#indexes.has(name)) return;
    const index = new Index(valuesOf);
    for (const [key, object] of this.#objects) index.put(key, object);
    this.#indexes.set(name, index);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): Stored<T> | undefined {
    return this.#objects.get(key);
  }

  list(): Stored<T>[] {
    return [...this.#objects.values()];
  }

  byIndex(name: string, value: string): Stored<T>[] {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`there is no index "${name}"; add it before the informer starts`);
    const found: Stored<T>[] = [];
    for (const key of index.keys(value)) found.push(this.#objects.get(key) as Stored<T>);
    return found;
  }

  put(object: Stored<T>): Change<T>[] {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (old && sameVersion(old, object)) return [];
    this.#set(key, object);
    return changesOf(old, object);
  }

  remove(object: Stored<T>): Change<T>[] {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (!old || old.metadata.uid !== object.metadata.uid) return [];
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.remove(key);
    return [{ type: "deleted", object }];
  }

  /**
   * Makes the store hold exactly these objects. Readers see all of it or nothing of it. After a reset of the server's
   * data a version that was seen before may have been given out again, to something else: then contents count too.
   */
  replace(objects: readonly Stored<T>[], { reset } = { reset: false }): Change<T>[] {
    const next = new Map(objects.map((object) => [keyOf(object), object]));
    const gone: Change<T>[] = [];
    const came: Change<T>[] = [];
    for (const [key, old] of this.#objects) {
      if (next.has(key)) continue;
      for (const index of this.#indexes.values()) index.remove(key);
      gone.push({ type: "deleted", object: old });
    }
    const before = this.#objects;
    this.#objects = new Map();
    for (const [key, object] of next) {
      const old = before.get(key);
      if (old && sameVersion(old, object) && (!reset || isDeepStrictEqual(old, object))) {
        // The one that readers hold already; two equal copies of it would only cost memory.
        this.#objects.set(key, old);
        continue;
      }
      this.#set(key, object);
      came.push(...changesOf(old, object));
    }
    return [...gone, ...came];
  }

  #set(key: ObjectKey, object: Stored<T>): void {
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) index.put(key, object);
  }
}

class Index<T extends KubeObject> {
  readonly #valuesOf: IndexFunction<T>;
  /** A set only where there are several: most values have one, and a set of one is as large as a small object. */
  readonly #keys = new Map<string, ObjectKey | Set<ObjectKey>>();
  /** What was asked once is remembered: a function that answered otherwise later would leave keys of the gone behind. */
  readonly #values = new Map<ObjectKey, readonly string[]>();

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf;
  }

  keys(value: string): Iterable<ObjectKey> {
    const keys = this.#keys.get(value) ?? [];
    return typeof keys === "string" ? [keys] : keys;
  }

  put(key: ObjectKey, object: Stored<T>): void {
    this.remove(key);
    const values = this.#valuesOf(object);
    if (values.length > 0) this.#values.set(key, values);
    for (const value of values) {
      const keys = this.#keys.get(value);
      if (keys instanceof Set) keys.add(key);
      else this.#keys.set(value, keys === undefined || keys === key ? key : new Set([keys, key]));
    }
  }

  remove(key: ObjectKey): void {
    for (const value of this.#values.get(key) ?? []) {
      const keys = this.#keys.get(value);
      if (keys instanceof Set) keys.delete(key);
      if (keys === key || (keys instanceof Set && keys.size === 0)) this.#keys.delete(value);
    }
    this.#values.delete(key);
  }
}

function sameVersion(a: Stored<KubeObject>, b: Stored<KubeObject>): boolean {
  return a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion;
}

function changesOf<T extends KubeObject>(old: Stored<T> | undefined, object: Stored<T>): Change<T>[] {
  if (!old) return [{ type: "added", object }];
  if (old.metadata.uid === object.metadata.uid) return [{ type: "updated", object, old }];
  return [
    { type: "deleted", object: old },
    { type: "added", object },
  ];
}
