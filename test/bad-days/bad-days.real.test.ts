/** The shortest of the bad days; `npm run test:bad-days` runs them all. */
import { expect, test } from "vitest";
import { missingPostgres } from "../postgres/missing.ts";
import { runDays } from "./run.ts";

test.skipIf(missingPostgres())(
  "two replicas without a database, and without notifications, lose nothing",
  async () => {
    const names = ["database: refuses connections", "notifications lost"];
    const results = await runDays({ names, isQuick: true, say: () => {} });
    expect(results.map(({ name, broken }) => ({ name, broken }))).toEqual(names.map((name) => ({ name, broken: [] })));
    expect(results[0]?.outcomes["503 database_unavailable"]).toBeGreaterThan(10);
  },
  300_000,
);
