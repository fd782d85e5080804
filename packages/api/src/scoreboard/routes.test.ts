import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { FakeClock } from "@berg/kube/testing";
import { type CompetitionSpec, competitionDefaults } from "@berg/resources";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anonymisePlayer, updatePlayer } from "../players/store.ts";
import { startTestServer, type TestServer } from "../testing/test-server.ts";
import type { ChallengeSolves, OwnStanding, Problem, Scoreboard, ScoreGraph, ScorerStanding, Solve } from "../wire.ts";

type Asker = Awaited<ReturnType<TestServer["signIn"]>>;

let server: TestServer;
let clock: FakeClock;
let rules: CompetitionSpec;
let admin: Asker;
let [ada, bob] = [] as unknown as [Asker, Asker];
beforeEach(async () => {
  rules = competitionDefaults();
  clock = new FakeClock();
  server = await startTestServer({ clock });
  server.context.competition = () => rules;
  server.addChallenge("easy", { flag: "flag{easy}" });
  server.addChallenge("hard", { flag: "flag{hard}" });
  admin = await server.signIn(["player", "admin"]);
  [ada, bob] = [await server.signIn(), await server.signIn()];
  await rename(ada, "Ada");
  await rename(bob, "Bob");
});
afterEach(() => server[Symbol.asyncDispose]());

const get = async (url: string, { headers }: { headers: Record<string, string> } = { headers: {} }) => {
  await server.context.board.refresh();
  return server.app.inject({ method: "GET", url, headers });
};
const read = async <T>(url: string, asker?: Asker): Promise<T & Problem> => (await get(url, asker)).json();
async function solve({ headers }: Asker, challenge: string, flag = `flag{${challenge}}`): Promise<Problem> {
  const payload = { challenge, flag };
  return (await server.app.inject({ method: "POST", url: "/api/solves", headers, payload })).json();
}
function rename({ id }: Asker, name: string) {
  return server.db
    .transaction()
    .execute((transaction) => updatePlayer(transaction, id, { name, attributes: {}, now: clock.now() }));
}
const iso = (ms: number) => new Date(ms).toISOString();
const names = async () => (await read<Scoreboard>("/api/scoreboard")).scorers.name;

describe("the scoreboard", () => {
  test("is one document with an ETag, compressed as the client accepts it", async () => {
    await solve(bob, "easy");
    const plain = await get("/api/scoreboard");
    const board = plain.json<Scoreboard>();
    expect(board).toMatchObject({
      version: expect.stringMatching(/^full\.\d+\.\d+$/),
      challenges: { name: ["easy", "hard"], value: [500, 500], solves: [1, 0], firstBlood: [0, null] },
      scorers: { name: ["Bob", "Ada"], score: [500, 0], solves: [1, 0] },
    });
    const etag = String(plain.headers.etag);
    expect(etag).toBe(`W/"${board.version}"`);
    for (const [encoding, unpack] of [
      ["gzip", gunzipSync],
      ["br", brotliDecompressSync],
    ] as const) {
      const packed = await get("/api/scoreboard", { headers: { "accept-encoding": encoding } });
      expect(packed.headers["content-encoding"]).toBe(encoding);
      expect(unpack(packed.rawPayload).toString()).toBe(plain.body);
    }
    const same = await get("/api/scoreboard", { headers: { "if-none-match": etag } });
    expect([same.statusCode, same.body]).toEqual([304, ""]);
    await solve(ada, "easy");
    expect((await get("/api/scoreboard", { headers: { "if-none-match": etag } })).statusCode).toBe(200);
  });

  test("is for those whom the organiser shows it", async () => {
    const statuses = async () => {
      const paths = [
        "/api/scoreboard",
        "/api/scoreboard/graph",
        `/api/scorers/${ada.id}`,
        "/api/challenges/easy/solves",
      ];
      const askers = [undefined, ada, admin];
      const answers = await Promise.all(askers.map((asker) => Promise.all(paths.map((path) => get(path, asker)))));
      return answers.map((all) => [...new Set(all.map(({ statusCode }) => statusCode))]);
    };
    expect(await statuses()).toEqual([[200], [200], [200]]);
    rules.visibility = { ...rules.visibility, board: "players" };
    expect(await statuses()).toEqual([[401], [200], [200]]);
    rules.visibility = { ...rules.visibility, board: "hidden" };
    await solve(bob, "easy");
    await solve(ada, "easy");
    expect(await statuses()).toEqual([[403], [403], [200]]);
    expect((await read("/api/scoreboard")).code).toBe("board_hidden");
    expect(await read<Solve[]>("/api/solves")).toEqual([]);
    expect(await read<Solve[]>("/api/solves", ada)).toMatchObject([{ playerId: ada.id }]);
    expect(await read<OwnStanding>("/api/scoreboard/own", ada)).toMatchObject({ rank: null, score: 500 });
  });

  test("of everything is for admins", async () => {
    expect((await get("/api/scoreboard?cut=full", ada)).statusCode).toBe(403);
    expect((await get("/api/scoreboard?cut=full")).statusCode).toBe(401);
    expect((await get("/api/scoreboard?cut=full", admin)).statusCode).toBe(200);
    expect((await get("/api/scoreboard?cut=half", admin)).statusCode).toBe(400);
  });
});

