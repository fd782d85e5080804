import { randomUUID } from "node:crypto";
import type { CompetitionSpec } from "@berg/resources";
import { competitionDefaults } from "@berg/resources";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { flagHmac } from "../instances/flags.ts";
import { insertRow } from "../instances/store.ts";
import { eraseAddresses } from "../sessions/addresses.ts";
import { publicUrl, startTestServer, type TestServer } from "../testing/test-server.ts";
import type { Problem, Solve, Submission } from "../wire.ts";

const dynamicFlag = { env: { name: "FLAG" } };
const containers = [{ hostname: "web", image: "web:1", dynamicFlag }] as never;

let server: TestServer;
let rules: CompetitionSpec;
beforeEach(async () => {
  rules = competitionDefaults();
  server = await startTestServer({ competition: rules });
  server.context.competition = () => rules;
  server.addChallenge("static", { flag: "flag{static}" });
  server.addChallenge("dynamic", { flag: "flag{x}", containers });
  server.addChallenge("hidden", { flag: "flag{hidden}", hideUntil: "2999-01-01T00:00:00Z" });
});
afterEach(() => server[Symbol.asyncDispose]());

interface Asker {
  id: string;
  headers: Record<string, string>;
}

async function submit({ headers }: Asker, challenge: string, flag: string) {
  const answer = await server.app.inject({
    ...{ method: "POST", url: "/api/solves", headers, payload: { challenge, flag } },
  });
  return { status: answer.statusCode, body: answer.json<Solve & Problem>() };
}

async function submissions({ headers }: Asker, query = ""): Promise<Submission[]> {
  return (await server.app.inject({ method: "GET", url: `/api/submissions${query}`, headers })).json();
}

const ledger = () => server.db.selectFrom("ledger").selectAll().where("kind", "=", "solve").orderBy("id").execute();
const incidents = () => server.db.selectFrom("incident").selectAll().execute();

/** An instance of the challenge `dynamic`, which has ended. */
async function instance(ownerId: string, flag: string, more: { startedBy?: string; isReused?: boolean } = {}) {
  const id = randomUUID();
  await insertRow(server.db, {
    ...{ id, owner_id: ownerId, started_by: more.startedBy ?? ownerId, challenge_name: "dynamic", flag },
    flag_hmac: flagHmac(server.context.flagKey, flag),
    flag_reused: more.isReused ? 1 : 0,
    ...{ state: "ended", started_at: 0, ready_at: null, stop_requested_at: 0, terminated_at: 0 },
    ...{ termination_reason: "Timeout", object_name: null, stop_reason: null, timeline: null },
  });
  return id;
}

