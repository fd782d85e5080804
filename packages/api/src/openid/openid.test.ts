/** Sign-in at the real oidc-provider, with a client that does what a browser does. */
import { clientSecret, IdentityProvider, startFakeOauth } from "@berg/test/openid";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findPlayerByFederatedId, isStaff } from "../players/store.ts";
import { type Answer, publicUrl, TestApi } from "../testing/test-api.ts";
import type { AdminPlayer, CurrentPlayer, Problem, Session, SignedOut } from "../wire.ts";
import { readProviderSettings } from "./settings.ts";
import { findPlayerByIdentity } from "./store.ts";

let school: IdentityProvider;
let club: IdentityProvider;
let api: TestApi;
const roles = {
  SCOPES: "openid profile groups",
  ROLE_CLAIM: "groups",
  ROLE_ADMIN: "staff,root",
  ROLE_AUTHOR: "writers",
};

beforeAll(async () => {
  school = await IdentityProvider.start({ publicUrl, name: "school" });
  club = await IdentityProvider.start({ publicUrl, name: "club" });
});
afterAll(async () => {
  await school?.[Symbol.asyncDispose]();
  await club?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  school.tamper = undefined;
  school.accounts.clear();
  school.accounts.set("ada", { name: "Ada" });
  api = await startApi();
});
afterEach(() => api[Symbol.asyncDispose]());

function startApi(): Promise<TestApi> {
  const env = {
    OIDC_PROVIDERS: "school,club",
    ...school.environment({ TITLE: "School", ...roles }),
    ...club.environment(),
  };
  return TestApi.start({ providers: readProviderSettings(env) });
}

/** A browser: it keeps the cookies, and does not follow redirects. */
class Visitor {
  readonly cookies = new Map<string, string>();
  #on: TestApi;

  constructor(on = api) {
    this.#on = on;
  }

  async visit<T>(url: string, method: "GET" | "POST" | "PUT" = "GET"): Promise<Answer<T> & { location: string }> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await this.#on.call<T>(method, url.replace(publicUrl, ""), { headers: { cookie } });
    for (const line of [answer.headers["set-cookie"] ?? []].flat()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(String(line)) ?? [];
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { ...answer, location: String(answer.headers.location ?? "") };
  }

  /** The URL of the provider. */
  async begin(provider = "school", query = ""): Promise<string> {
    return (await this.visit(`/api/sign-in/${provider}${query}`)).location;
  }

  /** The URL of the callback, which was not visited yet. */
  async callback(account = "ada", at = school, provider = "school"): Promise<string> {
    return at.signIn(await this.begin(provider), account);
  }

  /** Where the browser is at the end. */
  async signIn(account = "ada", at = school, provider = "school"): Promise<string> {
    return (await this.visit(await this.callback(account, at, provider))).location;
  }

  async player(): Promise<CurrentPlayer | undefined> {
    const { status, body } = await this.visit<CurrentPlayer>("/api/players/current");
    return status === 200 ? body : undefined;
  }
}

const failed = (code: string) => `${publicUrl}/sign-in?error=${code}`;
const changed = (url: string, change: (parameters: URLSearchParams) => void) => {
  const other = new URL(url);
  change(other.searchParams);
  return other.href;
};

