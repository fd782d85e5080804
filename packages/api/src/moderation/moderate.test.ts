import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLink } from "../sign-in/store.ts";
import { type Browser, publicUrl, TestApi, withKey } from "../testing/test-api.ts";
import type { AuditLog, CurrentTeam, Problem } from "../wire.ts";

let api: TestApi;
let admin: Browser;
beforeEach(async () => {
  api = await TestApi.start();
  admin = await api.signedIn("Root", { roles: ["admin"] });
});
afterEach(() => api[Symbol.asyncDispose]());

const moderate = (id: string, body: object, who = admin) =>
  who.call<Problem>("PATCH", `/api/admin/scorers/${id}`, { body });
const award = (body: object) => admin.call<Problem>("POST", "/api/admin/awards", { body });
const audit = async () => (await admin.call<AuditLog>("GET", "/api/admin/audit")).body.items;
const ledger = () =>
  api.db
    .selectFrom("ledger")
    .select(["kind", "scorer_id", "points", "detail"])
    .where("kind", "!=", "scorer")
    .orderBy("id")
    .execute();
const current = "/api/players/current";

describe("a banned player", () => {
  test("loses sessions, sockets and the API key at once, and cannot sign in until the ban ends", async () => {
    const ada = await api.signedIn("Ada");
    const key = await ada.key();
    const link = await createLink(api.db, ada.playerId, "personal", api.clock.now());
    const { socket } = await ada.socket();
    expect((await moderate(ada.playerId, { isBanned: true, reason: "shared flags" })).body).toEqual({
      isBanned: true,
      isHidden: false,
    });
    await expect.poll(() => socket.readyState).toBe(3);
    expect((await ada.call("GET", current)).status).toBe(401);
    expect((await api.call("GET", current, { headers: withKey(key) })).status).toBe(401);
    const signIn = (path: string) =>
      api.call<Problem>("POST", path, { body: { token: link }, headers: { origin: publicUrl } });
    for (const path of ["/api/sign-in/preview", "/api/sign-in"]) {
      expect((await signIn(path)).body).toMatchObject({ status: 403, code: "banned" });
    }
    // A session that was made at the same moment as the ban.
    const late = await api.browser(ada.playerId);
    expect((await late.call("GET", current)).status).toBe(401);

    // Entries of the audit log are in the order of time.
    await api.clock.advance(1);
    expect((await moderate(ada.playerId, { isBanned: false })).body).toEqual({ isBanned: false, isHidden: false });
    expect((await signIn("/api/sign-in")).status).toBe(204);
    expect(await ledger()).toMatchObject([
      { kind: "ban", scorer_id: ada.playerId, detail: "shared flags" },
      { kind: "unban", scorer_id: ada.playerId },
    ]);
    const none = { isBanned: false, isHidden: false };
    expect(await audit()).toMatchObject([
      { action: "player.moderate", actorName: "Root", target: ada.playerId, before: { isBanned: true }, after: none },
      { action: "player.moderate", before: none, after: { isBanned: true, reason: "shared flags" } },
    ]);
  });

  test("is not oneself, and is somebody", async () => {
    expect((await moderate(admin.playerId, { isBanned: true })).body).toMatchObject({ status: 400, field: "isBanned" });
    expect((await moderate(crypto.randomUUID(), { isBanned: true })).status).toBe(404);
    const ada = await api.signedIn("Ada");
    expect((await moderate(admin.playerId, { isBanned: true }, ada)).body.code).toBe("role_required");
    expect([await ledger(), await audit()]).toEqual([[], []]);
  });
});

test("what is so already is written once; hiding ends no session", async () => {
  const ada = await api.signedIn("Ada");
  await moderate(ada.playerId, { isHidden: true });
  await moderate(ada.playerId, { isHidden: true });
  expect(await ledger()).toMatchObject([{ kind: "hide", scorer_id: ada.playerId }]);
  expect((await ada.call("GET", current)).status).toBe(200);
});

test("the members of a banned team keep their sessions", async () => {
  api.rules.teams = { enabled: true };
  const ada = await api.signedIn("Ada");
  const { body: team } = await ada.call<CurrentTeam>("POST", "/api/teams/create", { body: { name: "Compilers" } });
  expect((await moderate(team.id, { isBanned: true })).body).toEqual({ isBanned: true, isHidden: false });
  expect((await ada.call("GET", current)).status).toBe(200);
  expect(await ledger()).toMatchObject([{ kind: "ban", scorer_id: team.id }]);
  expect(await audit()).toMatchObject([{ action: "team.moderate", target: team.id }]);
});

test("points are awarded to those who score, with a reason", async () => {
  const ada = await api.signedIn("Ada");
  expect((await award({ scorerId: ada.playerId, points: 50, reason: "Best write-up" })).status).toBe(204);
  expect((await award({ scorerId: ada.playerId, points: 50, reason: " " })).status).toBe(400);
  expect(await ledger()).toEqual([{ kind: "award", scorer_id: ada.playerId, points: 50, detail: "Best write-up" }]);
  expect(await audit()).toMatchObject([{ action: "player.award", after: { points: 50, reason: "Best write-up" } }]);
  await api.context.board.refresh();
  expect(api.context.board.model.public.standing(ada.playerId)).toMatchObject({ rank: 1, score: 50 });
  api.rules = { ...api.rules, teams: { enabled: true } };
  expect((await award({ scorerId: ada.playerId, points: 1, reason: "x" })).body).toMatchObject({ field: "scorerId" });
});