describe("a flag", () => {
  test("that is right is a solve, once", async () => {
    const ada = await server.signIn();
    const { status, body } = await submit(ada, "static", " flag{static}\n");
    expect([status, body]).toEqual([
      200,
      { playerId: ada.id, challengeName: "static", solvedAt: expect.any(String), teamId: null, isPractice: false },
    ]);
    expect((await submit(ada, "static", "flag{static}")).body).toMatchObject({ status: 400, code: "already_solved" });
    expect(await ledger()).toMatchObject([{ kind: "solve", scorer_id: ada.id, challenge_name: "static" }]);
  });

  test("that is right is one solve, however often it is submitted at once", async () => {
    rules.submissions.burst = 1000;
    const ada = await server.signIn();
    const answers = await Promise.all(Array.from({ length: 100 }, () => submit(ada, "static", "flag{static}")));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await ledger()).toHaveLength(1);
    expect(await submissions(await server.signIn(["player", "admin"]), "?verdict=all")).toHaveLength(1);
  });

  test("of 50 players at once has ids without gaps, in one order", async () => {
    const players = await Promise.all(Array.from({ length: 50 }, () => server.signIn()));
    await Promise.all(players.map((one) => submit(one, "static", "flag{static}")));
    // Each player who signs up is an entry, too.
    expect((await ledger()).map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, index) => index + 51));
  });

  test("has the address of the submitter until addresses are erased, or none at all", async () => {
    const address = async () =>
      (await server.db.selectFrom("submission").select("address").orderBy("id", "desc").executeTakeFirst())?.address;
    await submit(await server.signIn(), "static", "flag{wrong}");
    expect(await address()).toBe("127.0.0.1");
    await eraseAddresses(server.db, server.context.clock.now());
    expect(await address()).toBeNull();
    Object.assign(server.context.settings, { addressRetentionMs: 0 });
    await server.db.deleteFrom("submission").execute();
    await submit(await server.signIn(), "static", "flag{wrong}");
    expect(await address()).toBeNull();
  });

  test("may be one of several, or match a pattern as a whole", async () => {
    const flags = [
      { type: "static" as const, content: "Flag{Two}", caseInsensitive: true },
      { type: "regex" as const, content: "flag\\{[0-9]+\\}", caseInsensitive: false },
      { type: "regex" as const, content: "(", caseInsensitive: false },
    ];
    server.addChallenge("many", { flag: "flag{one}", flags });
    for (const right of ["flag{one}", "fLAG{tWO}", "flag{42}"]) {
      expect((await submit(await server.signIn(), "many", right)).status, right).toBe(200);
    }
    for (const wrong of ["flag{ONE}", "flag{42}x", "flag{}", "("]) {
      expect((await submit(await server.signIn(), "many", wrong)).body.code, wrong).toBe("flag_wrong");
    }
  });

  test("is taken after the prerequisites are solved, and until the challenge closes", async () => {
    server.addChallenge("next", { flag: "flag{next}", prerequisites: ["static"] });
    server.addChallenge("closed", { flag: "flag{closed}", closesAt: "1970-01-01T00:00:00Z" });
    const ada = await server.signIn();
    expect((await submit(ada, "closed", "flag{closed}")).body).toMatchObject({ status: 400, code: "challenge_closed" });
    expect((await submit(ada, "next", "flag{next}")).body).toMatchObject({ status: 400, code: "challenge_locked" });
    await submit(ada, "static", "flag{static}");
    expect((await submit(ada, "next", "flag{next}")).status).toBe(200);
  });

  test("of a member of a banned team is refused", async () => {
    rules.teams = { enabled: true };
    const [ada, admin] = [await server.signIn(), await server.signIn(["player", "admin"])];
    const call = (method: "POST" | "PATCH", url: string, { headers }: Asker, payload: object) =>
      server.app.inject({ method, url, headers, payload });
    const { id } = (await call("POST", "/api/teams/create", ada, { name: "Compilers" })).json<{ id: string }>();
    await call("PATCH", `/api/admin/scorers/${id}`, admin, { isBanned: true });
    expect((await submit(ada, "static", "flag{static}")).body).toMatchObject({ status: 403, code: "banned" });
    await call("PATCH", `/api/admin/scorers/${id}`, admin, { isBanned: false });
    expect((await submit(ada, "static", "flag{static}")).body).toMatchObject({ teamId: id });
  });

  test("that is wrong is stored with its value", async () => {
    const ada = await server.signIn();
    expect((await submit(ada, "static", "flag{wrong}")).body).toMatchObject({ code: "flag_wrong", field: "flag" });
    const [stored] = await submissions(await server.signIn(["player", "admin"]));
    expect(stored).toMatchObject({ playerId: ada.id, value: "flag{wrong}", verdict: "wrong" });
    expect(await ledger()).toEqual([]);
  });

  test("of one's own instance counts, also after its end; the static flag does not", async () => {
    const ada = await server.signIn();
    await instance(ada.id, "flag{x_1}");
    expect((await submit(ada, "dynamic", "flag{x}")).status).toBe(400);
    expect((await submit(ada, "dynamic", "flag{x_1}")).status).toBe(200);
    const stored = await server.db.selectFrom("submission").selectAll().where("verdict", "=", "correct").execute();
    expect(stored).toMatchObject([{ value: "", instance_id: expect.any(String) }]);
  });

  test("of somebody else is wrong to the submitter, and an incident to organisers", async () => {
    const [ada, eve] = [await server.signIn(), await server.signIn()];
    const id = await instance(ada.id, "flag{x_1}");
    const wrong = await submit(eve, "dynamic", "flag{nonsense}");
    const foreign = await submit(eve, "dynamic", "flag{x_1}");
    expect(foreign.body).toEqual(wrong.body);
    expect(await incidents()).toMatchObject([{ instance_id: id, state: "open" }]);
    const admin = await server.signIn(["player", "admin"]);
    expect(await submissions(admin, "?verdict=foreign")).toMatchObject([{ playerId: eve.id, value: "" }]);
    expect(JSON.stringify(server.lines)).not.toContain("flag{x_1}");
  });

  test("of somebody else is reviewed by an admin, whose decision is audited", async () => {
    const [ada, eve, admin] = [await server.signIn(), await server.signIn(), await server.signIn(["player", "admin"])];
    const instanceId = await instance(ada.id, "flag{x_1}");
    await submit(eve, "dynamic", "flag{x_1}");
    const call = async (asker: Asker, method: "GET" | "PATCH", url: string, payload?: object) =>
      (await server.app.inject({ method, url, headers: asker.headers, ...(payload && { payload }) })).json();
    const { items } = await call(admin, "GET", "/api/admin/incidents");
    expect(items).toMatchObject([
      { submitter: { playerId: eve.id }, ownerId: ada.id, instanceId, state: "open", address: "127.0.0.1" },
    ]);
    const path = `/api/admin/incidents/${items[0].id}`;
    const decision = { state: "confirmed", note: "same Wi-Fi" };
    expect(await call(eve, "PATCH", path, decision)).toMatchObject({ status: 403 });
    expect(await call(admin, "PATCH", path, decision)).toMatchObject({ ...decision, decidedBy: admin.id });
    expect(await call(admin, "GET", "/api/admin/incidents")).toMatchObject({ items: [], total: 0 });
    expect(await call(admin, "GET", "/api/admin/incidents?state=all")).toMatchObject({ items: [decision], total: 1 });
    const { items: audited } = await call(admin, "GET", "/api/admin/audit");
    expect(audited).toMatchObject([
      { action: "incident.decide", before: { state: "open", note: "" }, after: decision },
    ]);
    expect(await call(admin, "PATCH", "/api/admin/incidents/none", {})).toMatchObject({ status: 404 });
  });

  test("that several instances have is no incident", async () => {
    const [ada, eve] = [await server.signIn(), await server.signIn()];
    await instance(ada.id, "flag{x_1}");
    await instance(ada.id, "flag{x_1}", { isReused: true });
    expect((await submit(eve, "dynamic", "flag{x_1}")).status).toBe(400);
    expect(await incidents()).toEqual([]);
  });

  test("is tried a few times at once, and then slowly; what is over the limit is not stored", async () => {
    const ada = await server.signIn();
    for (let n = 0; n < 5; n++) expect((await submit(ada, "static", `${n}`)).status).toBe(400);
    const { status, body } = await submit(ada, "static", "flag{static}");
    expect([status, body.retryAfter]).toEqual([429, 5]);
    expect(await submissions(await server.signIn(["player", "admin"]))).toHaveLength(5);
    // Another challenge has its own limit.
    expect((await submit(ada, "dynamic", "x")).status).toBe(400);
  });
});