test("standings, graph, first blood and the feed of CTFtime tell the same", async () => {
  await solve(bob, "easy");
  await clock.advance(1_000);
  await solve(ada, "easy");
  await solve(ada, "hard");
  expect(await read<ScorerStanding>(`/api/scorers/${ada.id}`)).toMatchObject({
    ...{ id: ada.id, name: "Ada", division: null, rank: 1, divisionRank: null, members: [ada.id] },
    solves: [
      { playerId: ada.id, challengeName: "easy", position: 2 },
      { playerId: ada.id, challengeName: "hard", points: 500, position: 1 },
    ],
  });
  const { scorers } = await read<ScoreGraph>("/api/scoreboard/graph");
  expect(scorers.map(({ name, points }) => [name, points.length])).toEqual([
    ["Ada", 1],
    ["Bob", 1],
  ]);
  const only = await read<ScoreGraph>(`/api/scoreboard/graph?scorers=${bob.id}`);
  expect(only.scorers).toMatchObject([{ id: bob.id, points: [{ score: expect.any(Number) }] }]);
  expect(await read("/api/scoreboard/graph?scorers=nobody")).toMatchObject({ status: 400, field: "scorers" });
  expect((await get("/api/scorers/nobody")).statusCode).toBe(404);
  expect(await read<ChallengeSolves>("/api/challenges/easy/solves")).toMatchObject({
    challengeName: "easy",
    solves: [
      { scorerId: bob.id, scorerName: "Bob", position: 1 },
      { scorerId: ada.id, position: 2 },
    ],
  });
  expect((await get("/api/ctftime")).statusCode).toBe(404);
  rules.visibility = { challenges: "players", board: "hidden", ctftime: true };
  const [first, second] = (await read<{ standings: { score: number }[] }>("/api/ctftime")).standings;
  expect([first, second]).toMatchObject([
    { pos: 1, team: "Ada" },
    { pos: 2, team: "Bob" },
  ]);
  expect(await read("/api/ctftime?division=x")).toEqual({ standings: [] });
});

test("while the board is frozen, every public byte is the same with and without later solves", async () => {
  rules.visibility = { ...rules.visibility, ctftime: true };
  server.addChallenge("hinted", { hints: [{ name: "one", title: "", content: "x", cost: 7 }] } as never);
  const eve = await server.signIn();
  await solve(bob, "easy");
  await clock.advance(1_000);
  rules = { ...rules, freeze: { start: iso(clock.now()), end: iso(clock.now() + 60_000) } };
  const paths = [
    "scoreboard",
    "scoreboard/graph",
    "ctftime",
    "solves",
    "challenges",
    "challenges/easy/solves",
    "players",
  ];
  const all = [...paths, "challenges/hard/solves", `scorers/${ada.id}`, `scorers/${bob.id}`].map(
    (path) => `/api/${path}`,
  );
  const shown = async () => {
    const asked = [undefined, eve].flatMap((asker) => all.map(async (path) => get(path, asker)));
    return (await Promise.all(asked)).map(({ body, headers }) => [body, headers.etag]);
  };
  const before = await shown();
  const version = () => server.context.board.model.public.version;
  const [frozen, full] = [version(), server.context.board.model.full.version];
  await clock.advance(1);
  await solve(ada, "easy");
  await solve(bob, "hard");
  await server.app.inject({ method: "POST", url: "/api/challenges/hinted/hints/one", headers: bob.headers });
  expect(await shown()).toEqual(before);
  expect([version(), server.context.board.model.full.version === full]).toEqual([frozen, false]);
  // The scorer and admins know.
  const own = await read<OwnStanding>("/api/scoreboard/own", bob);
  expect(own.solves.map(({ challengeName, isPublic }) => [challengeName, isPublic])).toEqual([
    ["easy", true],
    ["hard", false],
  ]);
  const solved = async (asker?: Asker) =>
    (await read<Solve[]>("/api/solves", asker)).map(({ challengeName }) => challengeName);
  expect(await solved(bob)).toEqual(["easy", "hard"]);
  expect(await solved(ada)).toEqual(["easy", "easy"]);
  expect(await solved(admin)).toEqual(["easy", "easy", "hard"]);
  expect((await read<Scoreboard>("/api/scoreboard?cut=full", admin)).challenges.solves).toEqual([2, 1, 0]);
  await clock.advance(60_000);
  expect(await solved()).toEqual(["easy", "easy", "hard"]);
});

