import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Browser, TestApi, withKey } from "../testing/test-api.ts";
import type { AdminPlayer, AdminPlayers, CreatedPlayer, CurrentPlayer, Problem, SignInLink } from "../wire.ts";
import { countAdmins } from "./store.ts";

let api: TestApi;
let admin: Browser;
beforeEach(async () => {
  api = await TestApi.start();
  admin = await api.signedIn("Admin", { roles: ["admin"] });
});
afterEach(() => api[Symbol.asyncDispose]());

const path = "/api/admin/players";
const current = "/api/players/current";
const tokenOf = ({ link }: { link: string }) => new URL(link).hash.slice(1);
const signIn = (link: { link: string }) => api.call("POST", "/api/sign-in", { body: { token: tokenOf(link) } });
const setRoles = (id: string, roles: unknown) =>
  admin.call<AdminPlayer & Problem>("PUT", `${path}/${id}/roles`, { body: { roles } });

test("all of it is for admins", async () => {
  const calls: ["GET" | "POST" | "PUT", string, object?][] = [
    ["GET", path],
    ["POST", path, { name: "Eve", roles: ["admin"] }],
    ["PUT", `${path}/${admin.playerId}/roles`, { roles: [] }],
    ["POST", `${path}/${admin.playerId}/link`, { kind: "one-time" }],
  ];
  const support = await api.signedIn("Support", { roles: ["support", "author"] });
  for (const [method, url, body] of calls) {
    const call = body ? { body } : {};
    expect((await api.call<Problem>(method, url, call)).body).toMatchObject({ status: 401, code: "sign_in_required" });
    expect((await support.call<Problem>(method, url, call)).body).toMatchObject({ status: 403, code: "role_required" });
    if (method === "GET") continue;
    const foreign = await admin.call<Problem>(method, url, { ...call, headers: { origin: "https://evil.example" } });
    expect([foreign.status, foreign.body.code]).toEqual([403, "origin_refused"]);
  }
  expect((await api.db.selectFrom("player").select("name").orderBy("name").execute()).map(({ name }) => name)).toEqual([
    "Admin",
    "Support",
  ]);
});

describe("the list of accounts", () => {
  const search = async (text: string, more = "") =>
    (await admin.call<AdminPlayers>("GET", `${path}?search=${encodeURIComponent(text)}${more}`)).body;

  test("is searched by name or id, newest first, page by page", async () => {
    for (const name of ["Ada", "Grace", "100%", "a_b"]) {
      await api.clock.advance(1_000);
      await api.signedIn(name);
    }
    const all = await search("");
    expect(all).toMatchObject({ total: 5, page: 1, pageSize: 50 });
    expect(all.items.map(({ name }) => name)).toEqual(["a_b", "100%", "Grace", "Ada", "Admin"]);
    expect(all.items.at(-1)).toEqual({
      id: admin.playerId,
      name: "Admin",
      roles: ["player", "admin"],
      createdAt: "2026-01-01T00:00:00Z",
      providerRoles: [],
      federatedId: `local:${admin.playerId}`,
    });
    const names = async (text: string, more?: string) => (await search(text, more)).items.map(({ name }) => name);
    expect(await names("AD")).toEqual(["Ada", "Admin"]);
    expect(await names("%")).toEqual(["100%"]);
    expect(await names("_")).toEqual(["a_b"]);
    expect(await names(admin.playerId)).toEqual(["Admin"]);
    expect(await names("", "&page=2&pageSize=2")).toEqual(["Grace", "Ada"]);
    expect(await names("'; drop table player; --")).toEqual([]);
  });

  test.each(["search=%00", "page=0", "page=x", "pageSize=201", `search=${"x".repeat(129)}`])(
    "is not shown with %s",
    async (query) => {
      const { status, body } = await admin.call<Problem>("GET", `${path}?${query}`);
      expect([status, body.code]).toEqual([400, "invalid_request"]);
    },
  );
});

describe("an account of an admin's making", () => {
  test("signs in with the link of the answer", async () => {
    const { messages } = await api.socket();
    const { status, body } = await admin.call<CreatedPlayer>("POST", path, {
      body: { name: "Ada", roles: ["author"] },
    });
    expect([status, body.player]).toEqual([201, expect.objectContaining({ name: "Ada", roles: ["player", "author"] })]);
    expect([(await signIn(body)).status, (await signIn(body)).status]).toEqual([204, 204]);
    await api.clock.advance(1_000);
    await expect
      .poll(() => messages)
      .toEqual([{ type: "player", message: { id: body.player.id, name: "Ada", attributes: {} } }]);
  });

  test.each<[unknown, string]>([
    [{ name: "\u0000", roles: [] }, "name"],
    [{ name: "x", roles: ["root"] }, "roles.0"],
    [{ name: "x", roles: "admin" }, "roles"],
    [{ roles: [] }, "name"],
  ])("is not made of %j", async (body, field) => {
    const answer = await admin.call<Problem>("POST", path, { body });
    expect(answer.body).toMatchObject({ status: 400, code: "invalid_request", field });
    expect((await api.db.selectFrom("player").selectAll().execute()).length).toBe(1);
  });
});

