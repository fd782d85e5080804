import { once } from "node:events";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DatabaseError } from "./database-error.ts";
import { migrate, noLock } from "./migrate.ts";
import { sqliteDialect } from "./sqlite.ts";
import { addNote, type NoteTables, noteIds, noteMigrations, openNotes, openTeams } from "./testing/notes.ts";

/** In a thread of its own, since a thread that waits for SQLite is blocked. */
const writeForAWhile = `
  const { parentPort, workerData } = require("node:worker_threads");
  const db = new (require("node:sqlite").DatabaseSync)(workerData);
  db.exec("begin immediate");
  parentPort.postMessage("begun");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  db.exec("commit");
`;

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "berg-database-"));
  file = join(folder, "deep", "notes.db");
});

afterEach(() => rm(folder, { recursive: true }));

const open = () => openNotes(file);
const failure = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(DatabaseError);
  return error as DatabaseError;
};

describe("a SQLite file", () => {
  test("is created with its directory, and keeps its rows", async () => {
    {
      await using database = await open();
      expect(database.address).toMatchObject({ kind: "sqlite", path: file });
      await addNote(database.db, "a");
    }
    await using database = await open();
    expect(await noteIds(database.db)).toEqual(["a"]);
  });

  test("can be read while another process writes to it", async () => {
    await using database = await open();
    await addNote(database.db, "a");
    const other = new DatabaseSync(file);
    other.exec("begin immediate; delete from note");
    expect(await noteIds(database.db)).toEqual(["a"]);
    other.close();
    await addNote(database.db, "b");
  });

  test("can be written to while another process reads it", async () => {
    await using database = await open();
    const other = new DatabaseSync(file);
    other.exec("begin; select * from note");
    await addNote(database.db, "a");
    other.close();
    expect(await noteIds(database.db)).toEqual(["a"]);
  });

  test("is waited for while another process writes to it", async () => {
    await using database = await open();
    const other = new Worker(writeForAWhile, { eval: true, workerData: file });
    const ended = once(other, "exit");
    await once(other, "message");
    await addNote(database.db, "a");
    expect(await noteIds(database.db)).toEqual(["a"]);
    await ended;
  });

  test("in memory belongs to one handle", async () => {
    await using one = await openNotes(":memory:");
    await using two = await openNotes(":memory:");
    await addNote(one.db, "a");
    expect([await noteIds(one.db), await noteIds(two.db)]).toEqual([["a"], []]);
  });

  test.each([
    ["normal", 1],
    ["full", 2],
  ] as const)("has a write-ahead log, and synchronous = %s", async (synchronous, want) => {
    await using database = await openNotes(file, { synchronous });
    const { rows } = await sql`pragma synchronous`.execute(database.db);
    expect(rows).toEqual([{ synchronous: want }]);
    expect((await sql`pragma journal_mode`.execute(database.db)).rows).toEqual([{ journal_mode: "wal" }]);
  });

  test("is synchronous = normal by default", async () => {
    await using database = await open();
    expect((await sql`pragma synchronous`.execute(database.db)).rows).toEqual([{ synchronous: 1 }]);
  });
});

