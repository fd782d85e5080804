import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestApi, withKey } from "../testing/test-api.ts";
import type { Problem, Session } from "../wire.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.start();
});
afterEach(() => api[Symbol.asyncDispose]());

const path = "/api/players/current/sessions";
const current = "/api/players/current";

describe("sessions", () => {
  test("are listed, newest first, without those of others", async () => {
    const first = await api.signedIn("Ada");
    await api.signedIn("Bob");
    await api.clock.advance(60_000);
    const second = await api.browser(first.playerId);
    const { body } = await first.call<Session[]>("GET", path);
    expect(body).toEqual([
      {
        id: second.sessionId,
        createdAt: "2026-01-01T00:01:00Z",
        expiresAt: "2026-01-08T00:01:00Z",
        userAgent: "test",
        address: null,
        isCurrent: false,
      },
      {
        id: first.sessionId,
        createdAt: "2026-01-01T00:00:00Z",
        expiresAt: "2026-01-08T00:00:00Z",
        userAgent: "test",
        address: null,
        isCurrent: true,
      },
    ]);
    await api.clock.advance(7 * 24 * 3_600_000 - 60_000);
    expect((await first.call("GET", path)).status).toBe(401);
    expect((await second.call<Session[]>("GET", path)).body.map(({ id }) => id)).toEqual([second.sessionId]);
  });

  test("of staff last 12 hours", async () => {
    const admin = await api.signedIn("Ada", { roles: ["admin"] });
    await api.clock.advance(12 * 3_600_000 - 1);
    expect((await admin.call("GET", current)).status).toBe(200);
    await api.clock.advance(1);
    expect((await admin.call("GET", current)).status).toBe(401);
  });

  test("end one by one, with exactly their own sockets", async () => {
    const ada = await api.signedIn("Ada");
    const other = await api.browser(ada.playerId);
    const sockets = await Promise.all([ada, other, other].map((browser) => browser.socket()));
    expect((await ada.call("DELETE", `${path}/${other.sessionId}`)).status).toBe(204);
    await expect.poll(() => sockets.map(({ socket }) => socket.readyState)).toEqual([1, 3, 3]);
    expect((await other.call("GET", current)).status).toBe(401);
    expect((await ada.call("GET", current)).status).toBe(200);
    const again = await ada.call<Problem>("DELETE", `${path}/${other.sessionId}`);
    expect([again.status, again.body.code]).toEqual([404, "not_found"]);
    const own = await ada.call("DELETE", `${path}/${ada.sessionId}`);
    expect([own.status, own.cookie]).toEqual([204, ""]);
    expect((await ada.call("GET", current)).status).toBe(401);
  });

  test("of others do not end", async () => {
    const ada = await api.signedIn("Ada");
    const bob = await api.signedIn("Bob");
    for (const id of [bob.sessionId, "none", "x".repeat(65), "%00"]) {
      expect((await ada.call("DELETE", `${path}/${id}`)).status).toBeGreaterThanOrEqual(400);
    }
    expect((await bob.call("GET", current)).status).toBe(200);
  });

  test("end all at once, except the one that asks", async () => {
    const ada = await api.signedIn("Ada");
    const others = [await api.browser(ada.playerId), await api.browser(ada.playerId)];
    const bob = await api.signedIn("Bob");
    const key = await ada.key();
    const sockets = [
      ...(await Promise.all([ada, ...others, bob].map((browser) => browser.socket()))),
      await api.socket({ authorization: `Bearer ${key}` }),
    ];
    expect((await ada.call("DELETE", path)).status).toBe(204);
    await expect.poll(() => sockets.map(({ socket }) => socket.readyState)).toEqual([1, 3, 3, 1, 1]);
    for (const other of others) expect((await other.call("GET", current)).status).toBe(401);
    for (const left of [ada, bob]) expect((await left.call("GET", current)).status).toBe(200);
  });

  test("end neither with an API key nor from another site", async () => {
    const ada = await api.signedIn("Ada");
    const key = await ada.key();
    for (const url of [path, `${path}/${ada.sessionId}`]) {
      const withItsKey = await api.call<Problem>("DELETE", url, { headers: withKey(key) });
      expect([withItsKey.status, withItsKey.body.code]).toEqual([400, "api_key_refused"]);
      const foreign = await ada.call<Problem>("DELETE", url, { headers: { origin: "null" } });
      expect([foreign.status, foreign.body.code]).toEqual([403, "origin_refused"]);
    }
    expect((await ada.call("GET", current)).status).toBe(200);
  });

  test("that the version before created get an id", async () => {
    const ada = await api.signedIn("Ada");
    await api.db.updateTable("session").set({ id: null }).execute();
    const [first, again] = [await ada.call<Session[]>("GET", path), await ada.call<Session[]>("GET", path)];
    expect(first.body).toEqual([
      expect.objectContaining({ isCurrent: true, id: expect.stringMatching(/^[\w-]{36}$/) }),
    ]);
    expect(again.body).toEqual(first.body);
  });
});

describe("signing out", () => {
  test("closes the sockets of this session alone", async () => {
    const ada = await api.signedIn("Ada");
    const other = await api.browser(ada.playerId);
    const sockets = await Promise.all([ada, other].map((browser) => browser.socket()));
    const answer = await ada.call("POST", "/api/sign-out");
    expect([answer.status, answer.cookie]).toEqual([204, ""]);
    await expect.poll(() => sockets.map(({ socket }) => socket.readyState)).toEqual([3, 1]);
    expect((await other.call("GET", current)).status).toBe(200);
  });
});