describe("is refused, in this order:", () => {
  test.each<[string, string, string, Partial<CompetitionSpec>, object]>([
    ["no challenge", "", "", {}, { code: "invalid_request", field: "challenge" }],
    ["an unknown challenge", "none", "", {}, { code: "challenge_unknown", detail: 'There is no challenge "none".' }],
    ["a hidden one", "hidden", "", {}, { code: "challenge_unknown", detail: 'There is no challenge "hidden".' }],
    ["no flag", "static", "  ", {}, { code: "invalid_request", field: "flag" }],
    ["a long flag", "static", "x".repeat(1025), {}, { code: "invalid_request", field: "flag" }],
    ["before the start", "static", "flag{static}", { start: "2999-01-01T00:00:00Z" }, { code: "not_started" }],
    [
      "in a pause",
      "static",
      "flag{static}",
      { pause: { start: "1970-01-01T00:00:00Z" } },
      { code: "competition_paused" },
    ],
    ["after the end", "static", "flag{static}", { end: "1970-01-01T00:00:00Z" }, { code: "competition_over" }],
    ["without a team", "static", "flag{static}", { teams: { enabled: true } }, { code: "team_required" }],
  ])("%s", async (_, challenge, flag, changed, want) => {
    Object.assign(rules, changed);
    expect((await submit(await server.signIn(), challenge, flag)).body).toMatchObject({ status: 400, ...want });
    expect(await server.db.selectFrom("submission").selectAll().execute()).toEqual([]);
  });

  test("a stranger", async () => {
    expect((await submit({ id: "", headers: { origin: publicUrl } }, "static", "x")).status).toBe(401);
  });
});

test("after the end of a competition with practice, flags are answered and count nothing", async () => {
  Object.assign(rules, { end: "1970-01-01T00:00:00Z", afterEnd: "practice" });
  const [ada, eve] = [await server.signIn(), await server.signIn()];
  await instance(ada.id, "flag{x_1}");
  expect((await submit(ada, "static", "flag{static}")).body).toMatchObject({ isPractice: true });
  expect((await submit(eve, "dynamic", "flag{x_1}")).body.code).toBe("flag_wrong");
  expect([await ledger(), await incidents()]).toEqual([[], []]);
  const admin = await server.signIn(["player", "admin"]);
  const stored = await submissions(admin, "?verdict=all");
  expect(stored.map(({ verdict }) => verdict).sort()).toEqual(["practice-correct", "practice-wrong"]);
});

test("submissions are for admins; an unknown verdict is named", async () => {
  const ada = await server.signIn();
  expect((await submissions(ada)) as unknown).toMatchObject({ status: 403 });
  const admin = await server.signIn(["player", "admin"]);
  expect((await submissions(admin, "?verdict=right")) as unknown).toMatchObject({ status: 400, field: "verdict" });
});