describe("a transaction on a SQLite file", () => {
  test("holds the write lock from its start", async () => {
    await using database = await open();
    const other = new DatabaseSync(file, { timeout: 0 });
    await database.db.transaction().execute(async () => {
      expect(() => other.exec("begin immediate")).toThrow("database is locked");
    });
    other.close();
  });

  test("is rolled back by an error of the application, which stays as it is", async () => {
    await using database = await open();
    const problem = new Error("no such team");
    const transaction = database.db.transaction().execute(async (transaction) => {
      await addNote(transaction, "a");
      throw problem;
    });
    await expect(transaction).rejects.toBe(problem);
    expect(await noteIds(database.db)).toEqual([]);
    await addNote(database.db, "b");
  });

  test("reports the error that made SQLite roll back by itself", async () => {
    await using database = await open();
    await sql`pragma max_page_count = 20`.execute(database.db);
    const error = await failure(
      database.db.transaction().execute((transaction) => addNote(transaction, "a", "x".repeat(1_000_000))),
    );
    expect(error).toMatchObject({ code: "SQLITE 13", isUnavailable: true });
    await addNote(database.db, "b");
  });

  test("lets other handles of the process wait with their writes, and read meanwhile", async () => {
    await using one = await open();
    await symlink(join(folder, "deep"), join(folder, "link"));
    await using two = await openNotes(join(folder, "link", "notes.db"));
    const [entered, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = one.db.transaction().execute(async (transaction) => {
      await addNote(transaction, "a");
      entered.resolve();
      await leave.promise;
      await addNote(transaction, "b");
    });
    await entered.promise;
    expect(await noteIds(two.db)).toEqual([]);
    const write = addNote(two.db, "c");
    // Without the lock, the write blocks the process in SQLite for 5 s and fails.
    setTimeout(() => leave.resolve(), 10);
    await Promise.all([first, write]);
    const transactions = [one, two, one, two].map(({ db }, index) =>
      db.transaction().execute(async (transaction) => {
        await addNote(transaction, `d${index}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }),
    );
    await Promise.all(transactions);
    expect(await noteIds(one.db)).toEqual(["a", "b", "c", "d0", "d1", "d2", "d3"]);
  });

  test("that cannot start does not keep other handles of the process from writing", async () => {
    await using one = await open();
    await using two = await open();
    await sql`pragma busy_timeout = 0`.execute(one.db);
    const other = new DatabaseSync(file);
    other.exec("begin immediate");
    const error = await failure(one.db.transaction().execute(async () => {}));
    expect(error).toMatchObject({ code: "SQLITE 5", isUnavailable: true });
    other.close();
    await addNote(two.db, "a");
  });
});

describe("an error of a SQLite file", () => {
  test("names the file and what was done", async () => {
    await using database = await open();
    await sql`drop table note`.execute(database.db);
    const read = await failure(noteIds(database.db));
    expect(read.message).toBe(`cannot read the database file ${file}: no such table: note`);
    const write = await failure(addNote(database.db, "a"));
    expect(write.message).toBe(`cannot write to the database file ${file}: no such table: note`);
  });

  test("is a unique violation for a primary key and for a unique column", async () => {
    await using database = await open();
    await addNote(database.db, "a", "text");
    const [key, column] = [await failure(addNote(database.db, "a")), await failure(addNote(database.db, "b", "text"))];
    expect([key.isUniqueViolation, column.isUniqueViolation]).toEqual([true, true]);
    expect([key.isUnavailable, column.isUnavailable]).toEqual([false, false]);
  });

  test("is not thrown for an aborted signal: its reason is", async () => {
    await using database = await open();
    const reason = new Error("too late");
    const query = database.db.selectFrom("note").selectAll();
    await expect(query.execute({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test("says that the file is something else", async () => {
    const text = join(folder, "notes.txt");
    await writeFile(text, "no database, and long enough for SQLite to search it for one".repeat(100));
    const { message } = await failure(openNotes(text));
    expect(message).toBe(
      `cannot open the database file ${text}: file is not a database ` +
        "(it is not a SQLite file; move it away to start with an empty one)",
    );
  });

  test("says that its directory cannot be created", async () => {
    const text = join(folder, "notes.txt");
    await writeFile(text, "");
    const { message } = await failure(openNotes(join(text, "notes.db")));
    expect(message).toContain(`cannot open the database file ${join(text, "notes.db")}: E`);
  });
});

describe("migrations of a SQLite file", () => {
  const connect = () => new Kysely<NoteTables>({ dialect: sqliteDialect(file) });
  const apply = (db: Kysely<NoteTables>, more: Record<string, Migration> = {}) =>
    migrate(db, { component: "runtime", migrations: { ...noteMigrations, ...more }, lock: noLock });
  const tableNames = async (db: Kysely<NoteTables>) => (await db.introspection.getTables()).map(({ name }) => name);
  const broken: Migration = {
    async up(db) {
      await db.schema.createTable("half").addColumn("a", "text").execute();
      throw new Error("the second half fails");
    },
  };

  test("that fail leave nothing behind, and can be retried", async () => {
    await using db = connect();
    await expect(apply(db, { "9999-broken": broken })).rejects.toThrow("the second half fails");
    expect(await tableNames(db)).toEqual([]);
    await apply(db);
    expect(await tableNames(db)).toContain("note");
  });

  test("of a newer version do not prevent an older one from opening it", async () => {
    await using db = connect();
    await apply(db, { "9999-more": { up: async () => {} } });
    await using database = await open();
    await addNote(database.db, "a");
    expect(await noteIds(database.db)).toEqual(["a"]);
  });

  test("need no lock if all are applied", async () => {
    await using first = await open();
    await addNote(first.db, "a");
    const other = new DatabaseSync(file);
    other.exec("begin immediate");
    await using second = await open();
    expect(await noteIds(second.db)).toEqual(["a"]);
    other.close();
  });

  test("of two components, opened at the same time, are kept apart", async () => {
    const [notes, teams] = await Promise.all([open(), openTeams(file)]);
    const tables = [
      "api_migration",
      "api_migration_lock",
      "note",
      "runtime_migration",
      "runtime_migration_lock",
      "team",
    ];
    const { rows } = await sql<{
      name: string;
    }>`select name from sqlite_schema where type = 'table' order by name`.execute(notes.db);
    expect(rows.map(({ name }) => name)).toEqual(tables);
    await teams[Symbol.asyncDispose]();
    await notes[Symbol.asyncDispose]();
    await using again = await openTeams(file);
    expect(await again.db.selectFrom("team").selectAll().execute()).toEqual([]);
  });
});