describe("a first sign-in", () => {
  test("creates the account, sets the session cookie and shows the page that was asked for", async () => {
    const visitor = new Visitor();
    expect((await visitor.visit("/api/sign-in/providers")).body).toEqual([
      { name: "school", title: "School" },
      { name: "club", title: "club" },
    ]);
    const begun = await visitor.visit("/api/sign-in/school?return=%2Fchallenges%2Fnotes%3Fa%3Db");
    expect(begun.status).toBe(302);
    expect(String(begun.headers["set-cookie"])).toMatch(
      /^berg-sign-in=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const asked = new URL(begun.location);
    expect(asked.origin).toBe(school.issuer);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      ...{ response_type: "code", scope: "openid profile groups", code_challenge_method: "S256" },
      ...{ code_challenge: expect.any(String), state: expect.any(String), nonce: expect.any(String) },
    });
    const done = await visitor.visit(await school.signIn(begun.location, "ada"));
    expect([done.status, done.location]).toEqual([302, `${publicUrl}/challenges/notes?a=b`]);
    expect(await visitor.player()).toMatchObject({
      ...{ name: "Ada", roles: ["player"], federatedId: `${school.issuer}#ada` },
    });
    expect(await api.db.selectFrom("pending_sign_in").selectAll().execute()).toEqual([]);
  });

  test("of one identity in two browsers at the same time makes one account", async () => {
    const visitors = [new Visitor(), new Visitor()];
    const places = await Promise.all(visitors.map((visitor) => visitor.signIn()));
    expect(places).toEqual([`${publicUrl}/challenges`, `${publicUrl}/challenges`]);
    const [one, two] = await Promise.all(visitors.map((visitor) => visitor.player()));
    expect(one?.id).toBe(two?.id);
  });

  test("can be under way in two tabs", async () => {
    const visitor = new Visitor();
    const callbacks = [await visitor.callback(), await visitor.callback()];
    for (const url of callbacks) expect((await visitor.visit(url)).location).toBe(`${publicUrl}/challenges`);
  });

  test("of the same subject at another provider is another account", async () => {
    const [one, two] = [new Visitor(), new Visitor()];
    await one.signIn();
    await two.signIn("ada", club, "club");
    expect((await two.player())?.federatedId).toBe(`${club.issuer}#ada`);
    expect((await two.player())?.id).not.toBe((await one.player())?.id);
  });

  test.each([
    ["closed", { mode: "closed" as const }, "registration_closed"],
    ["ended", { mode: "open" as const, closesAt: "2020-01-01T00:00:00Z" }, "registration_closed"],
    ["by code", { mode: "code" as const }, "registration_code_required"],
    ["full", { mode: "open" as const, maxPlayers: 0 }, "registration_full"],
  ])(
    "is refused where registration is %s, but not for staff and for known identities",
    async (_, registration, code) => {
      const known = new Visitor();
      await known.signIn("ada");
      api.rules = { ...api.rules, registration };
      expect(await known.signIn("ada")).toBe(`${publicUrl}/challenges`);
      const unknown = new Visitor();
      expect(await unknown.signIn("bob")).toBe(failed(code));
      expect(await unknown.player()).toBeUndefined();
      expect(await findPlayerByFederatedId(api.db, `${school.issuer}#bob`)).toBeUndefined();
      school.accounts.set("eve", { name: "Eve", groups: ["staff"] });
      const staff = new Visitor();
      expect(await staff.signIn("eve")).toBe(`${publicUrl}/challenges`);
    },
  );
});

describe("roles", () => {
  test("of the claim are replaced at each sign-in, which ends other sessions and the key; granted ones stay", async () => {
    const granting = await api.signedIn("Root", { roles: ["admin"] });
    school.accounts.set("ada", { name: "Ada", groups: ["staff", "unknown"] });
    const first = new Visitor();
    await first.signIn();
    const { id, roles: given } = (await first.player()) as CurrentPlayer;
    expect(given).toEqual(["player", "admin"]);
    const put = (some: string[]) => granting.call("PUT", `/api/admin/players/${id}/roles`, { body: { roles: some } });
    const refused = await put(["support"]);
    expect([refused.status, (refused.body as Problem).detail]).toEqual([
      400,
      expect.stringContaining("The role admin comes from"),
    ]);
    expect((await put(["admin", "support"])).body as AdminPlayer).toMatchObject({
      roles: ["player", "support", "admin"],
      providerRoles: ["admin"],
    });
    expect(await first.player()).toBeUndefined();

    await first.signIn();
    school.accounts.set("ada", { name: "Ada Lovelace", groups: "writers" });
    const second = new Visitor();
    await second.signIn();
    expect(await second.player()).toMatchObject({ id, name: "Ada Lovelace", roles: ["player", "author", "support"] });
    expect(await first.player()).toBeUndefined();

    school.accounts.set("ada", { name: "Ada Lovelace" });
    await first.signIn();
    expect((await first.player())?.roles).toEqual(["player", "support"]);
  });

  test("that stay the same end no session", async () => {
    school.accounts.set("ada", { name: "Ada", groups: ["staff"] });
    const [one, two] = [new Visitor(), new Visitor()];
    await one.signIn();
    await two.signIn();
    expect((await one.player())?.roles).toEqual(["player", "admin"]);
    expect((await one.visit<Session[]>("/api/players/current/sessions")).body).toHaveLength(2);
  });

  test("of staff take no place", async () => {
    school.accounts.set("eve", { name: "Eve", groups: ["root"] });
    await new Visitor().signIn("eve");
    const player = await findPlayerByIdentity(api.db, { issuer: school.issuer, subject: "eve" });
    expect(player && isStaff(player)).toBe(true);
    api.rules = { ...api.rules, registration: { mode: "open", maxPlayers: 1 } };
    expect(await new Visitor().signIn("ada")).toBe(`${publicUrl}/challenges`);
  });
});

