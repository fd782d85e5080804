import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lifeNumber, type Place } from "../testing/place.ts";
import { shareRecords } from "../testing/processes.ts";
import { recordsSuite } from "../testing/suite.ts";
import { openDatabaseRecords } from "./database-records.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import type { Tables } from "./schema.ts";
import { sqliteDialect } from "./sqlite.ts";

/** A thread of its own: whoever waits for SQLite does nothing else meanwhile. */
const writeForAWhile = `
  const { parentPort, workerData } = require("node:worker_threads");
  const db = new (require("node:sqlite").DatabaseSync)(workerData);
  db.exec("begin immediate");
  parentPort.postMessage("begun");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  db.exec("commit");
`;

async function startPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "berg-records-"));
  let lives = 0;
  return {
    open: () => openDatabaseRecords({ database: join(folder, "records.db") }),
    newLife: async () => lifeNumber(++lives),
    allSeen: async () => {},
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

describe("records in a SQLite file", () => {
  recordsSuite(startPlace, { runs: 60 });
});

describe("a SQLite file", () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "berg-records-"));
    file = join(folder, "deep", "records.db");
  });

  afterEach(() => rm(folder, { recursive: true }));

  const open = () => openDatabaseRecords({ database: file });

  test("is made by several processes at once, and shared by them, though one is killed", async () => {
    await shareRecords(file, 3, open);
  }, 120_000);

  test("still has the records when it is opened again", async () => {
    const life = lifeNumber(1);
    {
      await using records = await open();
      await records.live(life);
    }
    await using records = await open();
    expect(await records.open()).toEqual([{ ...life, pods: {} }]);
  });

  test("can be read while another process writes to it", async () => {
    await using records = await open();
    await records.live(lifeNumber(1));
    const other = new DatabaseSync(file);
    other.exec("begin immediate; delete from runtime_record");
    expect(await records.open()).toHaveLength(1);
    other.close();
    expect(await records.stop(lifeNumber(1).uid, 1)).toBe(true);
  });

  test("can be written to while another process reads it", async () => {
    await using records = await open();
    await records.live(lifeNumber(1));
    const other = new DatabaseSync(file);
    other.exec("begin; select * from runtime_record");
    expect(await records.stop(lifeNumber(1).uid, 1)).toBe(true);
    other.close();
  });

  test("is waited for while another process writes to it", async () => {
    await using records = await open();
    const other = new Worker(writeForAWhile, { eval: true, workerData: file });
    const ended = once(other, "exit");
    await once(other, "message");
    await records.live(lifeNumber(1));
    expect(await records.open()).toHaveLength(1);
    await ended;
  });

  test("in memory is one's own", async () => {
    await using one = await openDatabaseRecords({ database: ":memory:" });
    await using two = await openDatabaseRecords({ database: ":memory:" });
    await one.live(lifeNumber(1));
    expect([(await one.open()).length, (await two.open()).length]).toEqual([1, 0]);
  });

  describe("that cannot be used is refused with its name and what to do", () => {
    test("because it is something else", async () => {
      const text = join(folder, "notes.txt");
      await writeFile(text, "no database, and long enough for one to be looked for in it".repeat(100));
      await expect(openDatabaseRecords({ database: text })).rejects.toThrow(
        `cannot open the database file ${text}: file is not a database (it is not a SQLite file; move it away to start anew)`,
      );
    });

    test("because its directory cannot be made", async () => {
      const text = join(folder, "notes.txt");
      await writeFile(text, "");
      await chmod(text, 0o600);
      await expect(openDatabaseRecords({ database: join(text, "records.db") })).rejects.toThrow(
        `cannot open the database file ${join(text, "records.db")}: E`,
      );
    });
  });

  describe("migrations of it", () => {
    const connect = () => new Kysely<Tables>({ dialect: sqliteDialect(file) });
    const noLock = async () => {};
    const broken: Migration = {
      async up(db) {
        await db.schema.createTable("half").addColumn("a", "text").execute();
        throw new Error("the second half fails");
      },
    };

    test("that fail leave nothing behind, and can be tried again", async () => {
      await using db = connect();
      const to = { ...migrations, "9999-broken": broken };
      await expect(migrate(db, noLock, to)).rejects.toThrow("the second half fails");
      expect(await db.introspection.getTables()).toEqual([]);
      await migrate(db, noLock);
      const names = (await db.introspection.getTables()).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["runtime_record", "runtime_pod"]));
    });

    test("that a newer version has made do not keep this one from it", async () => {
      await using db = connect();
      await migrate(db, noLock, { ...migrations, "9999-more": { up: async () => {} } });
      await using records = await open();
      await records.live(lifeNumber(1));
      expect(await records.open()).toHaveLength(1);
    });

    test("wait for nobody where there is nothing to do", async () => {
      await using first = await open();
      await first.live(lifeNumber(1));
      const other = new DatabaseSync(file);
      other.exec("begin immediate");
      await using second = await open();
      expect(await second.open()).toHaveLength(1);
      other.close();
    });
  });
});
