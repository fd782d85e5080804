/** The API as players use it, on `berg up` with simulated pods. */
import { readFile, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import type { Challenge, Instance, Metadata, Problem, ServerMessage } from "@berg/api/wire";
import type { Client } from "@berg/kube";
import { Challenges } from "@berg/resources";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { eventually } from "../runtime/eventually.ts";
import { describeInstances, isEmpty, isRunning, type StoredRow } from "./instance-lives.ts";
import { type SignedIn, Site } from "./site.ts";

let site: Site;
let client: Client;
let player: SignedIn;
let admin: SignedIn;

beforeAll(async () => {
  site = await Site.start();
  client = await site.client();
});
afterAll(async () => {
  await client?.close();
  await site?.[Symbol.asyncDispose]();
});

/** What the database holds. */
function rows(): StoredRow[] {
  const database = new DatabaseSync(join(site.directory, "api.db"), { readOnly: true });
  try {
    return database.prepare("select * from instances order by id").all() as unknown as StoredRow[];
  } finally {
    database.close();
  }
}

describe("without signing in", () => {
  test("everybody reads what the competition is, and which challenges it has", async () => {
    const metadata = await site.call<Metadata>("/api/metadata");
    expect(metadata.body).toMatchObject({ eventName: "Berg", allowAnonymousAccess: true, teams: false });
    expect(metadata.headers["cache-control"]).toBe("no-store");
    const { body, text } = await site.call<Challenge[]>("/api/challenges");
    expect(body.map(({ name }) => name)).toEqual(["jail", "notes", "vault"]);
    expect(body[1]).toMatchObject({ displayName: "Notes", categories: ["web"], hasRemote: true, hideUntil: null });
    // Neither a flag nor an image.
    expect(text).not.toMatch(/dots_and_slashes|berg\.local/);
    expect((await site.call<Challenge>("/api/challenges/notes")).body).toEqual(body[1]);
  });

  test("everybody downloads the file of a sample", async () => {
    const { body } = await site.call<Challenge>("/api/challenges/jail");
    expect(body.attachments).toEqual([{ fileName: "jail.mjs", downloadUrl: "/api/challenges/jail/handout/0" }]);
    const { status, headers, text } = await site.call(body.attachments[0]?.downloadUrl ?? "");
    expect([status, headers["content-type"]]).toEqual([200, "application/octet-stream"]);
    expect(text).toBe(await readFile(join(import.meta.dirname, "../../samples/jail/server.mjs"), "utf8"));
  });

  test("the API is described as OpenAPI 3.1, with every path", async () => {
    const { body } = await site.call<{ openapi: string; paths: object }>("/api/openapi.json");
    expect(body.openapi).toBe("3.1.0");
    expect(Object.keys(body.paths)).toContain("/api/instances/current/renew");
  });

  test("a challenge appears and goes while it is looked at, and a hidden one does not appear", async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${site.port}/api/events`);
    const messages: ServerMessage[] = [];
    socket.on("message", (data) => messages.push(JSON.parse(data.toString())));
    await new Promise((resolve) => socket.once("open", resolve));
    const make = (name: string, spec: object) =>
      client.create(Challenges, { metadata: { namespace: "berg", name }, spec } as never);
    await make("hidden", { hideUntil: "2999-01-01T00:00:00Z", description: "later" });
    await make("shown", { description: "**bold** <script>alert(1)</script><a href='javascript:alert(1)'>x</a>" });
    const announced = () =>
      messages.flatMap((one) => (one.type === "challenge" && one.message.name === "shown" ? [one.message] : []))[0];
    await eventually("it is announced", () => announced() !== undefined);
    expect(announced()).toMatchObject({ name: "shown", hasRemote: false });
    expect(announced()?.description).toContain("<strong>bold</strong>");
    expect(announced()?.description).not.toMatch(/script|javascript/);
    expect((await site.call("/api/challenges/hidden")).status).toBe(404);
    await client.delete(Challenges, "berg", "shown");
    await eventually("its end is announced", () => messages.some(({ type }) => type === "challenge-delete"));
    await client.delete(Challenges, "berg", "hidden");
    await make("last", {});
    await eventually("a later one is announced", () => JSON.stringify(messages).includes('"last"'));
    expect(JSON.stringify(messages)).not.toContain("hidden");
    await client.delete(Challenges, "berg", "last");
    socket.close();
  });
});

describe("a sign-in link", () => {
  test("is not printed where the output is no terminal", () => {
    expect(site.output).toMatch(/Sign-in links for a player and an admin are in \S+sign-in-links\n/);
    expect(site.output).not.toContain(site.tokenOf("admin"));
  });

  test("signs nobody in when it is opened, or when it is shown", async () => {
    const page = await site.call("/sign-in");
    expect(page.headers["set-cookie"]).toBeUndefined();
    for (let i = 0; i < 3; i++) {
      const call = { method: "POST", body: { token: site.tokenOf("player") } };
      const preview = await site.call("/api/sign-in/preview", call);
      expect([preview.status, preview.body]).toEqual([200, { name: "Player", replaces: null }]);
      expect(preview.headers["set-cookie"]).toBeUndefined();
    }
  });

  test.each([
    ["another site", "https://evil.example"],
    ["nowhere", undefined],
    ["the null origin", "null"],
  ])("is refused from %s", async (_, origin) => {
    const call = { method: "POST", body: { token: site.tokenOf("player") }, headers: { origin } };
    const answer = await site.call<Problem>("/api/sign-in", call);
    expect([answer.status, answer.body.code]).toEqual([403, "origin_refused"]);
  });

  test("signs in once, however many try at the same time", async () => {
    const call = { method: "POST", body: { token: site.tokenOf("player") } };
    const answers = await Promise.all(Array.from({ length: 5 }, () => site.call<Problem>("/api/sign-in", call)));
    const [signedIn, ...others] = answers.sort((one, other) => one.status - other.status);
    expect(others.map(({ status, body }) => [status, body.code])).toEqual(
      others.map(() => [403, "sign_in_link_invalid"]),
    );
    const cookie = String(signedIn?.headers["set-cookie"]);
    expect(cookie).toMatch(/^berg=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/);
    const { SignedIn } = await import("./site.ts");
    player = new SignedIn(site, cookie.split(";")[0] ?? "");
    expect(await player.player()).toMatchObject({ name: "Player", roles: ["player"] });
  });

  test("leaves no token in the database, which nobody else on the machine can read", async () => {
    expect((await stat(join(site.directory, "api.db"))).mode & 0o777).toBe(0o600);
    const stored = (await readFile(join(site.directory, "api.db"))).toString("latin1");
    const log = await readFile(join(site.directory, "api.db-wal")).then(
      (bytes) => bytes.toString("latin1"),
      () => "",
    );
    for (const secret of [site.tokenOf("admin"), player.cookie.replace("berg=", "")])
      expect(stored + log).not.toContain(secret);
  });
});

describeInstances(() => ({
  ...{ site, client, player },
  rows: async () => rows(),
  async signInAdmin() {
    admin = await site.signIn("admin");
    return admin;
  },
}));

describe("an instance that cannot be started", () => {
  test.each([
    ["an unknown challenge", { challenge: "none" }, 400, "challenge_unknown", "challenge"],
    ["an empty name", { challenge: "" }, 400, "invalid_request", "challenge"],
    ["a long name", { challenge: "x".repeat(65) }, 400, "invalid_request", "challenge"],
    ["a number", { challenge: 7 }, 400, "invalid_request", "challenge"],
    ["nothing", {}, 400, "invalid_request", "challenge"],
  ])("is not started with %s", async (_, body, status, code, field) => {
    const ids = () => rows().map(({ id }) => id);
    const before = ids();
    const answer = await player.call<Problem>("/api/instances/current", { method: "POST", body });
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([status, code, field]);
    expect(ids()).toEqual(before);
  });

  test.each([
    ["no JSON", { raw: "{" }, 400, "invalid_request"],
    [
      "another type",
      { raw: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } },
      415,
      "body_not_json",
    ],
    ["too much", { raw: `{"challenge":"${"x".repeat(70_000)}"}` }, 413, "body_too_large"],
    ["another site's Origin", { raw: "{}", headers: { origin: "http://localhost:1" } }, 403, "origin_refused"],
  ])("is not started with %s", async (_, call, status, code) => {
    const answer = await player.call<Problem>("/api/instances/current", { method: "POST", ...call });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

describe("a socket", () => {
  test("of another site is refused, and without an Origin it is anonymous", async () => {
    await expect(player.follow({ origin: "https://evil.example" })).rejects.toThrow(/403/);
    const socket = new WebSocket(`ws://127.0.0.1:${site.port}/api/events`, { headers: { cookie: player.cookie } });
    const messages: unknown[] = [];
    socket.on("message", (data) => messages.push(JSON.parse(data.toString())));
    await new Promise((resolve) => socket.once("open", resolve));
    for (const text of [
      "no JSON",
      "[]",
      '{"type":"ping"}',
      '{"type":"auth","message":null}',
      '{"type":"x","message":1}',
    ])
      socket.send(text);
    socket.send('{"type":"ping","message":{"n":1}}');
    await eventually("it answers", () => messages.length === 3);
    expect(messages).toEqual([
      { type: "current-player", message: null },
      { type: "error", message: 'there is no message of the type "x"' },
      { type: "pong", message: { n: 1 } },
    ]);
    socket.close();
  });
});