test("a name from the provider is made fit for players", async () => {
  for (const [given, wanted] of [
    [`\u0000 ${"x".repeat(63)}\u{1f600}`, "x".repeat(63)],
    ["  ", "Player"],
    [42, "Player"],
  ]) {
    school.accounts.set("ada", { name: given });
    const visitor = new Visitor();
    await visitor.signIn();
    expect((await visitor.player())?.name).toBe(wanted);
  }
});

test("a deleted account comes back as a new one", async () => {
  const visitor = new Visitor();
  await visitor.signIn();
  const before = await visitor.player();
  // As the version before this one does it: the identity stays.
  await api.db.updateTable("player").set({ deleted_at: 1, federated_id: "deleted:x", name: "" }).execute();
  api.context.sessions.invalidate(before?.id ?? "");
  expect(await visitor.player()).toBeUndefined();
  await visitor.signIn();
  expect(await visitor.player()).toMatchObject({ name: "Ada", id: expect.not.stringMatching(before?.id ?? "") });
});

test("a banned player cannot sign in", async () => {
  const visitor = new Visitor();
  await visitor.signIn();
  const { id = "" } = (await visitor.player()) ?? {};
  await api.db.updateTable("player").set({ banned_at: 1 }).where("id", "=", id).execute();
  api.context.sessions.invalidate(id);
  expect(await visitor.player()).toBeUndefined();
  expect(await visitor.signIn()).toBe(failed("banned"));
  expect(await visitor.player()).toBeUndefined();
});

test("signing out leads to the provider; a session of a link ends here only", async () => {
  const visitor = new Visitor();
  await visitor.signIn();
  const out = await visitor.visit<SignedOut>("/api/sign-out", "POST");
  expect(out.status).toBe(200);
  const url = new URL(out.body.url);
  expect(url.origin + url.pathname).toBe(`${school.issuer}/session/end`);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: "berg",
    post_logout_redirect_uri: `${publicUrl}/`,
  });
  expect(await visitor.player()).toBeUndefined();
  const other = await api.signedIn("Bob");
  expect((await other.call("POST", "/api/sign-out")).status).toBe(204);
});

