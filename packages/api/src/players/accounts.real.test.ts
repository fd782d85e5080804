/** Accounts on PostgreSQL, where transactions run at the same time. */
import { missingPostgres, startPostgres, type TestPostgres } from "@berg/test";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eraseAddresses } from "../sessions/addresses.ts";
import { createLink } from "../sign-in/store.ts";
import { TestApi } from "../testing/test-api.ts";
import type { AdminPlayers, CurrentPlayer, Session } from "../wire.ts";

describe.skipIf(missingPostgres())("PostgreSQL", () => {
  let postgres: TestPostgres;
  let api: TestApi;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    api = await TestApi.start({ database: await postgres.newDatabase() });
  });
  afterEach(() => api[Symbol.asyncDispose]());

  const statuses = async (calls: Promise<{ status: number }>[]) =>
    (await Promise.all(calls)).map(({ status }) => status).sort();

  test("the last place is given once", async () => {
    api.rules = { ...api.rules, registration: { mode: "open", maxPlayers: 1 } };
    const register = () => api.call("POST", "/api/registration", { body: { name: "Ada" } });
    expect(await statuses(Array.from({ length: 8 }, register))).toEqual([201, 403, 403, 403, 403, 403, 403, 403]);
  });

  test("a one-time link signs in once", async () => {
    const { playerId } = await api.signedIn("Ada");
    const token = await createLink(api.db, playerId, "one-time", api.clock.now());
    const signIn = () => api.call("POST", "/api/sign-in", { body: { token } });
    expect(await statuses(Array.from({ length: 8 }, signIn))).toEqual([204, 403, 403, 403, 403, 403, 403, 403]);
  });

  test("one admin remains", async () => {
    const admins = [await api.signedIn("A", { roles: ["admin"] }), await api.signedIn("B", { roles: ["admin"] })];
    const demote = admins.map((admin) =>
      admin.call("PUT", `/api/admin/players/${admin.playerId}/roles`, { body: { roles: [] } }),
    );
    expect(await statuses(demote)).toEqual([200, 409]);
  });

  test("links of all are replaced, and addresses erased", async () => {
    const admin = await api.signedIn("Admin", { roles: ["admin"] });
    await api.signedIn("Ada");
    await api.signedIn("Bob");
    const body = { playerIds: "all", replacePersonalLinks: true };
    const { text } = await admin.call("POST", "/api/admin/players/links", { body });
    const tokens = text.match(/(?<=#)[\w-]{43}/g) ?? [];
    expect(tokens).toHaveLength(2);
    expect((await api.call("POST", "/api/sign-in", { body: { token: tokens[0] } })).status).toBe(204);
    const stored = () => api.db.selectFrom("session").select("address").where("address", "is not", null).execute();
    expect(await stored()).toEqual([{ address: "192.0.2.1" }]);
    await eraseAddresses(api.db, api.clock.now() - 1);
    expect(await stored()).toHaveLength(1);
    await eraseAddresses(api.db, api.clock.now());
    expect(await stored()).toEqual([]);
  });

  test("an account is changed, searched, listed and deleted", async () => {
    const values = ["a", "b"].map((value) => ({ value, title: "", description: "" }));
    const attribute = { title: "", description: "", public: true, required: false, values };
    api.rules = { ...api.rules, playerAttributes: ["x", "y"].map((name) => ({ name, ...attribute })) };
    const admin = await api.signedIn("Admin", { roles: ["admin"] });
    const ada = await api.signedIn("Ada 100%");
    const current = "/api/players/current";
    const patch = (attributes: object) => ada.call("PATCH", current, { body: { attributes } });
    await Promise.all([patch({ x: "a" }), patch({ y: "b" })]);
    expect((await ada.call<CurrentPlayer>("GET", current)).body.attributes).toEqual({ x: "a", y: "b" });
    const { body } = await admin.call<AdminPlayers>("GET", "/api/admin/players?search=ADA%20100%25");
    expect([body.total, body.items.map(({ id }) => id)]).toEqual([1, [ada.playerId]]);
    const other = await api.browser(ada.playerId);
    expect((await ada.call<Session[]>("GET", `${current}/sessions`)).body).toHaveLength(2);
    expect((await ada.call("DELETE", `${current}/sessions`)).status).toBe(204);
    expect((await other.call("GET", current)).status).toBe(401);
    expect((await ada.call("GET", "/api/players/%00")).status).toBe(404);
    expect((await ada.call("DELETE", current)).status).toBe(200);
    expect((await api.call("GET", `/api/players/${ada.playerId}`)).status).toBe(404);
  });
});