describe("a hostile client", () => {
  /** What is sent as it is, and the first line of the answer. */
  const exchange = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(site.port, "127.0.0.1", () => socket.write(text));
      let answer = "";
      socket.on("data", (piece) => (answer += piece));
      socket.on("error", reject);
      socket.on("close", () => resolve(answer.split("\r\n")[0] ?? ""));
    });

  test.each(["//", "/\\", "/api/none", "/%61pi/events"])("does not end Berg with an upgrade of %s", async (path) => {
    const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==";
    expect(await exchange(`GET ${path} HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n\r\n`)).toBe("HTTP/1.1 404 Refused");
    expect((await site.call("/api/metadata")).status).toBe(200);
  });

  test("does not end Berg with a message that nests too deep", async () => {
    const { socket, messages } = await player.follow();
    const deep = `${"[".repeat(8_000)}${"]".repeat(8_000)}`;
    socket.send(`{"type":"ping","message":${deep}}`);
    await eventually("it is answered", () => messages.some(({ type }) => type === "pong"));
    expect(messages.at(-1)).toEqual({ type: "pong", message: null });
    socket.close();
  });

  test("cannot go around the Origin check with another spelling of the path", async () => {
    const headers = { origin: "https://evil.example", "content-type": "text/plain" };
    for (const path of ["/%61pi/sign-out", "/api/sign-out", "/api/%73ign-out"]) {
      const answer = await player.call<Problem>(path, { method: "POST", raw: "x", headers });
      expect([answer.status, answer.body.code]).toEqual([403, "origin_refused"]);
    }
    expect((await player.call("/api/players/current")).status).toBe(200);
    expect((await player.call("//", { method: "POST" })).status).toBe(404);
  });

  test("has 20 sockets and no more: the oldest is closed", async () => {
    const all = await Promise.all(Array.from({ length: 25 }, () => player.follow()));
    const open = () => all.filter(({ socket }) => socket.readyState === WebSocket.OPEN).length;
    await eventually("20 are left", () => open() === 20);
    for (const { socket } of all) socket.terminate();
  });
});

