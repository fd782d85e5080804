/** The e-mail address of a player. No mail is sent here. */
import { afterEach, describe, expect, test } from "vitest";
import { TestApi, withKey } from "../testing/test-api.ts";
import type { CurrentPlayer, Problem, SignInOptions } from "../wire.ts";

let api: TestApi;
afterEach(() => api?.[Symbol.asyncDispose]());

const current = "/api/players/current";
const email = "ada@example.com";
const from = { name: "", address: "noreply@example.com" };
const withMail = () => TestApi.start({ mail: { host: "127.0.0.1", port: 1, tls: "none", auth: undefined, from } });

describe("with a mail server", () => {
  test("it is set at registration and on the profile, and removed", async () => {
    api = await withMail();
    expect((await api.call<SignInOptions>("GET", "/api/sign-in")).body.canMailLinks).toBe(true);
    const body = { name: "Ada", email: " Ada@Example.com " };
    const { cookie } = await api.call("POST", "/api/registration", { body });
    const headers = { cookie };
    const read = async () => (await api.call<CurrentPlayer>("GET", current, { headers })).body.email;
    expect(await read()).toBe(email);
    const patch = (change: object) => api.call<CurrentPlayer>("PATCH", current, { body: change, headers });
    expect((await patch({ name: "Eve" })).body.email).toBe(email);
    expect((await patch({ email: "new@example.com" })).body).toMatchObject({ name: "Eve", email: "new@example.com" });
    await patch({ email: null });
    expect(await read()).toBeNull();
  });

  test.each(["", "ada", "ada@", "a b@example.com", "ada@example.com\r\nBcc: x@y.z", `${"a".repeat(250)}@b.example`])(
    "%j is refused, and named",
    async (wrong) => {
      api = await withMail();
      const { status, body } = await api.call<Problem>("POST", "/api/registration", {
        body: { name: "Ada", email: wrong },
      });
      expect([status, body.field]).toEqual([400, "email"]);
      expect(await api.db.selectFrom("player").selectAll().execute()).toEqual([]);
    },
  );

  test("two accounts may have the same, and no one else sees it", async () => {
    api = await withMail();
    api.rules = { ...api.rules, registration: { mode: "open" } };
    const ada = await api.signedIn("Ada", { email });
    const socket = await ada.socket();
    await api.signedIn("Bob", { email });
    const admin = await api.signedIn("Admin", { roles: ["admin"] });
    await ada.call("PATCH", current, { body: { name: "Ada L.", email: "other@example.com" } });
    await expect
      .poll(async () => {
        await api.clock.advance(1_000);
        return JSON.stringify(socket.messages);
      })
      .toContain("Ada L.");
    const seen = [
      ...[await admin.call("GET", "/api/players"), await admin.call("GET", `/api/players/${ada.playerId}`)],
      await admin.call("GET", "/api/admin/players"),
    ].map(({ text }) => text);
    expect([...seen, JSON.stringify(socket.messages), api.logged.join()].join()).not.toContain("@example.com");
  });

  test("an API key cannot change it, or it could have a link sent to itself", async () => {
    api = await withMail();
    const ada = await api.signedIn("Ada", { email });
    const headers = withKey(await ada.key());
    for (const changed of ["eve@example.com", null]) {
      const { status, body } = await api.call<Problem>("PATCH", current, { body: { email: changed }, headers });
      expect([status, body.code]).toEqual([400, "api_key_refused"]);
    }
    expect((await ada.call<CurrentPlayer>("GET", current)).body.email).toBe(email);
  });

  test("accounts that sign in elsewhere have none", async () => {
    api = await withMail();
    const ada = await api.signedIn("Ada", { federatedId: "https://id.example.com#1" });
    const { status, body } = await ada.call<Problem>("PATCH", current, { body: { email } });
    expect([status, body.field]).toEqual([400, "email"]);
  });

  test("it is erased with the account", async () => {
    api = await withMail();
    const ada = await api.signedIn("Ada", { email });
    expect((await ada.call("DELETE", current)).status).toBe(200);
    expect(await api.db.selectFrom("player").select("email").execute()).toEqual([{ email: null }]);
  });
});

test("without a mail server nothing is stored, and the problem says so", async () => {
  api = await TestApi.start();
  const ada = await api.signedIn("Ada");
  expect((await api.call<SignInOptions>("GET", "/api/sign-in")).body.canMailLinks).toBe(false);
  for (const answer of [
    await api.call<Problem>("POST", "/api/sign-in/lost", { body: { email } }),
    await api.call<Problem>("POST", "/api/registration", { body: { name: "Bob", email } }),
    await ada.call<Problem>("PATCH", current, { body: { email } }),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([404, "mail_not_configured"]);
  }
  expect((await ada.call("PATCH", current, { body: { email: null } })).status).toBe(200);
  expect(await api.db.selectFrom("outbox").selectAll().execute()).toEqual([]);
});
