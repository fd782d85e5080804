/** What the tests of storage share. */
import { type KubeObject, makeKey } from "@berg/apimachinery";
import { type Disk, DiskError, type DiskWrite, noDisk } from "./disk.ts";
import type { Cursor, HistoryEvent, Listed } from "./table.ts";

export interface Note extends KubeObject {
  text: string;
}

export function note(namespace: string, name: string, text = ""): Note {
  return {
    apiVersion: "v1",
    kind: "Note",
    metadata: { name, namespace, uid: `uid-${name}` } as Note["metadata"],
    text,
  };
}

/** `ctf/web=hello`, as a test can compare it. */
export function show(object: KubeObject): string {
  return `${makeKey(object.metadata.namespace, object.metadata.name)}=${(object as Note).text}`;
}

export function shown({ items }: Listed): string[] {
  return items.map(show);
}

export function showEvent(event: HistoryEvent): string {
  return `${event.type} ${show(event.object)}`;
}

/** All that can be read without waiting. */
export function drain(cursor: Cursor): HistoryEvent[] {
  const events: HistoryEvent[] = [];
  for (let event = cursor.next(); event; event = cursor.next()) events.push(event);
  return events;
}

/** A commit that the disk has not answered yet. */
export interface HeldCommit {
  writes: readonly DiskWrite[];
  succeed(): void;
  fail(why: string): void;
}

/** A disk that answers each commit when a test says so. */
export class HeldDisk implements Disk {
  readonly open = noDisk.open;
  readonly load = noDisk.load;
  closedAt: number | undefined;
  commits = 0;
  #next = Promise.withResolvers<HeldCommit>();

  commit(writes: readonly DiskWrite[]): Promise<void> {
    this.commits++;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#next.resolve({ writes, succeed: resolve, fail: (why) => reject(new DiskError(why)) });
    return promise;
  }

  async close(revision: number): Promise<void> {
    this.closedAt = revision;
  }

  /** The next commit, when it comes. */
  async held(): Promise<HeldCommit> {
    const commit = await this.#next.promise;
    this.#next = Promise.withResolvers();
    return commit;
  }

  async succeed(): Promise<void> {
    (await this.held()).succeed();
  }

  async fail(why: string): Promise<void> {
    (await this.held()).fail(why);
  }
}