describe("defined cases:", () => {
  test("solves of a deleted challenge count nothing until it is back", async () => {
    await solve(ada, "easy");
    server.addChallenge("easy", { flag: "flag{easy}", hideUntil: "2999-01-01T00:00:00Z" });
    expect(await read<Scoreboard>("/api/scoreboard")).toMatchObject({
      challenges: { name: ["hard"] },
      scorers: { score: [0, 0] },
    });
    server.addChallenge("easy", { flag: "flag{easy}" });
    expect((await read<Scoreboard>("/api/scoreboard")).scorers.score).toEqual([500, 0]);
  });

  test("a deleted account leaves the board, and its first blood goes to the next", async () => {
    await solve(ada, "easy");
    await solve(bob, "easy");
    await server.db.transaction().execute((transaction) => anonymisePlayer(transaction, ada.id, clock.now()));
    expect(await names()).toEqual(["Bob"]);
    expect(await read<ChallengeSolves>("/api/challenges/easy/solves")).toMatchObject({
      solves: [{ scorerId: bob.id, position: 1 }],
    });
    expect(await read<Solve[]>("/api/solves")).toHaveLength(1);
  });

  test("solves before a start that was moved do not count, and before the start no challenge is named", async () => {
    await solve(ada, "easy");
    await clock.advance(1_000);
    rules = { ...rules, start: iso(clock.now()) };
    expect((await read<Scoreboard>("/api/scoreboard")).scorers.score).toEqual([0, 0]);
    rules = { ...rules, start: iso(clock.now() + 1_000) };
    expect((await read<Scoreboard>("/api/scoreboard")).challenges.name).toEqual([]);
    const { start: _, ...always } = rules;
    rules = always;
    expect((await read<Scoreboard>("/api/scoreboard")).scorers.score).toEqual([500, 0]);
  });

  test("a freeze that is moved shows what lies before it", async () => {
    const from = clock.now();
    await clock.advance(1_000);
    await solve(ada, "easy");
    rules = { ...rules, freeze: { start: iso(from) } };
    const { version, scorers } = await read<Scoreboard>("/api/scoreboard");
    expect(scorers.score).toEqual([0, 0]);
    rules = { ...rules, freeze: { start: iso(from + 2_000) } };
    const moved = await read<Scoreboard>("/api/scoreboard");
    expect(moved.scorers.score).toEqual([500, 0]);
    expect(moved.version).not.toBe(version);
  });

  test("hostile names are data", async () => {
    const hostile = ["<script>alert(1)</script>", "\u202Eevil", "x".repeat(10_000), '","', "\u0007"];
    await rename(ada, hostile.join(""));
    expect(await names()).toContain(hostile.join(""));
    const answer = await get("/api/scoreboard");
    expect(answer.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
  });

  test("solves of admins are for admins", async () => {
    await solve(admin, "easy");
    await solve(ada, "easy");
    expect(await names()).toEqual(["Ada", "Bob"]);
    expect(await read<Solve[]>("/api/solves", ada)).toHaveLength(1);
    expect(await read<Solve[]>("/api/solves", admin)).toHaveLength(2);
  });
});
