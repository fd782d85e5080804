import type { KyselyPlugin } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { setRoles } from "../players/accounts.ts";
import { publicUrl, TestApi, withKey } from "../testing/test-api.ts";
import type { CurrentPlayer, Player, Problem } from "../wire.ts";
import { SessionCache } from "./session-cache.ts";
import { endSessions } from "./store.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.start();
});
afterEach(() => api[Symbol.asyncDispose]());

const current = "/api/players/current";

/** Counts the queries of the context's cache. */
function counted(): { sessions: SessionCache; queries: () => number } {
  let queries = 0;
  const count: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      queries++;
      return result;
    },
  };
  const { db, clock, hub } = api.context;
  return { sessions: new SessionCache({ db: db.withPlugin(count), clock, hub }), queries: () => queries };
}

describe("a session", () => {
  test("is read from the database once in ten seconds", async () => {
    const { sessions, queries } = counted();
    const token = (await api.signedIn("Ada")).cookie.slice("berg=".length);
    for (let i = 0; i < 5; i++) expect((await sessions.session(token))?.player.name).toBe("Ada");
    expect(queries()).toBe(1);
    await api.clock.advance(10_000);
    await sessions.session(token);
    expect(queries()).toBe(2);
  });

  test("that another process ended counts for ten seconds at most, and not after invalidate", async () => {
    const [ada, bea] = [await api.signedIn("Ada"), await api.signedIn("Bea")];
    for (const one of [ada, bea]) {
      expect((await one.call("GET", current)).status).toBe(200);
      await endSessions(api.db, one.playerId);
      expect((await one.call("GET", current)).status).toBe(200);
    }
    api.context.sessions.invalidate(ada.playerId);
    expect((await ada.call("GET", current)).status).toBe(401);
    expect((await bea.call("GET", current)).status).toBe(200);
    await api.clock.advance(10_000);
    expect((await bea.call("GET", current)).status).toBe(401);
  });

  test("ends at its time, also where it is cached", async () => {
    const admin = await api.signedIn("Ada", { roles: ["admin"] });
    await api.clock.advance(12 * 3_600_000 - 1_000);
    expect((await admin.call("GET", current)).status).toBe(200);
    await api.clock.advance(1_000);
    expect((await admin.call("GET", current)).status).toBe(401);
  });

  test("that is not valid is not cached", async () => {
    const { sessions, queries } = counted();
    expect([await sessions.session("x"), await sessions.session("x")]).toEqual([undefined, undefined]);
    expect(queries()).toBe(2);
  });

  test("that is revoked while it is read is read again", async () => {
    const ada = await api.signedIn("Ada");
    const { db, clock, hub } = api.context;
    let reads = 0;
    const endAfterFirstRead: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (reads++ > 0) return result;
        await endSessions(db, ada.playerId);
        hub.disconnect(ada.playerId);
        return result;
      },
    };
    const sessions = new SessionCache({ db: db.withPlugin(endAfterFirstRead), clock, hub });
    expect(await sessions.session(ada.cookie.slice("berg=".length))).toBeUndefined();
    expect(reads).toBe(2);
  });
});

describe("the next request is refused", () => {
  test("after the sign-out", async () => {
    const ada = await api.signedIn("Ada");
    await ada.call("GET", current);
    expect((await ada.call("DELETE", `${current}/sessions/${ada.sessionId}`)).status).toBe(204);
    expect((await ada.call("GET", current)).status).toBe(401);
  });

  test("after all other sessions were ended, and this one goes on", async () => {
    const ada = await api.signedIn("Ada");
    const other = await api.browser(ada.playerId);
    for (const one of [ada, other]) expect((await one.call("GET", current)).status).toBe(200);
    await ada.call("DELETE", `${current}/sessions`);
    expect((await other.call("GET", current)).status).toBe(401);
    expect((await ada.call("GET", current)).status).toBe(200);
  });

  test("after a change of roles, with the session and with the key", async () => {
    const ada = await api.signedIn("Ada", { roles: ["admin"] });
    await api.signedIn("Bea", { roles: ["admin"] });
    const key = await ada.key("admin");
    const list = "/api/admin/players";
    expect((await ada.call("GET", list)).status).toBe(200);
    expect((await api.call("GET", list, { headers: withKey(key) })).status).toBe(200);
    await setRoles({ ...api.context, publicUrl }, ada.playerId, []);
    expect((await ada.call<Problem>("GET", list)).body.code).toBe("sign_in_required");
    expect((await api.call<Problem>("GET", list, { headers: withKey(key) })).body.code).toBe("sign_in_required");
  });

  test("after the key was replaced, with the old key only", async () => {
    const ada = await api.signedIn("Ada");
    const before = await ada.key();
    expect((await api.call("GET", current, { headers: withKey(before) })).status).toBe(200);
    const after = await ada.key();
    expect((await api.call("GET", current, { headers: withKey(before) })).status).toBe(401);
    expect((await api.call("GET", current, { headers: withKey(after) })).status).toBe(200);
  });

  test("after the account was deleted", async () => {
    const ada = await api.signedIn("Ada");
    const key = await ada.key();
    await api.call("GET", current, { headers: withKey(key) });
    expect((await ada.call("DELETE", current)).status).toBe(200);
    expect((await ada.call("GET", current)).status).toBe(401);
    expect((await api.call("GET", current, { headers: withKey(key) })).status).toBe(401);
  });
});

test("a new name is seen by the next request, by its owner and in the list", async () => {
  const ada = await api.signedIn("Ada");
  await ada.call("GET", "/api/players");
  expect((await ada.call("PATCH", current, { body: { name: "Countess" } })).status).toBe(200);
  expect((await ada.call<CurrentPlayer>("GET", current)).body.name).toBe("Countess");
  expect((await ada.call<Player[]>("GET", "/api/players")).body.map(({ name }) => name)).toEqual(["Countess"]);
});

test("the list of players is read again after a second", async () => {
  await api.signedIn("Ada");
  const names = async () => (await api.call<Player[]>("GET", "/api/players")).body.map(({ name }) => name);
  expect(await names()).toEqual(["Ada"]);
  await api.signedIn("Bea");
  await api.clock.advance(1_000);
  expect(await names()).toEqual(["Ada", "Bea"]);
});
