/**
 * What the rest of the server knows of storage.
 *
 * One Store holds all objects at one global revision, which only grows, also over restarts. Every write is one revision,
 * and it is the object's resourceVersion. A write is answered, and seen by readers and watchers, when it is on disk.
 *
 * Writers are serialised by being synchronous: what stands between `newest` and the call of `put` or `remove` must not
 * await. So `newest` is what the next write is decided on (it may still be on its way to disk), and `get` and `list` are
 * what may be told to others.
 */
import type { KubeObject, ObjectKey, Stored } from "@berg/apimachinery";

/** Objects are frozen: who wants another one makes a copy. */
export type AnyStored = Stored<KubeObject>;

export interface Store extends AsyncDisposable {
  /** The revision up to which everything is on disk. */
  readonly revision: number;
  /** Made when it is first asked for. `name` is `pods` or `deployments.apps`; versions of a kind share one table. */
  table(name: string): Table;
  /** Resolves when all that is on its way to disk now is there, or has failed to come there. */
  settled(): Promise<void>;
  /** Forgets what came before `revision`: watches and lists from before it get 410. */
  compact(revision: number): void;
}

export interface Table {
  readonly name: string;
  get(key: ObjectKey): AnyStored | undefined;
  /** With what is still on its way to disk. */
  newest(key: ObjectKey): AnyStored | undefined;
  /** All that is there now with what is still on its way to disk; for checks such as quota and free ports. */
  newestAll(namespace?: string): Iterable<AnyStored>;
  /** Ordered by key, as etcd has it: `a-b/x` before `a/x`. All namespaces where none is named, or `""`. */
  list(namespace?: string): Listed;
  /** As it was at an earlier revision; throws `Compacted` where that is no longer known, RangeError where not yet. */
  listAt(revision: number, namespace?: string): Listed;
  /**
   * Creates or replaces. Gives the object its resourceVersion; resolves with it when it is on disk. Freezes what is in
   * the object, which is not copied. Rejects with a refusal where it is too large, and with `DiskError` where it did not
   * come to disk: nobody ever sees it then.
   */
  put(object: KubeObject): Promise<AnyStored>;
  /** Resolves with the last state, under a resourceVersion of its own, when its end is on disk. */
  remove(key: ObjectKey, last: AnyStored): Promise<AnyStored>;
  /** Everything that happens after `revision`; throws `Compacted` where that is no longer known. */
  watch(revision: number): Cursor;
  /** How many objects there are. */
  readonly size: number;
}

export interface Listed {
  /** At which this is what is there. */
  revision: number;
  items: readonly AnyStored[];
}

export interface HistoryEvent {
  type: "ADDED" | "MODIFIED" | "DELETED";
  revision: number;
  /** Of DELETED: the last state, with the resourceVersion of the deletion. */
  object: AnyStored;
  /** What it was before; undefined where it is new. */
  previous: AnyStored | undefined;
  /** What watchers make of it, kept so that it is made once for all of them: by form, such as `json v1`. */
  readonly encodings: Map<string, Uint8Array>;
}

/** A place in the history of a table. A slow reader holds nothing up: it falls out of the history, and gets `Compacted`. */
export interface Cursor {
  /** The next event, if there is one. Throws `Compacted` where it fell behind, an Error where the store is closed. */
  next(): HistoryEvent | undefined;
  /** Up to here nothing is left to read: what a bookmark says. */
  readonly reached: number;
  /** Resolves when `next` may have something, or when the signal is aborted. */
  wait(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** What was asked for is older than what is kept. */
export class Compacted extends Error {
  readonly revision: number;
  /** From here on everything is known. */
  readonly oldest: number;

  constructor(revision: number, oldest: number) {
    super(`revision ${revision} is no longer kept, only ${oldest} and later`);
    this.name = "Compacted";
    this.revision = revision;
    this.oldest = oldest;
  }
}
