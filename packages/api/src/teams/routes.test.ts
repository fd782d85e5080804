import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Browser, TestApi } from "../testing/test-api.ts";
import type { CurrentTeam, Problem, Team } from "../wire.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.start();
  api.rules.teams = { enabled: true, maxSize: 3 };
});
afterEach(() => api[Symbol.asyncDispose]());

type Answered = CurrentTeam & Problem;
const create = (who: Browser, name: string, more = {}) =>
  who.call<Answered>("POST", "/api/teams/create", { body: { name, ...more } });
const join = (who: Browser, joinToken: string) =>
  who.call<Answered>("POST", "/api/teams/join", { body: { joinToken } });
const current = (who: Browser) => who.call<Answered>("GET", "/api/teams/current");
const leave = (who: Browser) => who.call<Problem>("DELETE", "/api/teams/current");

/** A team with a captain and one member. */
async function pair(): Promise<{ captain: Browser; member: Browser; team: CurrentTeam }> {
  const [captain, member] = [await api.signedIn("Ada"), await api.signedIn("Grace")];
  const { body } = await create(captain, "Compilers");
  await api.clock.advance(1);
  await join(member, body.joinToken);
  return { captain, member, team: (await current(captain)).body };
}

describe("a team", () => {
  test("is created, joined, listed without its join token, and left", async () => {
    const { captain, member, team } = await pair();
    expect(team).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Compilers",
      joinToken: expect.stringMatching(/^[0-9A-F]{64}$/),
      players: [captain.playerId, member.playerId],
      captainId: captain.playerId,
      division: null,
    });
    const { joinToken: _, ...shown } = team;
    expect((await api.call<Team[]>("GET", "/api/teams")).body).toEqual([shown]);
    expect((await api.call<Team>("GET", `/api/teams/${team.id}`)).body).toEqual(shown);
    expect((await leave(captain)).status).toBe(204);
    expect((await current(member)).body).toMatchObject({ captainId: member.playerId, players: [member.playerId] });
    expect((await leave(member)).status).toBe(204);
    expect((await api.call<Team[]>("GET", "/api/teams")).body).toEqual([]);
    expect((await join(captain, team.joinToken)).body.code).toBe("join_token_wrong");
    // The name is free again.
    expect((await create(captain, "Compilers")).status).toBe(200);
  });

  test("is announced when it changes", async () => {
    const { messages } = await api.socket();
    const { captain, member, team } = await pair();
    const heard = () => messages.filter(({ type }) => type.startsWith("team")).map(({ type }) => type);
    const hears = (...types: string[]) =>
      expect
        .poll(async () => {
          await api.clock.advance(1_000);
          return heard();
        })
        .toEqual(types);
    await hears("team");
    await leave(member);
    await hears("team", "team");
    await leave(captain);
    await hears("team", "team", "team-delete");
    expect(JSON.stringify(messages)).not.toContain(team.joinToken);
  });

  test("has a captain, who alone manages it", async () => {
    const { captain, member, team } = await pair();
    const kick = (who: Browser, id: string) => who.call<Answered>("DELETE", `/api/teams/current/players/${id}`);
    const rename = (who: Browser, name: string) =>
      who.call<Answered>("PATCH", "/api/teams/current", { body: { name } });
    const transfer = (who: Browser, playerId: string) =>
      who.call<Answered>("PUT", "/api/teams/current/captain", { body: { playerId } });
    for (const refused of [await kick(member, captain.playerId), await rename(member, "Mine")]) {
      expect([refused.status, refused.body.code]).toEqual([403, "captain_required"]);
    }
    expect((await kick(captain, captain.playerId)).status).toBe(400);
    expect((await transfer(captain, crypto.randomUUID())).status).toBe(400);
    expect((await rename(captain, "Linkers")).body.name).toBe("Linkers");
    expect((await transfer(captain, member.playerId)).body.captainId).toBe(member.playerId);
    const { body } = await kick(member, captain.playerId);
    expect(body.players).toEqual([member.playerId]);
    // The one who was removed knows the token of before.
    expect(body.joinToken).not.toBe(team.joinToken);
    expect((await join(captain, team.joinToken)).body.code).toBe("join_token_wrong");
    const replaced = await member.call<Answered>("POST", "/api/teams/current/join-token");
    expect((await join(captain, body.joinToken)).status).toBe(400);
    expect((await join(captain, ` ${replaced.body.joinToken}\n`)).status).toBe(200);
  });

  test("has no more members than allowed, however many join at once", async () => {
    const { team } = await pair();
    const more = await Promise.all(["a", "b", "c", "d"].map((name) => api.signedIn(name)));
    const answers = await Promise.all(more.map((one) => join(one, team.joinToken)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    expect(answers.filter(({ body }) => body.code === "team_full")).toHaveLength(3);
  });

  test("of a player is one, however many are created at once", async () => {
    const player = await api.signedIn("Ada");
    const answers = await Promise.all(["a", "b", "c"].map((name) => create(player, name)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect((await api.call<Team[]>("GET", "/api/teams")).body).toHaveLength(1);
  });

  test("belongs to a division of the competition", async () => {
    api.rules.divisions = [{ name: "students", title: "Students" }];
    const player = await api.signedIn("Ada");
    expect((await create(player, "A", { division: "pros" })).body).toMatchObject({ field: "division" });
    expect((await create(player, "A", { division: "students" })).body.division).toBe("students");
  });

  test("of an account that is deleted goes on, or goes with its last member", async () => {
    const { captain, member } = await pair();
    await captain.call("DELETE", "/api/players/current");
    expect((await current(member)).body).toMatchObject({ captainId: member.playerId, players: [member.playerId] });
    await member.call("DELETE", "/api/players/current");
    expect((await api.call<Team[]>("GET", "/api/teams")).body).toEqual([]);
  });
});

describe("the name of a team", () => {
  test.each(["", "   ", "x".repeat(33), "a\u202eb", "a\u0000b", "a\nb", "a\u200bb"])("%j is refused", async (name) => {
    const { status, body } = await create(await api.signedIn("Ada"), name);
    expect([status, body.field]).toEqual([400, "name"]);
  });

  test.each(["<b>x</b>", "' or 1=1 --", "Bär & Söhne", "山", "a".repeat(32)])("%j is accepted", async (name) => {
    expect((await create(await api.signedIn("Ada"), name)).body.name).toBe(name);
  });

  test.each(["compilers", "Ｃompilers", " Compilers "])("%j looks like another one", async (name) => {
    await pair();
    expect((await create(await api.signedIn("Eve"), name)).body).toMatchObject({ code: "team_taken", field: "name" });
  });
});

test("where teams are off, nothing can be done with them", async () => {
  api.rules.teams = { enabled: false };
  const player = await api.signedIn("Ada");
  for (const { body } of [
    await create(player, "A"),
    await join(player, "x"),
    await current(player),
    await leave(player),
  ]) {
    expect(body.code).toBe("teams_off");
  }
  expect((await api.call<Team[]>("GET", "/api/teams")).body).toEqual([]);
});

test("after the end nobody joins or leaves, except admins", async () => {
  const { member, team } = await pair();
  api.rules.end = new Date(api.clock.now()).toISOString();
  expect((await leave(member)).body.code).toBe("competition_over");
  expect((await join(await api.signedIn("Eve"), team.joinToken)).body.code).toBe("competition_over");
  expect((await join(await api.signedIn("Root", { roles: ["admin"] }), team.joinToken)).status).toBe(200);
});
