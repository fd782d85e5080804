import { type KubeObject, keyOf, type ObjectKey, type Stored } from "@berg/apimachinery";
import type { Informer } from "../cache/informer.ts";
import { OptionalInformer } from "../cache/optional-informer.ts";
import type { AddOptions } from "../queue/work-queue.ts";

export type Enqueue = (key: ObjectKey, options?: AddOptions) => void;

/** A source of keys: which changes ask for which reconciles. */
export interface Watch {
  /** The controller waits for these before its first reconcile, or it would take "not seen yet" for "not there". */
  readonly informers: readonly AnyInformer[];
  /** Sends keys from now on; returns its undo. */
  start(enqueue: Enqueue): () => void;
  /** Every key that there is, for the slow safety resync. */
  all(): Iterable<ObjectKey>;
}

// biome-ignore lint/suspicious/noExplicitAny: an informer's type stands in both directions, so no single type covers all.
export type AnyInformer = Informer<any>;

type Source<T extends KubeObject> = Informer<T> | OptionalInformer<T>;

/** Reconciles the object that changed. */
export function watchSelf<T extends KubeObject>(informer: Informer<T>, options?: AddOptions): Watch {
  return {
    informers: informersOf(informer),
    start: (enqueue) => informer.onChange(({ object }) => enqueue(keyOf(object), options)),
    *all() {
      for (const object of informer.list()) yield keyOf(object);
    },
  };
}

/** Reconciles whatever `keysOf` names for the object that changed, for what it was as well as for what it is. */
export function watchMapped<T extends KubeObject>(
  source: Source<T>,
  keysOf: (object: Stored<T>) => Iterable<ObjectKey>,
  options?: AddOptions,
): Watch {
  return {
    get informers() {
      return informersOf(source);
    },
    start: (enqueue) =>
      source.onChange((change) => {
        for (const key of keysOf(change.object)) enqueue(key, options);
        if (change.type !== "updated") return;
        for (const key of keysOf(change.old)) enqueue(key, options);
      }),
    all: () => [],
  };
}

/**
 * Reconciles the owner of the object that changed. Owners are found by UID, which the owned object carries in a label,
 * because an owner reference cannot cross namespaces and a name may since belong to another.
 */
export function watchOwned<T extends KubeObject, O extends KubeObject>(
  source: Source<T>,
  owners: Informer<O>,
  uidLabel: string,
  options?: AddOptions,
): Watch {
  const index = "uid";
  owners.ensureIndex(index, (owner) => [owner.metadata.uid]);
  const keysOf = (object: Stored<T>) => {
    const uid = object.metadata.labels?.[uidLabel];
    return uid === undefined ? [] : owners.byIndex(index, uid).map(keyOf);
  };
  const { start, all } = watchMapped(source, keysOf, options);
  return {
    get informers() {
      return [...informersOf(source), ...informersOf(owners)];
    },
    start,
    all,
  };
}

/**
 * Nobody waits for a kind that is not served, or cannot be listed; asked anew each time, since it may be by now. Nor for
 * what a server has that may be away.
 */
function informersOf<T extends KubeObject>(source: Source<T>): AnyInformer[] {
  if (!(source instanceof OptionalInformer)) return source.isDispensable ? [] : [source];
  return source.informer ? [source.informer] : [];
}
