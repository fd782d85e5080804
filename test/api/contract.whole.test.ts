/**
 * The wire contract of the original platform, endpoint by endpoint: the exact fields and their types, so that its clients
 * run unmodified. Fields that were added since are listed apart. Rules are tested in play and operate.
 */
import type { Instance, Problem, ServerMessage } from "@berg/api/wire";
import type { Client } from "@berg/kube";
import { Challenges, Competitions, Pages } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../runtime/eventually.ts";
import { type Call, type SignedIn, Site } from "./site.ts";

let site: Site;
let client: Client;
let player: SignedIn;
let admin: SignedIn;

const attribute = {
  ...{ name: "country", title: "Country", description: "Where from", public: true, required: false },
  values: [{ value: "CH", title: "Switzerland", description: "" }],
};
/** Of a challenge that uses every field, and of one that uses none. */
const fullSpec = {
  ...{ displayName: "Full", author: "Ada", description: "*x*", difficulty: "easy", event: "finals" },
  ...{
    flag: "flag{x}",
    flagFormat: "x{...}",
    hideUntil: "2020-01-01T00:00:00+02:00",
    categories: ["web"],
    tags: ["t"],
  },
  containers: [{ hostname: "web", image: "web:1", ports: [{ port: 80, protocol: "TCP", type: "publicPort" }] }],
  attachments: [
    { fileName: "a.zip", downloadUrl: "https://files.example/a.zip" },
    { fileName: "b", downloadUrl: "jail/server.mjs" },
  ],
};

beforeAll(async () => {
  site = await Site.start();
  client = await site.client();
  [player, admin] = [await site.signIn("player"), await site.signIn("admin")];
  const inBerg = (name: string, spec: object) => ({ metadata: { namespace: "berg", name }, spec }) as never;
  await client.create(Challenges, inBerg("full", fullSpec));
  await client.create(Challenges, inBerg("bare", {}));
  await client.create(Pages, inBerg("rules", { path: "rules", title: "Rules", index: 3, content: "<b>x</b>" }));
  const freeze = { start: "2900-01-01T00:00:00+01:00" };
  const spec = { playerAttributes: [attribute, { ...attribute, name: "secret", public: false }], freeze };
  await client.patch(Competitions, "berg", "competition", { type: "merge", body: { spec } });
  await eventually("all of it is known", async () => {
    const paths = ["challenges", "pages", "metadata", "scoreboard"];
    const texts = await Promise.all(paths.map((path) => site.call(`/api/${path}`)));
    return ['"bare"', '"/rules"', '"secret"', '"public.'].every((word, at) => texts[at]?.text.includes(word));
  });
});
afterAll(async () => {
  await client?.close();
  await site?.[Symbol.asyncDispose]();
});

const text = expect.any(String);
const whole = expect.toSatisfy(Number.isInteger, "an integer");
const guid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?Z$/);
const listOf = (shape: unknown) =>
  expect.toSatisfy(
    (list: unknown) => Array.isArray(list) && list.length > 0 && list.every((one) => equals(one, shape)),
  );
function equals(value: unknown, shape: unknown): boolean {
  expect(value).toEqual(shape);
  return true;
}

