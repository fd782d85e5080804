import { missingPostgres, startPostgres, type TestPostgres } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lifeNumber, type Place } from "../testing/place.ts";
import { shareRecords } from "../testing/processes.ts";
import { recordsSuite } from "../testing/suite.ts";
import { openDatabaseRecords } from "./database-records.ts";

const open = (database: string) => openDatabaseRecords({ database });

describe.skipIf(missingPostgres())("records in PostgreSQL", () => {
  let postgres: TestPostgres;

  beforeAll(async () => {
    postgres = await startPostgres();
  });

  afterAll(() => postgres?.[Symbol.asyncDispose]());

  recordsSuite(
    async (): Promise<Place> => {
      const database = await postgres.newDatabase();
      let lives = 0;
      return {
        open: () => open(database),
        newLife: async () => lifeNumber(++lives),
        allSeen: async () => {},
        [Symbol.asyncDispose]: async () => {},
      };
    },
    { runs: 20 },
  );

  test("are created and shared by ten processes, one of which is killed", async () => {
    const database = await postgres.newDatabase();
    await shareRecords(database, 10, () => open(database));
  }, 300_000);

  test("are created and shared by ten pools of one process", async () => {
    const database = await postgres.newDatabase();
    const all = await Promise.all(Array.from({ length: 10 }, () => open(database)));
    await Promise.all(all.map((records, index) => records.live(lifeNumber(index))));
    expect(await all[0]?.open()).toHaveLength(10);
    await Promise.all(all.map((records) => records[Symbol.asyncDispose]()));
  });

  test("have the table names of released versions", async () => {
    await using _records = await open(await postgres.newDatabase("named"));
    const names = "select string_agg(tablename, ' ' order by tablename) from pg_tables where schemaname = 'public'";
    expect(await postgres.query("named", names)).toBe(
      "runtime_migration runtime_migration_lock runtime_pod runtime_record",
    );
  });
});