describe("a change of roles", () => {
  test("ends sessions, sockets and the API key at once", async () => {
    const ada = await api.signedIn("Ada");
    const key = await ada.key();
    const sockets = [await ada.socket(), await api.socket({ authorization: `Bearer ${key}` })];
    const { status, body } = await setRoles(ada.playerId, ["support"]);
    expect([status, body.roles]).toEqual([200, ["player", "support"]]);
    await expect.poll(() => sockets.map(({ socket }) => socket.readyState)).toEqual([3, 3]);
    expect((await ada.call("GET", current)).status).toBe(401);
    expect((await api.call("GET", current, { headers: withKey(key) })).status).toBe(401);
    const again = await api.browser(ada.playerId);
    expect((await again.call<CurrentPlayer>("GET", current)).body).toMatchObject({
      roles: ["player", "support"],
      apiKeyPlaceholder: null,
    });
    expect((await setRoles(ada.playerId, ["player", "support"])).status).toBe(200);
    expect((await again.call("GET", current)).status).toBe(200);
  });

  test("does not take the role from the last admin, also not where two do so at the same time", async () => {
    const alone = await setRoles(admin.playerId, []);
    expect(alone.body).toMatchObject({ status: 409, code: "last_admin", field: "roles" });
    const other = await api.signedIn("Other", { roles: ["admin"] });
    const answers = await Promise.all([setRoles(admin.playerId, []), setRoles(other.playerId, [])]);
    const [done, refused] = answers.map(({ status }) => status).sort();
    expect(done).toBe(200);
    // 401 where the own role went first: the session ended with it.
    expect([401, 409]).toContain(refused);
    expect(await countAdmins(api.db)).toBe(1);
  });

  test.each([[["root"]], ["admin"], [null], [Array.from({ length: 17 }, () => "admin")]])(
    "is not %j",
    async (roles) => {
      expect((await setRoles(admin.playerId, roles)).body).toMatchObject({ status: 400, code: "invalid_request" });
      expect((await admin.call("GET", current)).status).toBe(200);
    },
  );

  test("is for accounts that exist", async () => {
    for (const id of ["none", "%00", "x".repeat(64)]) {
      expect((await setRoles(id, [])).body).toMatchObject({ status: 404, code: "not_found" });
    }
  });
});

describe("a link for a player", () => {
  const newLink = (id: string, body: unknown, headers: Record<string, string | undefined> = {}) =>
    admin.call<SignInLink & Problem>("POST", `${path}/${id}/link`, { body, headers });

  test("ends sessions if it is the personal one, and none if it is used once", async () => {
    const ada = await api.signedIn("Ada");
    const once = await newLink(ada.playerId, {});
    expect(once.body).toEqual({ kind: "one-time", link: expect.stringContaining("/sign-in#") });
    expect((await ada.call("GET", current)).status).toBe(200);
    expect([(await signIn(once.body)).status, (await signIn(once.body)).status]).toEqual([204, 403]);
    const personal = await newLink(ada.playerId, { kind: "personal" });
    expect((await ada.call("GET", current)).status).toBe(401);
    expect([(await signIn(personal.body)).status, (await signIn(personal.body)).status]).toEqual([204, 204]);
  });

  test("keeps the session of an admin who replaces the own one, and is not given to the own API key", async () => {
    expect((await newLink(admin.playerId, { kind: "personal" })).status).toBe(200);
    expect((await admin.call("GET", current)).status).toBe(200);
    const key = await admin.key("admin");
    const url = `${path}/${admin.playerId}/link`;
    const answer = await api.call<Problem>("POST", url, { body: {}, headers: withKey(key) });
    expect([answer.status, answer.body.code]).toEqual([400, "api_key_refused"]);
  });

  test("is refused for a wrong kind, and for nobody", async () => {
    const wrong = await newLink(admin.playerId, { kind: "forever" });
    expect(wrong.body).toMatchObject({ status: 400, field: "kind" });
    expect((await newLink("none", {})).body).toMatchObject({ status: 404, code: "not_found" });
  });
});
