import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestApi, withKey } from "../testing/test-api.ts";
import type { CurrentPlayer, PersonalLink, Player, Problem } from "../wire.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.start();
});
afterEach(() => api[Symbol.asyncDispose]());

const current = "/api/players/current";
const attribute = (name: string, isPublic: boolean) => ({
  name,
  title: "",
  description: "",
  public: isPublic,
  required: false,
  values: ["a", "b"].map((value) => ({ value, title: "", description: "" })),
});
const configure = () => {
  api.rules = { ...api.rules, playerAttributes: [attribute("shown", true), attribute("own", false)] };
};

describe("the profile", () => {
  test("takes attributes one by one, and shows others the public ones", async () => {
    configure();
    const ada = await api.signedIn("Ada");
    const bob = await api.signedIn("Bob");
    const { messages } = await api.socket();
    expect((await ada.call("PATCH", current, { body: { attributes: { own: "a" } } })).status).toBe(200);
    const { body } = await ada.call<CurrentPlayer>("PATCH", current, { body: { attributes: { shown: "b" } } });
    expect(body).toMatchObject({ name: "Ada", attributes: { own: "a", shown: "b" } });
    expect((await ada.call<CurrentPlayer>("GET", current)).body).toEqual(body);
    const shown = { id: ada.playerId, name: "Ada", attributes: { shown: "b" } };
    expect((await bob.call("GET", `/api/players/${ada.playerId}`)).body).toEqual(shown);
    expect((await api.call<Player[]>("GET", "/api/players")).body).toEqual([
      shown,
      { id: bob.playerId, name: "Bob", attributes: {} },
    ]);
    await api.clock.advance(1_000);
    await expect.poll(() => messages.at(-1)).toEqual({ type: "player", message: shown });
    // What the organiser asks for no more is not shown any more.
    api.rules = { ...api.rules, playerAttributes: [] };
    expect((await bob.call<Player>("GET", `/api/players/${ada.playerId}`)).body.attributes).toEqual({});
  });

  test("of an account of ours has a name that can be changed", async () => {
    const ada = await api.signedIn("Ada");
    const { status, body } = await ada.call<CurrentPlayer>("PATCH", current, { body: { name: " Ada Lovelace " } });
    expect([status, body.name]).toEqual([200, "Ada Lovelace"]);
    const other = await api.signedIn("Bob", { federatedId: "https://idp.example#1" });
    const refused = await other.call<Problem>("PATCH", current, { body: { name: "Robert" } });
    expect(refused.body).toMatchObject({ status: 400, code: "invalid_request", field: "name" });
    expect((await other.call<CurrentPlayer>("PATCH", current, { body: { name: "Bob" } })).body.name).toBe("Bob");
  });

  test.each<[string, unknown, string]>([
    ["an unknown attribute", { name: "New", attributes: { shown: "a", other: "a" } }, "attributes.other"],
    ["an unknown value", { name: "New", attributes: { own: "a", shown: "c" } }, "attributes.shown"],
    ["an empty value", { name: "New", attributes: { shown: "" } }, "attributes.shown"],
    ["a name with a line break", { name: "a\nb", attributes: { shown: "a" } }, "name"],
    ["a long name", { name: "n".repeat(65), attributes: { shown: "a" } }, "name"],
    ["a number", { name: 7 }, "name"],
  ])("is not changed by %s", async (_, body, field) => {
    configure();
    const ada = await api.signedIn("Ada");
    const answer = await ada.call<Problem>("PATCH", current, { body });
    expect(answer.body).toMatchObject({ status: 400, code: "invalid_request", field });
    expect((await ada.call<CurrentPlayer>("GET", current)).body).toMatchObject({ name: "Ada", attributes: {} });
  });

  test("is not changed from another site", async () => {
    const ada = await api.signedIn("Ada");
    const headers = { origin: "https://evil.example" };
    const answer = await ada.call<Problem>("PATCH", current, { body: { name: "Eve" }, headers });
    expect([answer.status, answer.body.code]).toEqual([403, "origin_refused"]);
  });

  test("keeps all of what several requests at the same time add", async () => {
    configure();
    const ada = await api.signedIn("Ada");
    const patch = (attributes: object) => ada.call("PATCH", current, { body: { attributes } });
    await Promise.all([patch({ own: "a" }), patch({ shown: "b" })]);
    const { body } = await ada.call<CurrentPlayer>("GET", current);
    expect(body.attributes).toEqual({ own: "a", shown: "b" });
  });
});