describe("is refused:", () => {
  afterEach(async () => {
    // Nothing that a browser, a provider or the settings hold back is in the log.
    for (const secret of [clientSecret, "code=", "eyJ"]) expect(api.logged.join("\n")).not.toContain(secret);
  });

  const wrongTokens: [string, (claims: Record<string, unknown>) => Record<string, unknown>][] = [
    ["another issuer", (claims) => ({ ...claims, iss: club.issuer })],
    ["another audience", (claims) => ({ ...claims, aud: "someone-else" })],
    ["another nonce", (claims) => ({ ...claims, nonce: "stolen" })],
    ["no nonce", ({ nonce, ...claims }) => claims],
    ["an expiry in the past", (claims) => ({ ...claims, exp: 1 })],
    ["another subject than the user info", (claims) => ({ ...claims, sub: "admin" })],
  ];
  test.each(wrongTokens)("an ID token with %s", async (_, tamper) => {
    school.tamper = tamper;
    const visitor = new Visitor();
    expect(await visitor.signIn()).toBe(failed("sign_in_refused"));
    expect(await visitor.player()).toBeUndefined();
    school.tamper = undefined;
    expect(await visitor.signIn()).toBe(`${publicUrl}/challenges`);
  });

  test("an ID token with the signature of another key", async () => {
    const visitor = new Visitor();
    const url = await visitor.callback();
    const other = await IdentityProvider.start({ publicUrl, name: "school" });
    await using _ = other;
    school.tamper = (claims) => claims;
    school.signWith(other);
    expect((await visitor.visit(url)).location).toBe(failed("sign_in_refused"));
    school.rotateKey();
  });

  test.each<[string, string, (url: string) => string]>([
    ["a state that nobody asked for", "sign_in_expired", (url) => changed(url, (query) => query.set("state", "x"))],
    ["no state", "sign_in_expired", (url) => changed(url, (query) => query.delete("state"))],
    ["two states", "sign_in_expired", (url) => `${url}&state=x`],
    ["a code of somebody else", "sign_in_refused", (url) => changed(url, (query) => query.set("code", "x"))],
    ["two codes", "sign_in_refused", (url) => `${url}&code=x`],
    ["the iss of another provider", "sign_in_refused", (url) => changed(url, (query) => query.set("iss", club.issuer))],
    ["no iss", "sign_in_refused", (url) => changed(url, (query) => query.delete("iss"))],
    ["the callback of another provider", "sign_in_expired", (url) => url.replace("/school/", "/club/")],
    ["an error with a text", "sign_in_refused", (url) => changed(url, withError("<b>evil</b>"))],
    ["that the player cancelled", "sign_in_cancelled", (url) => changed(url, withError("access_denied"))],
    ["that the provider is overloaded", "provider_unavailable", (url) => changed(url, withError("server_error"))],
  ])("an answer with %s", async (_, code, change) => {
    const visitor = new Visitor();
    const answer = await visitor.visit(change(await visitor.callback()));
    expect([answer.status, answer.location]).toEqual([302, failed(code)]);
    expect(answer.text + api.logged.join()).not.toContain("evil");
    expect(await visitor.player()).toBeUndefined();
  });

  test("an answer that was used already", async () => {
    const visitor = new Visitor();
    const url = await visitor.callback();
    expect((await visitor.visit(url)).location).toBe(`${publicUrl}/challenges`);
    expect((await visitor.visit(url)).location).toBe(failed("sign_in_expired"));
  });

  test("an answer that arrives twice at the same time, once", async () => {
    const visitor = new Visitor();
    const url = await visitor.callback();
    const places = await Promise.all([visitor.visit(url), visitor.visit(url)]);
    expect(places.map(({ location }) => location).sort()).toEqual([
      `${publicUrl}/challenges`,
      failed("sign_in_expired"),
    ]);
  });

  test("an answer in another browser", async () => {
    const url = await new Visitor().callback();
    const victim = new Visitor();
    expect((await victim.visit(url)).location).toBe(failed("sign_in_expired"));
    await victim.begin();
    expect((await victim.visit(url)).location).toBe(failed("sign_in_expired"));
    expect(await victim.player()).toBeUndefined();
  });

  test("an answer after ten minutes", async () => {
    const visitor = new Visitor();
    const url = await visitor.callback();
    await api.clock.advance(10 * 60_000);
    expect((await visitor.visit(url)).location).toBe(failed("sign_in_expired"));
  });

  test("a code of one sign-in in the answer to another one: PKCE", async () => {
    const [attacker, victim] = [new Visitor(), new Visitor()];
    const stolen = new URL(await victim.callback()).searchParams.get("code") ?? "";
    const url = changed(await attacker.callback("eve"), (query) => query.set("code", stolen));
    expect((await attacker.visit(url)).location).toBe(failed("sign_in_refused"));
    expect(await attacker.player()).toBeUndefined();
  });

  test("a code that has expired at the provider", async () => {
    await using slow = await IdentityProvider.start({ publicUrl, name: "slow", codeLifetime: 1 });
    const env = { OIDC_PROVIDERS: "slow", ...slow.environment() };
    await using other = await TestApi.start({ providers: readProviderSettings(env) });
    const visitor = new Visitor(other);
    const url = await visitor.callback("ada", slow, "slow");
    const expired = Date.now() + 2_000;
    await expect.poll(() => Date.now(), { interval: 200 }).toBeGreaterThan(expired);
    expect((await visitor.visit(url)).location).toBe(failed("sign_in_refused"));
  });

  test.each([
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/.//evil.example",
    "/\t/evil.example",
    "javascript:alert(1)",
    "challenges",
    "/api/sign-out",
    "/x/../api/sign-in/school",
    "",
  ])("to return to %j", async (path) => {
    const answer = await new Visitor().visit<Problem>(`/api/sign-in/school?return=${encodeURIComponent(path)}`);
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, "invalid_request", "return"]);
  });

  test("a provider that there is not", async () => {
    for (const path of ["/api/sign-in/nobody", "/api/sign-in/nobody/callback"]) {
      const answer = await new Visitor().visit<Problem>(path);
      expect([answer.status, answer.body.detail]).toEqual([404, expect.stringContaining("There are: school, club.")]);
    }
  });

  test("too many of one address", async () => {
    const visitor = new Visitor();
    const places: string[] = [];
    for (let count = 0; count < 305; count++)
      places.push((await visitor.visit("/api/sign-in/school/callback")).location);
    expect(places.at(0)).toBe(failed("sign_in_expired"));
    expect(places.at(-1)).toBe(failed("too_many_requests"));
    expect(await visitor.begin()).toBe(failed("too_many_requests"));
  });
});

