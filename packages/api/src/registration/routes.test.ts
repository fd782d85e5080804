import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Answer, type Call, TestApi } from "../testing/test-api.ts";
import type { CurrentPlayer, PersonalLink, Problem, SignInOptions } from "../wire.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.start();
});
afterEach(() => api[Symbol.asyncDispose]());

const register = (body: unknown, call: Call = {}): Promise<Answer<PersonalLink & Problem>> =>
  api.call("POST", "/api/registration", { body, ...call });
const players = () => api.db.selectFrom("player").selectAll().execute();
const tokenOf = ({ body }: Answer<PersonalLink>) => new URL(body.link).hash.slice(1);

const country = {
  name: "country",
  title: "Country",
  description: "",
  public: true,
  required: true,
  values: [
    { value: "CH", title: "Switzerland", description: "" },
    { value: "AT", title: "", description: "" },
  ],
};
const school = { ...country, name: "school", title: "", public: false, required: false };

describe("registering", () => {
  test("signs in at once, and gives a personal link that signs in again and again", async () => {
    const answer = await register({ name: "  Ada  " }, { headers: { "user-agent": "Firefox\u0007" } });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ link: expect.stringMatching(/^http:\/\/berg\.localhost:8080\/sign-in#[\w-]{43}$/) });
    expect(String(answer.headers["set-cookie"])).toMatch(
      /^berg=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const { body } = await api.call<CurrentPlayer>("GET", "/api/players/current", {
      headers: { cookie: answer.cookie },
    });
    expect(body).toMatchObject({ name: "Ada", roles: ["player"], attributes: {}, apiKeyPlaceholder: null });
    expect(body.federatedId).toMatch(/^local:[0-9a-f-]{36}$/);
    for (let i = 0; i < 2; i++) {
      const again = await api.call("POST", "/api/sign-in", { body: { token: tokenOf(answer) } });
      expect([again.status, again.cookie !== answer.cookie]).toEqual([204, true]);
    }
  });

  test("stores neither the link nor the session in clear, and logs none of them", async () => {
    const answer = await register({ name: "Ada" });
    const stored = JSON.stringify([
      await players(),
      await api.db.selectFrom("session").selectAll().execute(),
      await api.db.selectFrom("sign_in_link").selectAll().execute(),
    ]);
    expect(stored).not.toContain(tokenOf(answer));
    expect(stored).not.toContain(answer.cookie?.slice("berg=".length));
    expect(api.logged.join()).not.toContain(tokenOf(answer));
    expect(api.logged.join()).not.toContain("Ada");
  });

  test("ends the session that the browser had, and its sockets", async () => {
    const before = await api.signedIn("Before");
    const { socket } = await before.socket();
    const closed = new Promise((resolve) => socket.once("close", resolve));
    expect((await register({ name: "Ada" }, { headers: { cookie: before.cookie } })).status).toBe(201);
    expect(await closed).toBe(1008);
    expect((await before.call("GET", "/api/players/current")).status).toBe(401);
  });

  test("is announced with public attributes only", async () => {
    api.rules = { ...api.rules, playerAttributes: [country, school] };
    const { messages } = await api.socket();
    await register({ name: "Ada", attributes: { country: "CH", school: "AT" } });
    await expect
      .poll(async () => {
        // Sent with the next tick after the player was read.
        await api.clock.advance(1_000);
        return messages;
      })
      .toEqual([{ type: "player", message: { id: expect.any(String), name: "Ada", attributes: { country: "CH" } } }]);
  });

  const control = "must not contain control or invisible characters";
  test.each<[string, unknown, string, string]>([
    ["no name", {}, "name", "expected string"],
    ["a name of spaces", { name: "   " }, "name", ">=1"],
    ["a long name", { name: "x".repeat(65) }, "name", "<=64"],
    ["a name with a control character", { name: "a\u0000b" }, "name", control],
    ["a name that runs backwards", { name: "a\u202eb" }, "name", control],
    ["a name of another type", { name: { $ne: "" } }, "name", "expected string"],
    ["a code of another type", { name: "x", code: [] }, "code", "expected string"],
    ["attributes of another type", { name: "x", attributes: "CH" }, "attributes", "expected record"],
    ["no required attribute", { name: "x" }, "attributes.country", 'Choose a value for "Country"'],
    ["an unknown attribute", { name: "x", attributes: { constructor: "x" } }, "attributes.constructor", "There are: c"],
    ["an unknown value", { name: "x", attributes: { country: "XX" } }, "attributes.country", "Choose one of: CH, AT"],
    ["an attribute of another type", { name: "x", attributes: { country: 1 } }, "attributes.country", "string"],
  ])("is refused with %s, and nothing is stored", async (_, body, field, detail) => {
    api.rules = { ...api.rules, playerAttributes: [country, school] };
    const answer = await register(body);
    expect(answer.body).toMatchObject({ status: 400, code: "invalid_request", field });
    expect(answer.body.detail).toContain(detail);
    expect([await players(), answer.cookie]).toEqual([[], undefined]);
  });

  test.each([
    ["another site", { origin: "https://evil.example" }],
    ["nowhere", { origin: undefined }],
    ["another site with a key", { origin: "https://evil.example", authorization: "Bearer x" }],
  ])("is refused from %s", async (_, headers) => {
    const answer = await register({ name: "Ada" }, { headers });
    expect([answer.status, answer.body.code, await players()]).toEqual([403, "origin_refused", []]);
  });

  test("is limited by address", async () => {
    api.rules = { ...api.rules, registration: { mode: "closed" } };
    for (let i = 0; i < 300; i++) expect((await register({ name: "Ada" })).status).toBe(403);
    expect((await register({ name: "Ada" })).body).toMatchObject({ status: 429, retryAfter: 1 });
    expect((await register({ name: "Ada" }, { address: "192.0.2.2" })).status).toBe(403);
  });
});

describe("who may register", () => {
  test("nobody where it is closed", async () => {
    api.rules = { ...api.rules, registration: { mode: "closed" } };
    const { body } = await register({ name: "Ada" });
    expect(body).toMatchObject({ status: 403, code: "registration_closed", detail: expect.stringContaining("Ask") });
  });

  test("everybody within the window", async () => {
    const registration = { mode: "open", opensAt: "2026-01-01T01:00:00Z", closesAt: "2026-01-01T02:00:00Z" } as const;
    api.rules = { ...api.rules, registration };
    const early = await register({ name: "Ada" });
    expect(early.body).toMatchObject({
      code: "registration_closed",
      detail: "Registration opens at 2026-01-01T01:00:00Z.",
    });
    await api.clock.advance(3_600_000);
    expect((await register({ name: "Ada" })).status).toBe(201);
    await api.clock.advance(3_600_000);
    expect((await register({ name: "Ada" })).body).toMatchObject({
      code: "registration_closed",
      detail: expect.stringContaining("has ended"),
    });
  });

  test("those with the code, which no answer and no log contains", async () => {
    api.rules = { ...api.rules, registration: { mode: "code" } };
    const missing = await register({ name: "Ada", code: "" });
    expect(missing.body).toMatchObject({ status: 403, code: "registration_closed", field: "code" });
    api.code = "correct horse";
    for (const code of ["", "correct hors", "correct horse battery", "CORRECT HORSE"]) {
      const { body } = await register({ name: "Ada", code });
      expect(body).toMatchObject({ status: 403, code: "registration_code_wrong", field: "code" });
      expect(body.detail).not.toContain("horse");
    }
    expect(await players()).toEqual([]);
    expect((await register({ name: "Ada", code: " correct horse\n" })).status).toBe(201);
    expect(api.logged.join()).not.toContain("horse");
  });

  test("nobody at an address that has guessed too often, even with the code", async () => {
    api.rules = { ...api.rules, registration: { mode: "code" } };
    api.code = "correct horse";
    for (let i = 0; i < 10; i++) expect((await register({ name: "Ada", code: "x" })).status).toBe(403);
    expect((await register({ name: "Ada", code: api.code })).status).toBe(429);
    expect((await register({ name: "Ada", code: api.code }, { address: "192.0.2.2" })).status).toBe(201);
    await api.clock.advance(30_000);
    expect((await register({ name: "Ada", code: api.code })).status).toBe(201);
  });

  test("as many as there are places, however many come at the same time", async () => {
    api.rules = { ...api.rules, registration: { mode: "open", maxPlayers: 3 } };
    await api.signedIn("Admin", { roles: ["admin"] });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => register({ name: `Player ${i}` })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 201, 201, 403, 403, 403, 403, 403]);
    expect(answers.find(({ status }) => status === 403)?.body).toMatchObject({ code: "registration_full" });
    expect(await players()).toHaveLength(4);
    const { body } = await api.call<SignInOptions>("GET", "/api/sign-in");
    expect(body.registration).toMatchObject({ isOpen: false, isFull: true });
  });
});

test("everybody can read how to sign in", async () => {
  api.rules = {
    ...api.rules,
    logoUrl: "https://example.com/logo.svg",
    registration: { mode: "code", codeSecretRef: { name: "code", key: "code" }, closesAt: "2026-06-01T00:00:00Z" },
    visibility: { challenges: "players", board: "players", ctftime: false },
    playerAttributes: [country],
  };
  api.code = "correct horse";
  const { status, body, text } = await api.call<SignInOptions>("GET", "/api/sign-in");
  expect([status, body]).toEqual([
    200,
    {
      eventName: "Test",
      eventOrganiser: "Somebody",
      eventLogoUrl: "https://example.com/logo.svg",
      registration: { mode: "code", isOpen: true, isFull: false, opensAt: null, closesAt: "2026-06-01T00:00:00Z" },
      playerAttributes: [country],
      canMailLinks: false,
      serverTime: "2026-01-01T00:00:00.000Z",
    },
  ]);
  expect(text).not.toContain("horse");
});