describe("anonymous reading", () => {
  const paths = (id: string) => ["/api/players", `/api/players/${id}`];

  test("is allowed where challenges are public, also with a key that is not valid", async () => {
    const ada = await api.signedIn("Ada");
    for (const path of paths(ada.playerId)) {
      expect((await api.call("GET", path)).status).toBe(200);
      expect((await api.call("GET", path, { headers: withKey("0".repeat(64)) })).status).toBe(200);
      expect((await api.call("GET", path, { headers: { authorization: "Basic x" } })).status).toBe(200);
    }
  });

  test("is refused where they are for players", async () => {
    const ada = await api.signedIn("Ada");
    const key = await ada.key();
    api.rules = { ...api.rules, visibility: { challenges: "players", board: "public", ctftime: false } };
    for (const path of paths(ada.playerId)) {
      const answer = await api.call<Problem>("GET", path);
      expect([answer.status, answer.body.code]).toEqual([401, "sign_in_required"]);
      expect((await api.call("GET", path, { headers: withKey("0".repeat(64)) })).status).toBe(401);
      expect((await api.call("GET", path, { headers: withKey(key) })).status).toBe(200);
      expect((await ada.call("GET", path)).status).toBe(200);
    }
  });
});

describe("a deleted account", () => {
  test("leaves nothing that names the person or signs in", async () => {
    configure();
    const ada = await api.signedIn("Ada", { roles: ["author"], attributes: { own: "a" } });
    const key = await ada.key();
    const { body: link } = await ada.call<PersonalLink>("POST", `${current}/link`);
    await api.db
      .insertInto("instances")
      .values({
        ...{ id: "i", owner_id: ada.playerId, started_by: ada.playerId, challenge_name: "notes", state: "created" },
        ...{ flag: null, flag_hmac: null, flag_reused: 0, started_at: 0, ready_at: null, stop_requested_at: null },
        ...{ terminated_at: null, termination_reason: null },
      })
      .execute();
    const other = await api.browser(ada.playerId);
    const { socket } = await other.socket();
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const { messages } = await api.socket();

    const answer = await ada.call("DELETE", current);
    expect([answer.status, answer.cookie]).toEqual([200, ""]);
    expect(await closed).toBe(1008);
    const now = api.clock.now();
    await api.clock.advance(1_000);
    await expect.poll(() => messages).toEqual([{ type: "player-delete", message: ada.playerId }]);

    expect(await api.db.selectFrom("player").selectAll().execute()).toEqual([
      {
        ...{
          id: ada.playerId,
          name: "Deleted player",
          federated_id: `deleted:${ada.playerId}`,
          roles: "",
          provider_roles: "",
        },
        ...{ api_key_hash: null, api_key_placeholder: null, api_key_scopes: "", attributes: "{}", email: null },
        ...{ created_at: now, deleted_at: now, banned_at: null },
      },
    ]);
    const [row] = await api.db.selectFrom("instances").selectAll().execute();
    expect(row).toMatchObject({ state: "stopping", stop_requested_at: now });
    expect(api.reconciled).toContain(ada.playerId);

    for (const browser of [ada, other]) expect((await browser.call("GET", current)).status).toBe(401);
    expect((await api.call("GET", current, { headers: withKey(key) })).status).toBe(401);
    const token = new URL(link.link).hash.slice(1);
    expect((await api.call("POST", "/api/sign-in", { body: { token } })).status).toBe(403);
    expect((await api.call("GET", `/api/players/${ada.playerId}`)).status).toBe(404);
    expect((await api.call("GET", "/api/players")).body).toEqual([]);
  });

  test("is deleted neither with an API key nor from another site", async () => {
    const ada = await api.signedIn("Ada");
    const withItsKey = await api.call<Problem>("DELETE", current, { headers: withKey(await ada.key()) });
    expect([withItsKey.status, withItsKey.body.code]).toEqual([400, "api_key_refused"]);
    const foreign = await ada.call<Problem>("DELETE", current, { headers: { origin: "https://evil.example" } });
    expect([foreign.status, foreign.body.code]).toEqual([403, "origin_refused"]);
    expect((await ada.call("GET", current)).status).toBe(200);
  });
});