describe("a provider", () => {
  test("that is away leaves the others and the API alone, and is used again when it is back", async () => {
    await school.goAway();
    const visitor = new Visitor();
    expect(await visitor.begin()).toBe(failed("provider_unavailable"));
    expect(await visitor.signIn("ada", club, "club")).toBe(`${publicUrl}/challenges`);
    expect(api.logged.filter((line) => line.includes("does not answer"))).toHaveLength(1);
    await school.comeBack();
    const back = new Visitor();
    const url = await back.callback();
    await school.goAway();
    expect((await back.visit(url)).location).toBe(failed("provider_unavailable"));
    await school.comeBack();
    expect(await back.signIn()).toBe(`${publicUrl}/challenges`);
  });

  test("that rotates its key is trusted at once", async () => {
    const visitor = new Visitor();
    expect(await visitor.signIn()).toBe(`${publicUrl}/challenges`);
    school.rotateKey();
    expect(await visitor.signIn()).toBe(`${publicUrl}/challenges`);
  });

  test("is asked for its discovery document once a minute, however many sign in", async () => {
    const count = () => school.requests.filter((path) => path.includes("openid-configuration")).length;
    const before = count();
    await Promise.all([new Visitor().begin(), new Visitor().begin()]);
    await new Visitor().begin();
    expect(count() - before).toBe(1);
    await api.clock.advance(60_000);
    await new Visitor().begin();
    expect(count() - before).toBe(2);
  });
});

describe("plain OAuth 2, against a mock:", () => {
  test.each([
    [
      "discord" as const,
      { id: "80351110224678912", username: "nelly", global_name: "Nelly" },
      "80351110224678912",
      "Nelly",
    ],
    ["discord" as const, { id: "1", username: "nelly", global_name: null }, "1", "nelly"],
    ["ctftime" as const, { team: { id: 4711, name: "dcua" } }, "4711", "dcua"],
  ])("%s", async (type, user, subject, name) => {
    const client = { clientId: "12345", clientSecret };
    await using fake = await startFakeOauth(type, client);
    fake.user = user;
    const prefix = `OIDC_${type.toUpperCase()}`;
    const env = {
      OIDC_PROVIDERS: type,
      [`${prefix}_TYPE`]: type,
      [`${prefix}_ISSUER`]: fake.issuer,
      [`${prefix}_CLIENT_ID`]: client.clientId,
      [`${prefix}_CLIENT_SECRET`]: client.clientSecret,
    };
    await using other = await TestApi.start({ providers: readProviderSettings(env) });
    const visitor = new Visitor(other);
    const authorize = async () => {
      const response = await fetch(await visitor.begin(type), { redirect: "manual" });
      return response.headers.get("location") ?? "";
    };
    expect((await visitor.visit(await authorize())).location).toBe(`${publicUrl}/challenges`);
    expect(await visitor.player()).toMatchObject({ name, federatedId: `${fake.issuer}#${subject}`, roles: ["player"] });
    expect((await visitor.visit("/api/sign-out", "POST")).status).toBe(204);
    fake.user = { id: null, team: null };
    expect((await visitor.visit(await authorize())).location).toBe(failed("sign_in_refused"));
    expect((await visitor.visit(changed(await authorize(), (query) => query.set("code", "x")))).location).toBe(
      failed("sign_in_refused"),
    );
  });
});

function withError(error: string): (query: URLSearchParams) => void {
  return (query) => {
    query.delete("code");
    query.set("error", error);
    query.set("error_description", "<b>evil</b>");
  };
}
