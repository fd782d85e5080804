/**
 * The SQLite file: one row an object, as JSON text, and one row for the revision. Everything here waits for the disk,
 * so it runs on a thread of its own (disk-thread.ts).
 *
 * A COMMIT returns when the write-ahead log is synced. The log is copied into the file every 1,000 pages, which takes
 * milliseconds since nobody else reads it. The lock is held as long as the file is open, so there is one writer ever.
 */
import { closeSync, openSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { DiskError, type DiskObject, type DiskWrite, firstRevision } from "./disk.ts";
import { lockHolder } from "./lock-holder.ts";

const format = 1;
const rowsAtOnce = 500;

// More than are ever on their way to disk at one moment. What was there when the process was killed may have been told
// to somebody, as the answer to a dry run or in a log, and must not come to mean something else.
const revisionsToSkip = 1_000_000;

const shape = `
  CREATE TABLE objects (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (kind, key));
  CREATE TABLE state (revision INTEGER NOT NULL, isClosed INTEGER NOT NULL);
  INSERT INTO state VALUES (${firstRevision}, 1);
  PRAGMA user_version = ${format};
`;

/** What is wrong, by SQLite's primary result code, and what to do. */
const problems: Record<number, string> = {
  8: "it may not be written to",
  11: "it is damaged; move it away to start anew, or put a copy of it back",
  13: "the disk is full; make room, and try again",
  14: "it cannot be opened; see that its directory is there and may be written to",
  26: "it is not a SQLite file; move it away to start anew",
};

const isLocked = 5;

function lockedText(file: string): string {
  return `it is in use by ${lockHolder(file)}; stop that one, or use another data directory`;
}

export class Database {
  readonly #file: string;
  readonly #db: DatabaseSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #setState: StatementSync;

  constructor(file: string) {
    this.#file = file;
    this.#db = this.#saying("cannot open", () => {
      ownerOnly(file);
      return new DatabaseSync(file);
    });
    try {
      this.#saying("cannot open", () => this.#prepareFile());
      this.#put = this.#db.prepare(
        "INSERT INTO objects (kind, key, value) VALUES (?, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value",
      );
      this.#remove = this.#db.prepare("DELETE FROM objects WHERE kind = ? AND key = ?");
      this.#setState = this.#db.prepare("UPDATE state SET revision = ?, isClosed = ?");
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** The revision from which to go on. */
  begin(): number {
    return this.#saying("cannot write to", () => {
      const state = this.#db.prepare("SELECT revision, isClosed FROM state").get() as {
        revision: number;
        isClosed: number;
      };
      const revision = state.isClosed ? state.revision : state.revision + revisionsToSkip;
      this.#setState.run(revision, 0);
      return revision;
    });
  }

  /** Some of the objects whose row comes after `id`, and the id of the last of them. */
  load(id: number): { objects: DiskObject[]; last: number } {
    return this.#saying("cannot read", () => {
      const select = this.#db.prepare("SELECT id, kind, key, value FROM objects WHERE id > ? ORDER BY id LIMIT ?");
      select.setReturnArrays(true);
      const rows = select.all(id, rowsAtOnce) as unknown as [number, string, string, string][];
      const objects = rows.map(([, table, key, text]) => ({ table, key, text }));
      return { objects, last: rows.at(-1)?.[0] ?? 0 };
    });
  }

  commit(writes: readonly DiskWrite[], revision: number): void {
    this.#saying("cannot write to", () =>
      this.#transaction(() => {
        for (const { table, key, text } of writes) {
          if (text === undefined) this.#remove.run(table, key);
          else this.#put.run(table, key, text);
        }
        this.#setState.run(revision, 0);
      }),
    );
  }

  close(revision: number): void {
    try {
      this.#saying("cannot write to", () => this.#setState.run(revision, 1));
    } finally {
      this.#db.close();
    }
  }

  #prepareFile(): void {
    this.#db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    this.#transaction(() => {
      const { user_version: found } = this.#db.prepare("PRAGMA user_version").get() as { user_version: number };
      const isEmpty = this.#db.prepare("SELECT 1 FROM sqlite_schema").get() === undefined;
      if (isEmpty) this.#db.exec(shape);
      else if (found !== format) {
        const remedy = "use the version that made it, or another data directory";
        throw new DiskError(
          `cannot open ${this.#file}: it has format ${found}, and this version knows only ${format}; ${remedy}`,
        );
      }
    });
  }

  #transaction(work: () => void): void {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#db.exec("COMMIT");
    } catch (error) {
      // After some errors, such as a full disk, SQLite has rolled back by itself.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  #saying<T>(what: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof DiskError) throw error;
      const { errcode, message } = error as { errcode?: number; message: string };
      const code = (errcode ?? 0) & 0xff;
      const problem = code === isLocked ? lockedText(this.#file) : (problems[code] ?? "the disk failed");
      throw new DiskError(`${what} ${this.#file}: ${problem} (${message})`);
    }
  }
}

/** Secrets are in it. An existing file is left alone: closing it here would let go of a lock that this process holds. */
function ownerOnly(file: string): void {
  try {
    closeSync(openSync(file, "ax", 0o600));
  } catch {
    // It is there already, or it cannot be made: then SQLite says so.
  }
}