describe("a personal link", () => {
  const tokenOf = ({ link }: PersonalLink) => new URL(link).hash.slice(1);
  const signIn = (token: string) => api.call<Problem>("POST", "/api/sign-in", { body: { token } });

  test("signs in until it is replaced, which ends all other sessions and their sockets", async () => {
    const ada = await api.signedIn("Ada");
    const bob = await api.signedIn("Bob");
    const first = (await ada.call<PersonalLink>("POST", `${current}/link`)).body;
    expect((await signIn(tokenOf(first))).status).toBe(204);
    const other = await api.browser(ada.playerId);
    const sockets = await Promise.all([ada, other, bob].map((browser) => browser.socket()));
    const second = (await ada.call<PersonalLink>("POST", `${current}/link`)).body;
    await expect.poll(() => sockets.map(({ socket }) => socket.readyState)).toEqual([1, 3, 1]);
    expect((await other.call("GET", current)).status).toBe(401);
    expect((await ada.call("GET", current)).status).toBe(200);
    const old = await signIn(tokenOf(first));
    expect([old.status, old.body.code]).toEqual([403, "sign_in_link_invalid"]);
    expect(old.text).not.toContain(tokenOf(first));
    api.clock.jumpWall(365 * 24 * 3_600_000);
    expect((await signIn(tokenOf(second))).status).toBe(204);
  });

  test("is not replaced with an API key", async () => {
    const ada = await api.signedIn("Ada");
    const answer = await api.call<Problem>("POST", `${current}/link`, { headers: withKey(await ada.key()) });
    expect([answer.status, answer.body.code]).toEqual([400, "api_key_refused"]);
  });
});

describe("an API key", () => {
  const admin = "/api/admin/players";

  test("has the role player, and the scopes that were asked for", async () => {
    const ada = await api.signedIn("Ada", { roles: ["admin", "support"] });
    const rolesOf = async (key: string) =>
      (await api.call<CurrentPlayer>("GET", current, { headers: withKey(key) })).body.roles;
    expect(await rolesOf(await ada.key())).toEqual(["player"]);
    expect(await rolesOf(await ada.key("support"))).toEqual(["player", "support"]);
    const key = await ada.key("admin,support");
    expect(await rolesOf(key)).toEqual(["player", "support", "admin"]);
    expect((await api.call("GET", admin, { headers: withKey(key) })).status).toBe(200);
    const plain = await ada.key();
    const refused = await api.call<Problem>("GET", admin, { headers: withKey(plain) });
    expect([refused.status, refused.body.code]).toEqual([403, "role_required"]);
    expect((await api.call("GET", current, { headers: withKey(key) })).status).toBe(401);
  });

  test.each(["admin", "player,author", "root", "%00", "Admin"])(
    "does not get the scopes %s of others",
    async (scopes) => {
      const ada = await api.signedIn("Ada", { roles: ["support"] });
      const before = await ada.key();
      const answer = await ada.call<Problem>("DELETE", `${current}/api-key?scopes=${scopes}`);
      expect(answer.body).toMatchObject({ status: 400, code: "invalid_request", field: "scopes" });
      expect((await api.call("GET", current, { headers: withKey(before) })).status).toBe(200);
    },
  );

  test("is not replaced with itself", async () => {
    const ada = await api.signedIn("Ada");
    const key = await ada.key();
    const answer = await api.call<Problem>("DELETE", `${current}/api-key`, { headers: withKey(key) });
    expect([answer.status, answer.body.code]).toEqual([400, "api_key_refused"]);
    expect((await api.call("GET", current, { headers: withKey(key) })).status).toBe(200);
  });
});
