/** On PostgreSQL, where workers of several replicas run at the same time. */
import { missingPostgres, startPostgres, type TestPostgres } from "@berg/test";
import { afterAll, beforeAll, describe } from "vitest";
import { describeOutbox } from "../testing/outbox-suite.ts";

describe.skipIf(missingPostgres())("PostgreSQL", () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.[Symbol.asyncDispose]());

  describeOutbox("the outbox on PostgreSQL", () => postgres.newDatabase());
});
