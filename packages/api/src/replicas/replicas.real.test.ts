/** Two replicas of the API on one PostgreSQL. */
import { missingPostgres, startPostgres, type TestPostgres } from "@berg/test";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startInstance } from "../instances/commands.ts";
import { isFlagTaken } from "../instances/store.ts";
import { findPlayer, type Player } from "../players/store.ts";
import { createLink } from "../sign-in/store.ts";
import { type Browser, type Followed, publicUrl, TestApi, withKey } from "../testing/test-api.ts";

describe.skipIf(missingPostgres())("two replicas", () => {
  let postgres: TestPostgres;
  let database: string;
  let one: TestApi;
  let other: TestApi;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    database = await postgres.newDatabase();
    one = await TestApi.start({ database, isReplica: true });
    other = await TestApi.start({ database, isReplica: true });
  });
  afterEach(async () => {
    await one[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  const current = "/api/players/current";
  /** A socket of the same session on the other replica. */
  const socketOf = async ({ cookie }: Browser): Promise<Followed> => {
    const followed = await other.socket({ origin: publicUrl, cookie });
    await expect.poll(() => followed.messages.length).toBeGreaterThan(0);
    return followed;
  };
  const isClosed = ({ socket }: Followed) => expect.poll(() => socket.readyState, { timeout: 10_000 }).toBe(3);
  const psql = (sql: string) => postgres.query(new URL(database).pathname.slice(1), sql);

  describe("close sockets of each other's", () => {
    const ends: Record<string, (ada: Browser, admin: Browser) => Promise<{ status: number }>> = {
      "a sign-out": (ada) => ada.call("POST", "/api/sign-out"),
      "the end of a session": (ada) => ada.call("DELETE", `${current}/sessions/${ada.sessionId}`),
      "a change of roles": (ada, admin) =>
        admin.call("PUT", `/api/admin/players/${ada.playerId}/roles`, { body: { roles: ["support"] } }),
      "a new personal link": (ada, admin) =>
        admin.call("POST", `/api/admin/players/${ada.playerId}/link`, { body: { kind: "personal" } }),
      "the deletion of an account": (ada) => ada.call("DELETE", current),
    };
    test.each(Object.entries(ends))("at %s", async (_, end) => {
      const admin = await one.signedIn("Admin", { roles: ["admin"] });
      const ada = await one.signedIn("Ada");
      const bob = await one.signedIn("Bob");
      const [socket, foreign] = [await socketOf(ada), await socketOf(bob)];
      expect((await end(ada, admin)).status).toBeLessThan(300);
      await isClosed(socket);
      expect(foreign.socket.readyState).toBe(1);
      const answer = await other.call("GET", current, { headers: { cookie: ada.cookie } });
      expect(answer.status).toBe(401);
    });

    test("at a new API key, those of the old one alone", async () => {
      const ada = await one.signedIn("Ada");
      const key = await ada.key();
      const byKey = await other.socket({ authorization: `Bearer ${key}` });
      const bySession = await socketOf(ada);
      await ada.key();
      await isClosed(byKey);
      expect(bySession.socket.readyState).toBe(1);
      expect((await other.call("GET", current, { headers: withKey(key) })).status).toBe(401);
    });

    test("also where the notification is lost", async () => {
      const ada = await one.signedIn("Ada");
      const socket = await socketOf(ada);
      const event = JSON.stringify({ kind: "revoked", playerId: ada.playerId, what: "all" });
      await psql(`insert into replica_event (event, created_at) values ('${event}', 0)`);
      await isClosed(socket);
    });

    test("also where the connections are lost, and come back", async () => {
      const ada = await one.signedIn("Ada");
      const socket = await socketOf(ada);
      const all = "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()";
      await psql(`${all} and datname = current_database()`);
      await expect.poll(async () => (await ada.call("POST", "/api/sign-out")).status).toBe(204);
      await isClosed(socket);
    });
  });

  test("announce players and their ends everywhere, once", async () => {
    const watcher = await other.socket();
    const { body } = await one.call<{ link: string }>("POST", "/api/registration", { body: { name: "Ada" } });
    expect(body.link).toContain("/sign-in#");
    // Public messages are sent once a second of the clock.
    const seen = async () => {
      await other.clock.advance(1_000);
      return watcher.messages.filter(({ type }) => type.startsWith("player"));
    };
    await expect.poll(seen).toEqual([{ type: "player", message: expect.objectContaining({ name: "Ada" }) }]);
    const [{ id } = { id: "" }] = await one.db.selectFrom("player").select("id").execute();
    const ada = await one.browser(id);
    expect((await ada.call("DELETE", current)).status).toBe(200);
    await expect.poll(async () => (await seen()).slice(1)).toEqual([{ type: "player-delete", message: id }]);
  });

  test("hear of teams, announcements and bans of each other, and have the same board", async () => {
    for (const api of [one, other]) api.rules = { ...api.rules, teams: { enabled: true } };
    const admin = await one.signedIn("Root", { roles: ["admin"] });
    const ada = await one.signedIn("Ada");
    const [watcher, own] = [await other.socket(), await socketOf(ada)];
    const heard = async (...types: string[]) => {
      await expect
        .poll(async () => {
          await other.clock.advance(1_000);
          return watcher.messages.map(({ type }) => type);
        })
        .toEqual(types);
    };
    const { body: team } = await ada.call<{ id: string }>("POST", "/api/teams/create", { body: { name: "Compilers" } });
    await heard("team");
    await admin.call("POST", "/api/admin/announcements", { body: { title: "Lunch" } });
    await heard("team", "announcement");
    await admin.call("POST", "/api/admin/awards", { body: { scorerId: team.id, points: 7, reason: "first" } });
    const scores = () => other.context.board.model.public.ranking.map(({ scorer, score }) => [scorer.name, score]);
    await expect.poll(scores).toEqual([["Compilers", 7]]);
    expect(other.context.board.model.public.version).toBe(one.context.board.model.public.version);
    await admin.call("PATCH", `/api/admin/scorers/${ada.playerId}`, { body: { isBanned: true } });
    await isClosed(own);
    expect((await other.call("GET", current, { headers: { cookie: ada.cookie } })).status).toBe(401);
  });

  test("tell each other whose instance changed", async () => {
    await expect
      .poll(() => {
        // Again: a hint that comes before the other listens is lost.
        one.context.reconcileOwner("somebody");
        return other.reconciled;
      })
      .toContain("somebody");
  });

  test("count sign-ins, registrations and wrong codes together", async () => {
    const link = await createLink(one.db, (await one.signedIn("Ada")).playerId, "personal", one.clock.now());
    const call = (api: TestApi, path: string, body: object) =>
      api.call("POST", path, { body }).then(({ status }) => status);
    const statuses = async (path: string, body: object, count: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => call(index % 2 === 0 ? one : other, path, body)));
    const signIns = await statuses("/api/sign-in/preview", { token: link }, 400);
    const allowed = signIns.filter((status) => status === 200).length;
    // Five more for each second that the test takes, and not twice the burst.
    expect(allowed).toBeGreaterThanOrEqual(300);
    expect(signIns).toContain(429);
    for (const api of [one, other]) {
      api.code = "right";
      api.rules = { ...api.rules, registration: { mode: "code" } };
    }
    const guesses = await statuses("/api/registration", { name: "Eve", code: "wrong" }, 20);
    expect(guesses.filter((status) => status === 403).length).toBeLessThanOrEqual(11);
    expect(guesses).toContain(429);
    expect(await call(other, "/api/registration", { name: "Eve", code: "right" })).toBe(429);
  });

  describe("start instances", () => {
    const namespace = "berg";
    const challenge = {
      metadata: { namespace, name: "web" },
      // Few forms: starts at the same time draw the same flag.
      spec: {
        flag: "flag{best}",
        dynamicFlagMode: "leetify",
        containers: [{ hostname: "web", image: "web", dynamicFlag: { env: { name: "F" } } }],
      },
    };
    const caches = {
      challenges: { get: () => challenge },
      instances: { get: () => undefined },
    };
    beforeEach(() => {
      for (const api of [one, other]) Object.assign(api.context, { caches: () => caches });
    });
    const playerOf = async (api: TestApi, name: string): Promise<Player> =>
      (await findPlayer(api.db, (await api.signedIn(name)).playerId)) as Player;
    const start = (api: TestApi, player: Player, replace = false) =>
      startInstance(api.context, { player, challenge: "web", replace });

    test("one for each owner, however many are asked for at the same time, also in place of another", async () => {
      const ada = await playerOf(one, "Ada");
      const apis = [one, other, one, other, one, other];
      const started = await Promise.all(apis.map((api) => start(api, ada)));
      expect(new Set(started.map(({ id }) => id)).size).toBe(1);
      const replaced = await Promise.all(apis.map((api) => start(api, ada, true)));
      expect(replaced.map(({ id }) => id)).not.toContain(started[0]?.id);
      const open = await one.db.selectFrom("instances").selectAll().where("stop_requested_at", "is", null).execute();
      expect(open).toHaveLength(1);
    });

    test("with flags of their own, or marked as reused", async () => {
      const players = await Promise.all(Array.from({ length: 24 }, (_, index) => playerOf(one, `P${index}`)));
      await Promise.all(players.map((player, index) => start(index % 2 === 0 ? one : other, player)));
      const rows = await one.db.selectFrom("instances").selectAll().execute();
      expect(rows).toHaveLength(24);
      const unique = rows.filter(({ flag_reused }) => flag_reused === 0).map(({ flag_hmac }) => flag_hmac);
      expect(new Set(unique).size).toBe(unique.length);
      expect(unique.length).toBeGreaterThan(1);
      expect(await isFlagTaken(one.db, "web", unique[0] ?? "")).toBe(true);
    });
  });
});
