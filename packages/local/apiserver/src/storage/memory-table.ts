/** The objects of one kind: those on disk, which all may read, and over them those on their way there. */
import { type KubeObject, keyOf, type ObjectKey, splitKey } from "@berg/apimachinery";
import { TableCursor } from "./cursor.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { History, type HistoryLimits, RecordedEvent } from "./history.ts";
import { checkSize } from "./largest-object.ts";
import { SortedObjects } from "./sorted-objects.ts";
import type { AnyStored, Cursor, Listed, Table } from "./table.ts";

/** A write on its way to disk. */
export interface Write {
  table: MemoryTable;
  key: ObjectKey;
  event: RecordedEvent;
  /** What goes to disk; undefined where the object goes. */
  text: string | undefined;
}

/** What a table needs of the store that it is in. */
export interface Surroundings {
  readonly revision: number;
  /** The revision of the next write. */
  readonly nextRevision: number;
  /** Takes that revision. Resolves when the write is on disk and published. */
  write(write: Write): Promise<AnyStored>;
}

export class MemoryTable implements Table {
  readonly name: string;
  readonly history: History;
  readonly #store: Surroundings;
  readonly #onDisk = new SortedObjects();
  /** The last write of each key that is not on disk yet. */
  readonly #underWay = new Map<ObjectKey, RecordedEvent>();

  constructor(name: string, store: Surroundings, oldest: number, limits: HistoryLimits) {
    this.name = name;
    this.#store = store;
    this.history = new History(oldest, limits);
  }

  get size(): number {
    return this.#onDisk.size;
  }

  get(key: ObjectKey): AnyStored | undefined {
    return this.#onDisk.get(key);
  }

  newest(key: ObjectKey): AnyStored | undefined {
    const event = this.#underWay.get(key);
    return event ? whatIsLeftBy(event) : this.#onDisk.get(key);
  }

  *newestAll(namespace?: string): Iterable<AnyStored> {
    const isHidden = this.#underWay.size > 0;
    for (const object of this.#onDisk.list(namespace)) {
      if (!isHidden || !this.#underWay.has(keyOf(object))) yield object;
    }
    for (const [key, event] of this.#underWay) {
      const object = isIn(key, namespace) ? whatIsLeftBy(event) : undefined;
      if (object) yield object;
    }
  }

  list(namespace?: string): Listed {
    return { revision: this.#store.revision, items: this.#onDisk.list(namespace) };
  }

  /** What is there now, with everything that happened since taken back. */
  listAt(revision: number, namespace?: string): Listed {
    if (revision > this.#store.revision) {
      throw new RangeError(`revision ${revision} is still to come, this is ${this.#store.revision}`);
    }
    const before = new Map<ObjectKey, AnyStored | undefined>();
    for (const event of this.history.since(revision)) before.set(keyOf(event.object), event.previous);
    if (before.size === 0) return { revision, items: this.#onDisk.list(namespace) };
    const then = this.#onDisk.copy();
    for (const [key, object] of before) {
      if (object) then.set(key, object);
      else then.delete(key);
    }
    return { revision, items: then.list(namespace) };
  }

  async put(object: KubeObject): Promise<AnyStored> {
    const key = keyOf(object);
    const previous = this.newest(key);
    const revision = this.#store.nextRevision;
    const stored = withRevision(object, revision);
    const event = new RecordedEvent(previous ? "MODIFIED" : "ADDED", revision, stored, previous);
    const text = JSON.stringify(stored);
    checkSize(text);
    return this.#write(key, event, text);
  }

  async remove(key: ObjectKey, last: AnyStored): Promise<AnyStored> {
    const previous = this.newest(key);
    if (!previous) throw new Error(`cannot remove ${key} from ${this.name}: it is not there`);
    const revision = this.#store.nextRevision;
    const event = new RecordedEvent("DELETED", revision, withRevision(last, revision), previous);
    return this.#write(key, event, undefined);
  }

  watch(revision: number): Cursor {
    return new TableCursor(this.history, revision, () => this.#store.revision);
  }

  /** Puts in what was found on disk at the start. */
  load(object: AnyStored): void {
    this.#onDisk.set(keyOf(object), deepFreeze(object));
  }

  /** The write is on disk. */
  publish({ key, event }: Write, now: number): void {
    if (event.type === "DELETED") this.#onDisk.delete(key);
    else this.#onDisk.set(key, event.object);
    if (this.#underWay.get(key) === event) this.#underWay.delete(key);
    this.history.append(event, now);
  }

  /** What was under way did not come to the disk. */
  takeBack(): void {
    this.#underWay.clear();
  }

  #write(key: ObjectKey, event: RecordedEvent, text: string | undefined): Promise<AnyStored> {
    const written = this.#store.write({ table: this, key, event, text });
    this.#underWay.set(key, event);
    return written;
  }
}

function whatIsLeftBy(event: RecordedEvent): AnyStored | undefined {
  return event.type === "DELETED" ? undefined : event.object;
}

function isIn(key: ObjectKey, namespace: string | undefined): boolean {
  return !namespace || splitKey(key).namespace === namespace;
}

function withRevision(object: KubeObject, revision: number): AnyStored {
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  return deepFreeze({ ...object, metadata } as AnyStored);
}
