/** Where objects are kept over restarts. One request at a time: the next commit is made of what gathered meanwhile. */
import type { ObjectKey } from "@berg/apimachinery";

/** One write. Without a text the object is gone. */
export interface DiskWrite {
  table: string;
  key: ObjectKey;
  text: string | undefined;
}

/** An object as it was found. */
export interface DiskObject {
  table: string;
  key: ObjectKey;
  text: string;
}

export interface Disk {
  /** Begins. Returns the revision from which to go on, which is beyond all that anybody was ever told. */
  open(): Promise<number>;
  /** All objects, some at a time. */
  load(): AsyncIterable<readonly DiskObject[]>;
  /** Resolves when all of it is on disk. Rejects with a `DiskError` when none of it is. */
  commit(writes: readonly DiskWrite[], revision: number): Promise<void>;
  /** `revision`: the last that was given to anything, on disk or not. */
  close(revision: number): Promise<void>;
}

/** The disk did not do what was asked. */
export class DiskError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DiskError";
  }
}

// Not 0: to clients that means any revision.
export const firstRevision = 1;

/** Keeps nothing. */
export const noDisk: Disk = {
  open: async () => firstRevision,
  async *load() {},
  commit: async () => {},
  close: async () => {},
};
