import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lifeNumber, type Place } from "../testing/place.ts";
import { shareRecords } from "../testing/processes.ts";
import { recordsSuite } from "../testing/suite.ts";
import { openDatabaseRecords } from "./database-records.ts";

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

describe("a SQLite file of records", () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "berg-records-"));
    file = join(folder, "deep", "records.db");
  });

  afterEach(() => rm(folder, { recursive: true }));

  const open = () => openDatabaseRecords({ database: file });

  test("is created and shared by several processes, one of which is killed", async () => {
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

  test("has the table names of released versions", async () => {
    await using _records = await open();
    const db = new DatabaseSync(file, { readOnly: true });
    const tables = db.prepare("select name from sqlite_schema where type = 'table' order by name").all();
    db.close();
    const want = ["runtime_migration", "runtime_migration_lock", "runtime_pod", "runtime_record"];
    expect(tables.map(({ name }) => name)).toEqual(want);
  });
});
