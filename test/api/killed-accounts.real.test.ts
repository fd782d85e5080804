/**
 * One of two replicas killed before and after each write of each flow of accounts, and after the last one before it has
 * answered. The player then asks the other replica again. No account is half made, a session that was revoked never works
 * again, and a mail is sent at least once.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLink } from "../../packages/api/src/sign-in/store.ts";
import { TestSmtpServer } from "../../packages/api/src/testing/smtp-server.ts";
import { type Answer, type Browser, TestApi } from "../../packages/api/src/testing/test-api.ts";
import { missingPostgres } from "../postgres/missing.ts";
import { startPostgres, type TestPostgres } from "../postgres/postgres.ts";
import { KillPoints } from "./kill-points.ts";

describe.skipIf(missingPostgres())("a replica killed at any write of", () => {
  let postgres: TestPostgres;
  let smtp: TestSmtpServer;
  let database: string;
  let other: TestApi;
  let admin: Browser;
  let count = 0;
  const address = () => `192.0.2.${count % 250}`;
  beforeAll(async () => {
    postgres = await startPostgres();
    smtp = await TestSmtpServer.start();
    database = await postgres.newDatabase();
    other = await TestApi.start({ database, isReplica: true, mail: smtp.settings });
    admin = await other.signedIn("Admin", { roles: ["admin"] });
  });
  afterAll(async () => {
    await other?.[Symbol.asyncDispose]();
    await smtp?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  interface Flow {
    act(api: TestApi): Promise<Answer<unknown>>;
    /** What the second replica answers, after the first one died or its answer was lost. */
    again: readonly number[];
    /** `isDone`: it was answered with success. */
    check(isDone: boolean): Promise<void>;
  }

  /** Kills at each point in turn, until the flow is through without a death. Returns how many there were. */
  async function killAtEach(prepare: () => Promise<Flow>): Promise<number> {
    for (let dieAt = 0; ; dieAt++) {
      count++;
      const points = new KillPoints(dieAt);
      let isArmed = false;
      const { transformQuery, transformResult } = points.plugin();
      await using mortal = await TestApi.start({
        ...{ database, isReplica: true, mail: smtp.settings },
        plugin: {
          transformQuery: (args) => (isArmed ? transformQuery(args) : args.node),
          transformResult: (args) => (isArmed ? transformResult(args) : Promise.resolve(args.result)),
        },
      });
      // That of the other jumps, so that claims end.
      mortal.clock.jumpWall(other.clock.now() - mortal.clock.now());
      const { act, again, check } = await prepare();
      isArmed = true;
      const { status } = await act(mortal);
      isArmed = false;
      if (!points.hasDied) expect(status).toBeLessThan(300);
      await check(status < 300);
      // In the end, after the last write, the answer alone is lost.
      expect(again).toContain((await act(other)).status);
      await check(true);
      if (!points.hasDied) return dieAt;
    }
  }

  const call = (api: TestApi, method: "POST" | "PUT" | "DELETE", path: string, body?: unknown, cookie?: string) =>
    api.call(method, path, { body, address: address(), headers: { cookie } });
  const isSignedIn = async (api: TestApi, { cookie }: Browser) =>
    (await api.call("GET", "/api/players/current", { headers: { cookie } })).status === 200;
  const linksOf = (id: string) => other.db.selectFrom("sign_in_link").selectAll().where("player_id", "=", id).execute();
  const sessionsOf = (id: string) => other.db.selectFrom("session").selectAll().where("player_id", "=", id).execute();
  const playerNamed = (name: string) => other.db.selectFrom("player").selectAll().where("name", "=", name).execute();

  test("a registration leaves no half-made account", async () => {
    const points = await killAtEach(async () => {
      const name = `New ${count}`;
      return {
        act: (api) => call(api, "POST", "/api/registration", { name }),
        again: [201],
        async check(isDone) {
          const players = await playerNamed(name);
          if (isDone) expect(players.length).toBeGreaterThan(0);
          for (const { id } of players) {
            expect([(await linksOf(id)).length, (await sessionsOf(id)).length]).toEqual([1, 1]);
          }
        },
      };
    });
    expect(points).toBeGreaterThanOrEqual(8);
  });

  test("a sign-in uses its link up if and only if there is a session", async () => {
    const points = await killAtEach(async () => {
      const { playerId } = await other.signedIn(`Signs in ${count}`);
      const token = await createLink(other.db, playerId, "one-time", other.clock.now());
      const before = (await sessionsOf(playerId)).length;
      return {
        act: (api) => call(api, "POST", "/api/sign-in", { token }),
        again: [204, 403],
        async check(isDone) {
          const [link] = await linksOf(playerId);
          const isUsed = link?.used_at != null;
          expect((await sessionsOf(playerId)).length - before).toBe(isUsed ? 1 : 0);
          if (isDone) expect(isUsed).toBe(true);
        },
      };
    });
    expect(points).toBeGreaterThanOrEqual(4);
  });

  /** What ends the sessions of a player, and how it shows in the database that it was done. */
  const ends: Record<string, (ada: Browser) => Omit<Flow, "check"> & { isDone(): Promise<boolean> }> = {
    "a new personal link": ({ playerId }) => ({
      act: (api) => call(api, "POST", `/api/admin/players/${playerId}/link`, { kind: "personal" }, admin.cookie),
      again: [200],
      isDone: async () => (await linksOf(playerId)).some(({ kind }) => kind === "personal"),
    }),
    "a change of roles": ({ playerId }) => ({
      act: (api) => call(api, "PUT", `/api/admin/players/${playerId}/roles`, { roles: ["support"] }, admin.cookie),
      again: [200],
      isDone: async () => {
        const { roles } = await other.db
          .selectFrom("player")
          .select("roles")
          .where("id", "=", playerId)
          .executeTakeFirstOrThrow();
        return roles.includes("support");
      },
    }),
    "the deletion of an account": ({ cookie, playerId }) => ({
      act: (api) => call(api, "DELETE", "/api/players/current", undefined, cookie),
      again: [200, 401],
      isDone: async () =>
        (
          await other.db
            .selectFrom("player")
            .where("id", "=", playerId)
            .where("deleted_at", "is", null)
            .selectAll()
            .execute()
        ).length === 0,
    }),
  };
  test.each(Object.entries(ends))("%s leaves no session that was revoked", async (_, end) => {
    const points = await killAtEach(async () => {
      const ada = await other.signedIn(`Ada ${count}`);
      // In the cache of the replica that survives.
      expect(await isSignedIn(other, ada)).toBe(true);
      const { act, again, isDone } = end(ada);
      return {
        ...{ act, again },
        async check(isOver) {
          const done = await isDone();
          if (isOver) expect(done).toBe(true);
          // Not yet where the other has not read of it: it does so within a second.
          if (done) await expect.poll(() => isSignedIn(other, ada)).toBe(false);
          else expect(await isSignedIn(other, ada)).toBe(true);
          expect((await sessionsOf(ada.playerId)).length).toBe(done ? 0 : 1);
        },
      };
    });
    expect(points).toBeGreaterThanOrEqual(4);
  });

  test("a mail is sent at least once, if asking for it was answered", async () => {
    const points = await killAtEach(async () => {
      const email = `p${count}@example.com`;
      await other.signedIn(`Mailed ${count}`, { email });
      return {
        async act(api) {
          const answer = await call(api, "POST", "/api/sign-in/lost", { email });
          await api.outbox.run().catch(() => {});
          return answer;
        },
        again: [202],
        async check(isDone) {
          if (!isDone) return;
          // The claim of a worker that died ends.
          other.clock.jumpWall(6 * 60_000);
          await other.outbox.run();
          expect(smtp.received.flatMap(({ to }) => to)).toContain(email);
        },
      };
    });
    expect(points).toBeGreaterThanOrEqual(4);
  });
});
