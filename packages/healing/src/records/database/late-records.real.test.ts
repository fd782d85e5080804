/** A PostgreSQL that is down when records are opened, or does not let us in. */
import { silentLogger, systemClock } from "@berg/kube";
import { missingPostgres, startPostgres } from "@berg/test";
import { describe, expect, test, vi } from "vitest";
import { lifeNumber } from "../testing/place.ts";
import { openDatabaseRecords } from "./database-records.ts";
import { LateRecords } from "./late-records.ts";

describe.skipIf(missingPostgres())("records in a PostgreSQL that cannot be used yet", () => {
  const late = (database: string, lines: string[]) => {
    const log = { ...silentLogger, warn: (fields: object) => void lines.push(JSON.stringify(fields)) };
    const options = { clock: systemClock, log, stop: new AbortController().signal };
    return new LateRecords(() => openDatabaseRecords({ database }), options);
  };

  test("are kept as soon as it runs; until then it is told why not, without the password", async () => {
    await using postgres = await startPostgres();
    const database = await postgres.newDatabase();
    await postgres.stop();
    const lines: string[] = [];
    await using records = late(database, lines);
    const written = records.live(lifeNumber(1));
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0), { timeout: 20_000 });
    expect(lines.join()).toContain("nothing listens there");
    await postgres.start();
    await written;
    expect(await records.open()).toHaveLength(1);
    expect(lines.join()).not.toContain(postgres.password);
  }, 120_000);

  test("wait while the password is wrong; it is told what to do, without the password", async () => {
    await using postgres = await startPostgres();
    const database = await postgres.newDatabase();
    await postgres.query("postgres", "alter user berg password 'another'");
    const lines: string[] = [];
    await using records = late(database, lines);
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0), { timeout: 20_000 });
    expect(lines.join()).toContain("check the user and the password of DATABASE_URL");
    expect(lines.join()).not.toContain(postgres.password);
    expect(records.isOpen).toBe(false);
  }, 120_000);
});