const addedToInstance = {
  ...{ ownerId: guid, phase: text, reason: null, message: null, stages: expect.any(Array), renewalsLeft: whole },
};
const empty = {
  ...{
    id: null,
    playerId: guid,
    name: "",
    status: 0,
    services: [],
    timeout: null,
    startedAt: null,
    terminatedAt: null,
  },
  ...{ ...addedToInstance, startedBy: null, readyAt: null },
};
const starting = {
  ...{ ...empty, id: guid, name: "full", status: 1, startedAt: date, startedBy: guid, services: expect.any(Array) },
  ...{ timeout: expect.toSatisfy(isDateOrNull), readyAt: expect.toSatisfy(isDateOrNull) },
  message: expect.toSatisfy(isTextOrNull),
  reason: expect.toSatisfy(isTextOrNull),
};
function isDateOrNull(value: unknown): boolean {
  return value === null || equals(value, date);
}
function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}
const service = { name: null, hostname: text, port: whole, protocol: "tcp", appProtocol: "tcp", tls: false };
const running = {
  ...{ ...starting, status: 2, timeout: date, readyAt: date },
  services: [{ ...service, name: text }],
};
const ended = {
  ...empty,
  id: guid,
  name: "full",
  startedAt: date,
  terminatedAt: date,
  readyAt: date,
  startedBy: guid,
  reason: text,
};
const challenge = {
  ...{ name: "full", displayName: "Full", author: "Ada", description: "<p><em>x</em></p>\n" },
  ...{ hideUntil: "2019-12-31T22:00:00.000Z", categories: ["web"], tags: ["t"], event: "finals", difficulty: "easy" },
  ...{ flagFormat: "x{...}", hasRemote: true, connectionInfo: null },
  ...{ closesAt: null, prerequisites: [], hints: [] },
  attachments: [
    { fileName: "a.zip", downloadUrl: "https://files.example/a.zip" },
    { fileName: "b", downloadUrl: "/api/challenges/full/handout/1" },
  ],
};
const bareChallenge = {
  ...{ name: "bare", displayName: "bare", author: "", description: "", hideUntil: null, categories: ["uncategorized"] },
  ...{ tags: [], event: "", difficulty: "", flagFormat: "flag{...}", hasRemote: false, connectionInfo: null },
  ...{ closesAt: null, prerequisites: [], hints: [] },
  attachments: [],
};
const metadata = {
  ...{ version: text, eventName: "Berg", eventOrganiser: "", eventLogoUrl: "", start: date, end: date, teams: false },
  ...{ allowAnonymousAccess: true, freezeStart: "2899-12-31T23:00:00.000Z", freezeEnd: date },
  ...{ challengeMaximumValue: 500, challengeMinimumValue: 100, challengeSolvesBeforeMinimum: 50 },
  playerAttributes: [attribute, { ...attribute, name: "secret", public: false }],
  // Added.
  ...{ links: [], pauseStart: null, pauseEnd: null, afterEnd: text, serverTime: date },
};
const currentPlayer = {
  ...{ id: guid, name: "Player", roles: ["player"], federatedId: text, apiKeyPlaceholder: null, email: null },
  attributes: expect.any(Object),
  // Added.
  email: null,
};
const scoreboard = {
  ...{ version: expect.stringMatching(/^public\.\d+\.\d+$/), end: whole, epoch: whole, divisions: [] },
  challenges: { name: listOf(text), value: listOf(whole), solves: listOf(0), firstBlood: listOf(null) },
  scorers: {
    ...{ ref: listOf(text), name: listOf(text), score: listOf(0), solves: listOf(0) },
    ...{ division: listOf(null), last: listOf(null) },
  },
};
const ownStanding = { id: guid, name: "Player", division: null, rank: whole, divisionRank: null, score: 0, solves: [] };
const page = { title: "Rules", path: "/rules", index: 3, content: "<p><b>x</b></p>\n" };

type Who = "nobody" | "player" | "admin";
const as = (who: Who) => ({ nobody: site, player, admin })[who];

