/** Every test of the API that needs a database, again on PostgreSQL. */
import { missingPostgres, startPostgres, type TestPostgres } from "@berg/test";
import { afterAll, beforeAll, describe } from "vitest";
import { useTestDatabases } from "./testing/test-database.ts";

describe.skipIf(missingPostgres())("on PostgreSQL", async () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
    useTestDatabases(() => postgres.newDatabase());
  });
  afterAll(() => postgres?.[Symbol.asyncDispose]());

  describe("accounts of the command line", () => import("./admin-socket/admin-socket.test.ts").then(() => {}));
  describe("migrations", () => import("./database/migrations.test.ts").then(() => {}));
  describe("live messages", () => import("./events/socket.test.ts").then(() => {}));
  describe("handouts", () => import("./handouts/routes.test.ts").then(() => {}));
  describe("accounts, for admins", () => import("./players/admin-routes.test.ts").then(() => {}));
  describe("rows of instances", () => import("./instances/sync.test.ts").then(() => {}));
  describe("a leader that was frozen", () => import("./instances/frozen-leader.test.ts").then(() => {}));
  describe("teams", () => import("./teams/routes.test.ts").then(() => {}));
  describe("submissions", () => import("./submissions/routes.test.ts").then(() => {}));
  describe("announcements", () => import("./announcements/routes.test.ts").then(() => {}));
  describe("moderation", () => import("./moderation/moderate.test.ts").then(() => {}));
  describe("the scoreboard", () => import("./scoreboard/routes.test.ts").then(() => {}));
  describe("players", () => import("./players/routes.test.ts").then(() => {}));
  describe("registration", () => import("./registration/routes.test.ts").then(() => {}));
  describe("sessions", () => import("./sessions/routes.test.ts").then(() => {}));
  describe("sign-in links", () => import("./sign-in/store.test.ts").then(() => {}));
});
