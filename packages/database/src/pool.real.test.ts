/** What the API relies on when it runs in several replicas on PostgreSQL. */
import { setTimeout as delay } from "node:timers/promises";
import { type Logger, silentLogger, systemClock } from "@berg/kube";
import { missingPostgres, startPostgres, type TestPostgres } from "@berg/test";
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "./database.ts";
import { listen } from "./listen.ts";
import { requestTimeouts } from "./postgres.ts";
import { addNote, type NoteTables, noteIds, noteMigrations } from "./testing/notes.ts";
import { transact } from "./transact.ts";

interface Opened {
  size?: number;
  slowQueryMs?: number;
  more?: Record<string, Migration>;
  log?: Logger;
}

describe.skipIf(missingPostgres())("PostgreSQL", () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.[Symbol.asyncDispose]());

  const open = (database: string, { size = 4, more = {}, ...options }: Opened = {}) =>
    openDatabase<NoteTables>({
      ...{ database, component: "runtime", migrations: { ...noteMigrations, ...more } },
      pool: { size, timeouts: requestTimeouts },
      ...options,
    });
  const nameOf = (url: string) => new URL(url).pathname.slice(1);
  const prepared = async (db: Kysely<NoteTables>) =>
    (await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db)).rows;

  describe("statements", () => {
    test("are prepared once for each connection, and those about tables are not", async () => {
      await using notes = await open(await postgres.newDatabase(), { size: 1 });
      for (const id of ["a", "b", "c"]) await addNote(notes.db, id);
      await sql`create table other (a text)`.execute(notes.db);
      const texts = (await prepared(notes.db)).map(({ statement }) => statement.split(" ")[0]);
      expect(texts).toEqual(["insert", "select"]);
    });

    test("of many texts do not fill the memory of the server", async () => {
      await using notes = await open(await postgres.newDatabase(), { size: 1 });
      for (let count = 1; count <= 600; count++) {
        const ids = Array.from({ length: count }, (_, index) => String(index));
        await notes.db.selectFrom("note").select("id").where("id", "in", ids).execute();
      }
      expect((await prepared(notes.db)).length).toBeLessThanOrEqual(500);
    });

    test("go on when a newer version adds a column, also in a transaction", async () => {
      const database = await postgres.newDatabase();
      await using notes = await open(database, { size: 1 });
      const all = (db: Kysely<NoteTables>) => db.selectFrom("note").selectAll().execute();
      await addNote(notes.db, "a");
      expect(await all(notes.db)).toHaveLength(1);
      const addColumn = (name: string): Migration => ({
        up: async (db) => void (await sql`alter table note add column ${sql.ref(name)} text`.execute(db)),
      });
      const more = { "0002-more": addColumn("more") };
      await using newer = await open(database, { more });
      expect(await all(newer.db)).toHaveLength(1);
      expect(await all(notes.db)).toHaveLength(1);
      await all(notes.db);
      await using newest = await open(database, { more: { ...more, "0003-most": addColumn("most") } });
      await addNote(newest.db, "b");
      const read = await transact(notes.db, async (transaction) => {
        await addNote(transaction, "c");
        return all(transaction);
      });
      expect(read).toHaveLength(3);
    });
  });

  test("a transaction that is part of a deadlock is run again", async () => {
    await using notes = await open(await postgres.newDatabase());
    for (const id of ["a", "b"]) await addNote(notes.db, id);
    const touch = (db: Kysely<NoteTables>, id: string) =>
      db
        .updateTable("note")
        .set((is) => ({ size: is("size", "+", 1) }))
        .where("id", "=", id)
        .execute();
    let waiting = 2;
    const both = Promise.withResolvers<void>();
    const change = (first: string, second: string) =>
      transact(notes.db, async (transaction) => {
        await touch(transaction, first);
        if (--waiting === 0) both.resolve();
        await both.promise;
        await touch(transaction, second);
      });
    await Promise.all([change("a", "b"), change("b", "a")]);
    expect(waiting).toBe(-1);
    const { rows } = await sql<{ size: number }>`select size from note order by id`.execute(notes.db);
    expect(rows).toEqual([{ size: 11 }, { size: 11 }]);
  });

  test("a pool without a free connection fails in time, and tells how it is used", async () => {
    await using notes = await open(await postgres.newDatabase(), { size: 1 });
    const end = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const held = notes.db.transaction().execute(async () => {
      entered.resolve();
      await end.promise;
    });
    await entered.promise;
    const read = noteIds(notes.db);
    await expect.poll(() => notes.poolUsage()).toEqual({ inUse: 1, waiting: 1 });
    await expect(read).rejects.toMatchObject({ isUnavailable: true });
    end.resolve();
    await held;
    expect(await noteIds(notes.db)).toEqual([]);
    expect(notes.poolUsage()).toEqual({ inUse: 0, waiting: 0 });
  });

  test("a statement that takes too long is ended by the server", async () => {
    await using notes = await open(await postgres.newDatabase());
    const { rows } = await sql<{ of: string }>`select current_setting('statement_timeout') as of`.execute(notes.db);
    expect(rows).toEqual([{ of: "5s" }]);
  });

  test("a server that became read-only is left for the one that is not", async () => {
    const database = await postgres.newDatabase();
    await using notes = await open(database, { size: 1 });
    await sql`set default_transaction_read_only = on`.execute(notes.db);
    await expect(addNote(notes.db, "a")).rejects.toMatchObject({ code: "25006", isUnavailable: true });
    await addNote(notes.db, "a");
    expect(await noteIds(notes.db)).toEqual(["a"]);
  });

  test("one failed write is enough to leave a read-only server, however many connections there are", async () => {
    const database = await postgres.newDatabase();
    await using notes = await open(database, { size: 4 });
    const set = (value: string) =>
      postgres.query("postgres", `alter database ${nameOf(database)} set default_transaction_read_only = ${value}`);
    await set("on");
    const slow = () => sql`select pg_sleep(0.2)`.execute(notes.db);
    await Promise.all([slow(), slow(), slow(), slow()]);
    await set("off");
    await expect(addNote(notes.db, "a")).rejects.toMatchObject({ code: "25006", isUnavailable: true });
    // Those that were idle are closed by now or soon: the others are not theirs.
    await slow();
    for (const id of ["b", "c", "d", "e"]) await addNote(notes.db, id);
    expect(await noteIds(notes.db)).toEqual(["b", "c", "d", "e"]);
  });

  test("slow queries are logged without their values", async () => {
    const lines: string[] = [];
    const warn = (fields: object, text: string) => void lines.push(JSON.stringify({ ...fields, text }));
    const log = { ...silentLogger, warn };
    await using notes = await open(await postgres.newDatabase(), { slowQueryMs: 100, log });
    await sql`select pg_sleep(0.15), ${"secret"}::text`.execute(notes.db);
    await addNote(notes.db, "secret");
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ text: "slow query", sql: "select pg_sleep(0.15), $1::text" });
    expect(lines.join()).not.toContain("secret");
  });

  test("notifications arrive, and again after the connection was lost", async () => {
    const database = await postgres.newDatabase();
    await using notes = await open(database);
    const received: string[] = [];
    let connects = 0;
    await using _ = listen({
      ...{ address: notes.address, channel: "notes", clock: systemClock, log: silentLogger },
      onConnect: () => connects++,
      onMessage: (payload) => received.push(payload),
    });
    const notify = (payload: string) => sql`select pg_notify('notes', ${payload})`.execute(notes.db);
    await expect.poll(() => connects).toBe(1);
    await notify("a");
    await expect.poll(() => received).toEqual(["a"]);
    const listening = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'berg-listen'";
    await postgres.query(nameOf(database), listening);
    await expect.poll(() => connects, { timeout: 20_000 }).toBe(2);
    await notify("b");
    await expect.poll(() => received).toEqual(["a", "b"]);
    await postgres.stop();
    await delay(700);
    await postgres.start();
    await expect.poll(() => connects, { timeout: 20_000 }).toBe(3);
    await expect
      .poll(
        () =>
          notify("c").then(
            () => received.includes("c"),
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true);
  });
});