test.each<[string, Who, unknown]>([
  ["/api/metadata", "nobody", metadata],
  ["/api/challenges/full", "nobody", challenge],
  ["/api/challenges/bare", "nobody", bareChallenge],
  ["/api/challenges", "nobody", expect.arrayContaining([challenge, bareChallenge])],
  ["/api/pages", "nobody", [page]],
  ["/api/players", "nobody", listOf({ id: guid, name: text, attributes: {} })],
  ["/api/players/current", "player", currentPlayer],
  ["/api/instances/current", "player", empty],
  ["/api/solves", "nobody", []],
  ["/api/submissions", "admin", []],
  ["/api/teams", "nobody", []],
  ["/api/announcements", "nobody", []],
  ["/api/scoreboard", "nobody", scoreboard],
  ["/api/scoreboard/graph", "nobody", { version: text, scorers: listOf({ id: guid, name: text, points: [] }) }],
  ["/api/scoreboard/own", "player", ownStanding],
  ["/api/challenges/full/solves", "nobody", { challengeName: "full", value: 500, solves: [] }],
  ["/api/challenges/full/hints", "player", []],
  ["/api/instances", "admin", []],
  ["/api/instances/historic", "admin", []],
])("GET %s as %s", async (path, who, shape) => {
  const { status, headers, body } = await as(who).call(path);
  expect([status, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
  expect(body).toEqual(shape);
});

test("a solve has the fields of the original, in the answer, the list and the live message", async () => {
  const follow = await admin.follow();
  const submit = (flag: string) =>
    player.call<Problem>("/api/solves", { method: "POST", body: { challenge: "full", flag } });
  const wrong = await submit("flag{y}");
  expect([wrong.status, wrong.body]).toMatchObject([400, { title: "Invalid flag", detail: text }]);
  const solve = { playerId: guid, challengeName: "full", solvedAt: date, teamId: null, isPractice: false };
  const solved = await submit("flag{x}");
  expect([solved.status, solved.body]).toEqual([200, solve]);
  expect((await submit("flag{x}")).body).toMatchObject({ status: 400, title: "Already solved" });
  await eventually("the list has it", async () => (await site.call<object[]>("/api/solves")).body.length === 1);
  expect((await site.call("/api/solves")).body).toEqual([solved.body]);
  const submission = { id: guid, playerId: guid, submittedAt: date, challengeName: "full" };
  expect((await admin.call("/api/submissions")).body).toEqual([{ ...submission, value: "flag{y}", verdict: "wrong" }]);
  await eventually("it is sent", () => follow.messages.some(({ type }) => type === "solve"));
  expect(follow.messages.filter(({ type }) => type === "solve")).toEqual([{ type: "solve", message: solved.body }]);
});

test("an instance has the same fields in every state, and every list", async () => {
  const follow = await player.follow();
  // Keys in any case, and unknown ones, are accepted.
  const body = { CHALLENGE: "full", unknown: { x: 1 } };
  const started = await player.call<Instance>("/api/instances/current", { method: "POST", body });
  expect([started.status, started.body]).toEqual([200, starting]);
  expect(await player.until("runs", ({ status }) => status === 2)).toEqual(running);
  expect((await admin.call("/api/instances")).body).toEqual([running]);
  const stopped = await player.stop();
  expect([stopped.status, stopped.body]).toEqual([200, { ...running, status: 3, services: [] }]);
  await player.until("is gone", ({ name }) => name === "");
  for (const who of [player, admin]) expect((await who.call("/api/instances/historic")).body).toEqual([ended]);
  const nothing = await player.stop();
  expect([nothing.status, nothing.body]).toEqual([200, empty]);

  const sent = () => follow.messages.flatMap((one) => (one.type === "instance" ? [one.message] : []));
  await eventually("the end is sent", () => sent().at(-1)?.name === "" && sent().length > 3);
  const { id } = await player.player();
  for (const instance of sent()) expect(Object.keys(instance)).toEqual(Object.keys(await player.instance()));
  expect(new Set(sent().map(({ playerId }) => playerId))).toEqual(new Set([id]));
  follow.socket.close();
});

test("the own account is changed with keys in any case, and others see what is public", async () => {
  const { id } = await player.player();
  const change = (attributes: object) =>
    player.call<Problem>("/api/players/current", { method: "PATCH", body: { Attributes: attributes } });
  expect((await change({ country: "CH", secret: "CH" })).status).toBe(200);
  expect((await player.player()).attributes).toEqual({ country: "CH", secret: "CH" });
  expect((await site.call(`/api/players/${id}`)).body).toEqual({ id, name: "Player", attributes: { country: "CH" } });
  // Names of attributes are not keys of the request.
  for (const attributes of [{ Country: "CH" }, { country: "AT" }, { country: "CH", planet: "Earth" }]) {
    const answer = await change(attributes);
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_request"]);
  }
});

describe("what is refused", () => {
  const start = { method: "POST", body: { challenge: "full" } };
  test.each<[string, Who, string, Call, number, string]>([
    ["no session", "nobody", "/api/instances/current", {}, 401, "sign_in_required"],
    ["no session", "nobody", "/api/instances/current", start, 401, "sign_in_required"],
    ["no session", "nobody", "/api/instances/current", { method: "DELETE" }, 401, "sign_in_required"],
    ["no session", "nobody", "/api/players/current", {}, 401, "sign_in_required"],
    ["no session", "nobody", "/api/instances", {}, 401, "sign_in_required"],
    ["no session", "nobody", "/api/players/current", { method: "PATCH", body: {} }, 401, "sign_in_required"],
    ["no session", "nobody", "/api/players/current/api-key", { method: "DELETE" }, 401, "sign_in_required"],
    ["another role", "player", "/api/instances", {}, 403, "role_required"],
    ["an unknown route", "nobody", "/api/nothing", {}, 404, "not_found"],
    ["no GUID", "nobody", "/api/players/x", {}, 404, "not_found"],
    ["an unknown player", "nobody", `/api/players/${crypto.randomUUID()}`, {}, 404, "not_found"],
    ["an unknown challenge", "nobody", "/api/challenges/x", {}, 404, "not_found"],
    ["an index out of range", "nobody", "/api/challenges/full/handout/2", {}, 404, "not_found"],
    ["no index", "nobody", "/api/challenges/full/handout/x", {}, 404, "not_found"],
    [
      "no containers",
      "player",
      "/api/instances/current",
      { ...start, body: { challenge: "bare" } },
      400,
      "challenge_without_instance",
    ],
    ["no upgrade", "nobody", "/api/events", {}, 400, "invalid_request"],
    ["no JSON", "player", "/api/instances/current", { method: "POST", raw: "{" }, 400, "invalid_request"],
    [
      "no type",
      "player",
      "/api/instances/current",
      { method: "POST", raw: "{}", headers: { "content-type": undefined } },
      415,
      "body_not_json",
    ],
  ])("%s: %s %s", async (_, who, path, call, status, code) => {
    const answer = await as(who).call<Problem>(path, call);
    expect(answer.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
    expect(answer.body).toMatchObject({ type: "about:blank", title: text, status, detail: text, code });
    expect(answer.status).toBe(status);
    const challengeHeader = { 401: "Bearer", 403: 'Bearer error="insufficient_access"' }[status];
    expect(answer.headers["www-authenticate"]).toBe(challengeHeader);
  });
});

test("a handout is bytes with a name", async () => {
  const { status, headers } = await site.call("/api/challenges/full/handout/1");
  expect([status, headers["content-type"], headers["x-content-type-options"]]).toEqual([
    ...[200, "application/octet-stream", "nosniff"],
  ]);
  expect(headers["content-disposition"]).toMatch(/^attachment; filename="b"/);
  expect(Number(headers["content-length"])).toBeGreaterThan(0);
});

test("public changes have the form of the endpoints", async () => {
  const { socket, messages } = await player.follow();
  await client.patch(Challenges, "berg", "full", { type: "merge", body: { spec: { author: "Eve" } } });
  await client.patch(Pages, "berg", "rules", { type: "merge", body: { spec: { title: "Rules!" } } });
  await client.patch(Competitions, "berg", "competition", { type: "merge", body: { spec: { organiser: "We" } } });
  await player.call("/api/players/current", { method: "PATCH", body: { attributes: { country: "CH" } } });
  const last = (type: ServerMessage["type"]) => messages.findLast((one) => one.type === type)?.message;
  const { id } = await player.player();
  const shapes = {
    challenge: { ...challenge, author: "Eve" },
    page: { ...page, title: "Rules!" },
    metadata: { ...metadata, eventOrganiser: "We" },
    player: { id, name: "Player", attributes: { country: "CH" } },
  };
  await eventually("all are sent", () => Object.keys(shapes).every((type) => last(type as ServerMessage["type"])));
  for (const [type, shape] of Object.entries(shapes)) expect(last(type as ServerMessage["type"])).toEqual(shape);
  await client.delete(Challenges, "berg", "bare");
  await client.delete(Pages, "berg", "rules");
  await eventually("both deletions are sent", () => Boolean(last("challenge-delete") && last("page-delete")));
  expect([last("challenge-delete"), last("page-delete")]).toEqual(["bare", "/rules"]);
  socket.close();
});

test("a deleted account answers an empty 200, clears the session and is announced", async () => {
  const { id } = await player.player();
  const { socket, messages } = await admin.follow();
  const { status, headers, text } = await player.call("/api/players/current", { method: "DELETE" });
  expect([status, text]).toEqual([200, ""]);
  expect(String(headers["set-cookie"])).toMatch(/^berg=;/);
  await eventually("it is announced", () => messages.some(({ type }) => type === "player-delete"));
  expect(messages.find(({ type }) => type === "player-delete")?.message).toBe(id);
  expect((await site.call(`/api/players/${id}`)).status).toBe(404);
  socket.close();
});
