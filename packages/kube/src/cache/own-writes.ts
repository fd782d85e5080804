/**
 * What an informer shows, together with what this process wrote and the informer has not seen yet. A controller that
 * looked at the informer alone would, right after a write, find the world as it was before, and write again.
 *
 * The informer says how far it has come. What was written up to there it has seen, whatever became of it since; what
 * was written later it cannot have seen. So nothing needs to be told to this view but the writes themselves, and it
 * does not matter which comes first, the answer to a write or the change in the informer.
 */
import { type KubeObject, keyOf, type ObjectKey, type Stored } from "@berg/apimachinery";
import { type Clock, timestamp } from "../clock.ts";
import type { Informer } from "./informer.ts";
import { type IndexFunction, Store } from "./store.ts";
import { isOlder } from "./versions.ts";

/** The part of an informer that this stands on. */
export type Cache<T extends KubeObject> = Pick<
  Informer<T>,
  "get" | "list" | "byIndex" | "ensureIndex" | "reached" | "prepare"
>;

// No informer is behind for so long: a watch that says nothing is noticed within 90 s, and replaced. One whose server
// was set back to an earlier state never comes to what was written before, and must not be overruled for ever.
const keptForMs = 5 * 60_000;

interface Deletion {
  at: number;
  timestamp: string;
  isForced: boolean;
}

export class OwnWrites<T extends KubeObject> {
  readonly #cache: Cache<T>;
  readonly #clock: Clock;
  /** What was written, by key, and since when; the oldest first. */
  readonly #written = new Store<T>();
  readonly #writtenAt = new Map<ObjectKey, number>();
  /** What was deleted, by UID; the oldest first. */
  readonly #deleted = new Map<string, Deletion>();
  /** What cannot be there any more, by UID, and since when; the oldest first. */
  readonly #gone = new Map<string, number>();

  constructor(cache: Cache<T>, clock: Clock) {
    this.#cache = cache;
    this.#clock = clock;
  }

  /** To be told of every object that a create, apply, update or patch answered. */
  wrote(object: Stored<T>): void {
    this.#forgetOld();
    const key = keyOf(object);
    this.#gone.delete(object.metadata.uid);
    const known = this.get(key);
    if (known && !isOlder(known.metadata.resourceVersion, object.metadata.resourceVersion)) return;
    this.#writtenAt.delete(key);
    this.#writtenAt.set(key, this.#clock.monotonic());
    // The caller's own stays as it is.
    this.#written.put(this.#cache.prepare(structuredClone(object)));
  }

  /**
   * To be told of every delete that the server accepted. From then on the object shows its deletionTimestamp, and it is
   * gone when the informer says so: finalizers may hold it, and those who wait for its end must not take this for it.
   * `isForced`: without the time that its owner asked for, which the object shows as well.
   */
  deleted(uid: string, isForced = false): void {
    this.#forgetOld();
    const known = this.#deleted.get(uid);
    if (known && (known.isForced || !isForced)) return;
    this.#deleted.delete(uid);
    const since = known?.timestamp ?? timestamp(this.#clock);
    this.#deleted.set(uid, { at: this.#clock.monotonic(), timestamp: since, isForced });
  }

  /** To be told of what is known to be gone for good, such as all that was in a namespace that had to be made anew. */
  gone(uid: string): void {
    this.#forgetOld();
    this.#gone.set(uid, this.#clock.monotonic());
  }

  get(key: ObjectKey): Stored<T> | undefined {
    const object = this.#unseen(key) ?? this.#cache.get(key);
    return object && !this.#isGone(object) ? this.#marked(object) : undefined;
  }

  list(): Stored<T>[] {
    return this.#merged(this.#cache.list(), this.#written.list());
  }

  /** As on the informer; to be named here, too, so that what was written can be found by it. */
  ensureIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#cache.ensureIndex(name, valuesOf);
    this.#written.ensureIndex(name, valuesOf);
  }

  byIndex(name: string, value: string): Stored<T>[] {
    return this.#merged(this.#cache.byIndex(name, value), this.#written.byIndex(name, value));
  }

  #merged(cached: Stored<T>[], written: Stored<T>[]): Stored<T>[] {
    const objects = this.#written.size === 0 ? cached : cached.filter((object) => !this.#unseen(keyOf(object)));
    for (const object of written) if (this.#unseen(keyOf(object))) objects.push(object);
    const left = this.#gone.size === 0 ? objects : objects.filter((object) => !this.#isGone(object));
    return this.#deleted.size === 0 ? left : left.map((object) => this.#marked(object));
  }

  #isGone({ metadata }: Stored<T>): boolean {
    return this.#isRecent(this.#gone.get(metadata.uid));
  }

  /** What was written under this key and the informer has not come to yet. */
  #unseen(key: ObjectKey): Stored<T> | undefined {
    const written = this.#written.get(key);
    if (!written) return undefined;
    const { resourceVersion } = written.metadata;
    const seen = [this.#cache.reached, this.#cache.get(key)?.metadata.resourceVersion];
    const hasSeen = seen.some((version) => version !== undefined && !isOlder(version, resourceVersion));
    if (!hasSeen && this.#isRecent(this.#writtenAt.get(key))) return written;
    this.#forget(written);
    return undefined;
  }

  #marked(object: Stored<T>): Stored<T> {
    const deleted = this.#deleted.get(object.metadata.uid);
    if (!deleted || !this.#isRecent(deleted.at)) return object;
    const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
    const isForced = deleted.isForced && deletionGracePeriodSeconds !== 0;
    if (deletionTimestamp && !isForced) return object;
    const metadata = Object.freeze({
      ...object.metadata,
      deletionTimestamp: deletionTimestamp ?? deleted.timestamp,
      ...(isForced && { deletionGracePeriodSeconds: 0 }),
    });
    return Object.freeze({ ...object, metadata });
  }

  #isRecent(at: number | undefined): boolean {
    return at !== undefined && this.#clock.monotonic() - at < keptForMs;
  }

  /** At each write: so nothing is kept for longer than whoever writes next, and no timer is needed. */
  #forgetOld(): void {
    for (const [uid, { at }] of this.#deleted) {
      if (this.#isRecent(at)) break;
      this.#deleted.delete(uid);
    }
    for (const [uid, at] of this.#gone) {
      if (this.#isRecent(at)) break;
      this.#gone.delete(uid);
    }
    for (const [key, at] of this.#writtenAt) {
      if (this.#isRecent(at)) break;
      this.#forget(this.#written.get(key) as Stored<T>);
    }
  }

  #forget(written: Stored<T>): void {
    this.#written.remove(written);
    this.#writtenAt.delete(keyOf(written));
  }
}