describe("an API key", () => {
  const withKey = (key: string, more: object = {}) => ({
    headers: { authorization: `Bearer ${key}`, origin: undefined },
    ...more,
  });

  test("is shown once, works without cookie and Origin, and cannot replace itself", async () => {
    const path = "/api/players/current/api-key";
    const { body: key, headers } = await player.call<string>(path, {
      method: "DELETE",
      headers: { accept: "application/json" },
    });
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(headers["content-type"]).toContain("application/json");
    expect((await player.player()).apiKeyPlaceholder).toBe(`${key.slice(0, 4)}**********`);
    const { id, name } = await player.player();
    const own = await site.call<{ id: string }>("/api/players/current", withKey(key));
    expect([own.status, own.body.id]).toEqual([200, id]);
    const started = await site.call<Instance>("/api/instances/current", {
      ...withKey(key),
      method: "POST",
      body: { challenge: "notes" },
    });
    expect(started.body).toMatchObject({ name: "notes", playerId: id });
    const refused = await site.call<Problem>(path, { ...withKey(key), method: "DELETE" });
    expect([refused.status, refused.body.code]).toEqual([400, "api_key_refused"]);

    const next = await player.call(path, { method: "DELETE" });
    expect(next.text).toMatch(/^[0-9a-f]{64}$/);
    expect((await site.call("/api/players/current", withKey(key))).status).toBe(401);
    // A bad key on what everybody may read is anonymous, as clients of the original expect.
    expect((await site.call("/api/challenges", withKey(key))).status).toBe(200);
    expect((await site.call(`/api/players/${id}`)).body).toEqual({ id, name, attributes: {} });
    expect((await site.call("/api/players/none")).status).toBe(404);
  });

  test("of an admin has the rights of a player", async () => {
    const { text: key } = await admin.call("/api/players/current/api-key", { method: "DELETE" });
    expect((await admin.call("/api/instances")).status).toBe(200);
    const answer = await site.call<Problem>("/api/instances", withKey(key));
    expect([answer.status, answer.body.code]).toEqual([403, "role_required"]);
    expect((await site.call<{ name: string }[]>("/api/players")).body.map(({ name }) => name)).toEqual([
      "Admin",
      "Player",
    ]);
  });

  test("the instances of others are for admins alone", async () => {
    expect((await player.call("/api/instances")).status).toBe(403);
    const { body } = await player.call<Instance[]>("/api/instances/historic");
    expect(body.length).toBeGreaterThan(3);
    expect(body[0]).toMatchObject({ status: 0, services: [], phase: "Terminated" });
    expect(body.every(({ terminatedAt }) => terminatedAt !== null)).toBe(true);
    expect((await site.call("/api/instances/historic")).status).toBe(401);
  });
});

describe("whatever is sent", () => {
  const nasty = fc.oneof(
    fc.string({ maxLength: 300, unit: "binary" }),
    fc.constantFrom("../../etc/passwd", "%00", "'; drop table instances; --", "{{7*7}}", "\u0000", "x".repeat(100_000)),
    fc.json({ maxDepth: 6 }),
  );
  const paths = [
    ...["/api/metadata", "/api/challenges", "/api/players", "/api/instances", "/api/instances/current", "/api/events"],
    ...[
      "/api/instances/current/renew",
      "/api/instances/historic",
      "/api/sign-in",
      "/api/sign-in/preview",
      "/api/openapi.json",
    ],
  ];

  test("is answered below 500, as a problem where it is refused", async () => {
    const request = fc.record({
      method: fc.constantFrom("GET", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"),
      path: fc.oneof(
        fc.constantFrom(...paths),
        nasty.map((text) => `/api/challenges/${encodeURIComponent(text.slice(0, 500))}`),
        nasty.map(
          (text) => `/api/players/${encodeURIComponent(text.slice(0, 500))}?x=${encodeURIComponent(text.slice(0, 99))}`,
        ),
      ),
      raw: fc.option(nasty, { nil: undefined }),
      type: fc.constantFrom("application/json", "text/plain", "multipart/form-data; boundary=x", "x"),
      token: fc.constantFrom(undefined, "Bearer x", `Bearer ${"0".repeat(64)}`, "Basic eDp5"),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, raw, type, token }) => {
        const headers = { "content-type": type, authorization: token };
        const answer = await player.call<Problem>(path, { method, ...(raw !== undefined && { raw }), headers });
        expect(answer.status).toBeLessThan(500);
        if (answer.status >= 400 && method !== "HEAD") {
          expect(answer.headers["content-type"]).toContain("application/problem+json");
          expect(Object.keys(answer.body)).toEqual(expect.arrayContaining(["code", "detail", "status", "title"]));
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("after kill -9", () => {
  test("the session and the instance go on, and the pages reconnect", async () => {
    // Random requests may have stopped it, and used up the player's limit.
    await eventually("it can be started", async () => (await player.start("notes")).status === 200);
    const before = await player.until("runs", isRunning);
    await site.end("SIGKILL");
    await site.up();
    expect(await player.until("runs", isRunning)).toMatchObject({ id: before.id, services: before.services });
  });

  test("an instance that was asked for a moment earlier starts, and one that was stopped ends", async () => {
    await player.start("vault", { replace: true });
    await site.end("SIGKILL");
    await site.up();
    const running = await player.until("runs", isRunning);
    expect(running.name).toBe("vault");
    await player.stop();
    await site.end("SIGKILL");
    await site.up();
    await player.until("is gone", isEmpty);
    expect(rows().every(({ state }) => state === "ended")).toBe(true);
  });

  test("no flag was printed or answered", async () => {
    const flags = rows().flatMap(({ flag }) => flag ?? []);
    expect(flags.length).toBeGreaterThan(2);
    await delay(100);
    for (const flag of flags) expect(site.output).not.toContain(flag);
  });

  test("signing out ends the session", async () => {
    expect((await player.call("/api/sign-out", { method: "POST" })).status).toBe(204);
    expect((await player.call("/api/players/current")).status).toBe(401);
  });
});
