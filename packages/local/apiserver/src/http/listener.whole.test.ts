/** The front of the server on a real socket, with as little behind it as possible. */

import { setTimeout as delay } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { gunzipSync } from "node:zlib";
import { silentLogger, systemClock } from "@berg/kube";
import { issueCertificate, makeCa } from "@berg/local-certificates";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { wantedUser } from "../authentication/impersonation-headers.ts";
import type { User } from "../authentication/user.ts";
import { builtIn } from "../kinds/built-in.ts";
import { ServedResources } from "../registry/served-resources.ts";
import type { Caller, Verbs, WatchFrame } from "../registry/verbs.ts";
import { type Listener, type ListenerOptions, listen } from "./listener.ts";
import type { ServerParts } from "./parts.ts";
import { send, type Target } from "./testing/raw-requests.ts";

const now = Date.now();
const ca = makeCa("test", now - 1000, now + 3_600_000);
const identity = issueCertificate(ca, {
  subject: { commonName: "server" },
  usage: "server",
  names: ["127.0.0.1"],
  from: now - 1000,
  until: now + 3_600_000,
});
const tls = { key: identity.key, certificate: identity.certificate, clientCa: ca.certificate };

const columns = [{ name: "Name", type: "string", description: "", priority: 0, value: () => "" }] as const;
const maps = builtIn({ resource: "configmaps", kind: "ConfigMap", schema: {}, columns });
const large = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "large" }, data: { x: "x".repeat(200_000) } };

/** What stands for storage: enough to see what comes in and goes out. */
function fakeVerbs(): Verbs & { watches: number; slow: number; callers: Caller[] } {
  const verbs = {
    watches: 0,
    slow: 0,
    callers: [] as Caller[],
    get: async ({ name }: { name: string }) => {
      if (name === "broken") throw new Error("flag{secret} is in here");
      if (name === "slow") {
        verbs.slow++;
        await delay(300);
      }
      return name === "large" ? large : { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
    },
    create: async (_: unknown, __: string, ___: unknown, ____: unknown, caller: Caller) => {
      verbs.callers.push(caller);
      caller.warn('a "warning" with ünïcode and a \n line');
      caller.warn("another");
      return { object: large, isNew: true };
    },
    watch: async (_: unknown, __: string, ___: unknown, signal: AbortSignal) => {
      verbs.watches++;
      return (async function* (): AsyncGenerator<WatchFrame[]> {
        yield [{ type: "ADDED", object: large as unknown as WatchFrame["object"] }];
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
        verbs.watches--;
      })();
    },
  };
  return verbs as unknown as Verbs & { watches: number; slow: number; callers: Caller[] };
}

async function start(options: Partial<ListenerOptions> = {}, more: Partial<ServerParts> = {}) {
  const served = new ServedResources();
  served.add(maps);
  const verbs = fakeVerbs();
  const logged: object[] = [];
  const parts: ServerParts = {
    verbs,
    served,
    endpoints: {},
    authenticate: async ({ headers, certificate }) =>
      headers.authorization === "Bearer good" || certificate ? { name: "jane", groups: [] } : undefined,
    impersonate: (user, headers) => wantedUser(headers) ?? user,
    authorize: (user) => ({ allowed: user.name === "jane", reason: "" }),
    answerPath: async () => false,
    clock: systemClock,
    log: { ...silentLogger, error: (fields: object) => logged.push(fields) },
    ...more,
  };
  const listener = await listen(parts, { host: "127.0.0.1", port: 0, tls, ...options });
  const target: Target = { url: `https://127.0.0.1:${listener.port}`, caPem: ca.certificate, token: "good" };
  return { listener, target, verbs, logged };
}

const maps1 = "/api/v1/namespaces/default/configmaps";

const headOf = (length: number) =>
  `POST ${maps1} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

/** Writes bytes on a connection, and gives what came back until it ended or `waitMs` are over. */
async function wire(
  listener: Listener,
  bytes: Uint8Array | string,
  waitMs = 1_000,
): Promise<{ text: string; isClosed: boolean }> {
  const socket = await open(listener);
  let text = "";
  let isClosed = false;
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  const closed = new Promise<void>((resolve) =>
    socket.on("close", () => {
      isClosed = true;
      resolve();
    }),
  );
  socket.write(bytes);
  await Promise.race([closed, delay(waitMs)]);
  socket.destroy();
  return { text, isClosed };
}

function open({ port }: Listener): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, ca: ca.certificate }, () => resolve(socket));
    socket.on("error", reject);
    socket.on("secureConnect", () => socket.off("error", reject).on("error", () => {}));
  });
}

describe("the listener", () => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.listener.stop(1_000));

  test("wants a credential that it knows", async () => {
    const { target } = server;
    expect((await send({ ...target, token: "bad" }, { path: `${maps1}/a` })).code).toBe(401);
    const nobody = await send({ url: target.url, caPem: target.caPem }, { path: `${maps1}/a` });
    expect([nobody.code, JSON.parse(nobody.text).message]).toEqual([
      403,
      'configmaps "a" is forbidden: User "system:anonymous" cannot get resource "configmaps" in API group "" in the namespace "default"',
    ]);
    expect((await send(target, { path: `${maps1}/a` })).code).toBe(200);
  });

  test("does not take one who speaks for another for themselves", async () => {
    const headers = { "impersonate-user": "bob" };
    const answer = await send(server.target, { path: `${maps1}/a`, headers });
    expect([answer.code, JSON.parse(answer.text).message]).toEqual([
      403,
      'configmaps "a" is forbidden: User "bob" cannot get resource "configmaps" in API group "" in the namespace "default"',
    ]);
  });

  test("compresses what is large, for whoever takes that", async () => {
    const plain = await send(server.target, { path: `${maps1}/large` });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const gzip = await send(server.target, {
      path: `${maps1}/large`,
      headers: { "accept-encoding": "deflate, gzip;q=0.5" },
    });
    expect(gzip.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
    expect(gzip.bytes.length).toBeLessThan(plain.bytes.length / 10);
    const small = await send(server.target, { path: `${maps1}/a`, headers: { "accept-encoding": "gzip" } });
    expect(small.headers["content-encoding"]).toBeUndefined();
  });

  test("passes warnings on, each in a header of its own", async () => {
    const headers = { "content-type": "application/json", "user-agent": "kubectl/v1.36 (linux)" };
    const answer = await send(server.target, { method: "POST", path: maps1, headers, body: "{}" });
    expect(answer.code).toBe(201);
    const warning = Buffer.from(String(answer.headers.warning), "latin1").toString();
    expect(warning).toBe('299 - "a \\"warning\\" with ünïcode and a   line", 299 - "another"');
    expect(server.verbs.callers.at(-1)?.defaultManager).toBe("kubectl");
  });

  test("tells a client nothing of what went wrong inside, and its log no secret", async () => {
    const answer = await send(server.target, { path: `${maps1}/broken` });
    expect(answer.code).toBe(500);
    expect(answer.text).not.toContain("flag");
    expect(server.logged.at(-1)).toMatchObject({ path: `${maps1}/broken`, method: "GET" });
  });

  test("refuses more than 3 MiB, told beforehand or not", async () => {
    const tooMuch = Buffer.alloc((3 << 20) + 1, " ");
    const request = { method: "POST", path: maps1, headers: { "content-type": "application/json" } };
    expect((await send(server.target, { ...request, body: tooMuch })).code).toBe(413);
    const head = `POST ${maps1} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `${tooMuch.length.toString(16)}\r\n${tooMuch}\r\n0\r\n\r\n`;
    expect((await wire(server.listener, head + chunk)).text).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("answers one request after the other on one connection, also after a refusal", async () => {
    const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n`;
    const { text } = await wire(server.listener, one(`${maps1}/a`) + one("/nope") + one(`${maps1}/b`), 500);
    expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404", "HTTP/1.1 200"]);
  });

  test.each([
    ["a path that is none", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["a path that is badly encoded", "GET /a%zz HTTP/1.1\r\nHost: x\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["a method that is none", "FOO / HTTP/1.1\r\nHost: x\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["headers without end", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(100_000)}\r\n\r\n`, /^(HTTP\/1\.1 431 |$)/],
    ["rubbish", "\x00\x01\x02 rubbish\r\n\r\n", /^HTTP\/1\.1 400 /],
    [
      "two lengths",
      `POST ${maps1} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      /^HTTP\/1\.1 400 /,
    ],
  ])("answers %s, and lives", async (_, bytes, wanted) => {
    expect((await wire(server.listener, bytes)).text).toMatch(wanted);
    expect((await send(server.target, { path: `${maps1}/a` })).code).toBe(200);
  });

  test("survives whatever is written to it", async () => {
    const start = `POST ${maps1} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Length: 50\r\n\r\n`;
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.uint8Array({ maxLength: 200 }), async (isRequest, bytes) => {
        await wire(server.listener, isRequest ? Buffer.concat([Buffer.from(start), bytes]) : bytes, 5);
      }),
      { numRuns: 40 },
    );
    expect((await send(server.target, { path: `${maps1}/a` })).code).toBe(200);
  });

  test("survives whatever is asked of it", async () => {
    const segment = fc.constantFrom(
      "api",
      "apis",
      "v1",
      "namespaces",
      "watch",
      "configmaps",
      "default",
      "",
      "..",
      "%00",
      "é",
      "a b",
      "status",
    );
    const method = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS");
    await fc.assert(
      fc.asyncProperty(method, fc.array(segment, { maxLength: 6 }), fc.string(), async (verb, segments, query) => {
        const path = `/${segments.map((part) => (part === "%00" ? part : encodeURIComponent(part))).join("/")}?${encodeURI(query).replaceAll("#", "")}&timeoutSeconds=1&watch=0`;
        const { code } = await send(server.target, { method: verb, path });
        expect(code).toBeLessThan(500);
      }),
      { numRuns: 60 },
    );
  });
});

describe("limits", () => {
  test.each([
    ["headers", { headersMs: 200 }, "GET / HTTP/1.1\r\nHost:"],
    ["a body", { headersMs: 200, requestMs: 400 }, `${headOf(50)}{`],
  ])("who sends %s too slowly is cut off, others are not", async (_, some, bytes) => {
    const { listener, target } = await start({ limits: some });
    expect(await wire(listener, bytes, 3_000)).toMatchObject({
      isClosed: true,
      text: expect.stringMatching(/^HTTP\/1\.1 4/),
    });
    expect((await send(target, { path: `${maps1}/slow` })).code).toBe(200);
    await listener.stop(1_000);
  });

  test("who announces too much is told before it is sent", async () => {
    const { listener } = await start();
    expect((await wire(listener, headOf((3 << 20) + 1), 300)).text).toMatch(/^HTTP\/1\.1 413 /);
    await listener.stop(1_000);
  });

  test("what is too much at once is told to come back; watches are not counted", async () => {
    const { listener, target, verbs } = await start({ limits: { requests: 1 } });
    const watch = send(target, { path: `${maps1}?watch=1` });
    while (verbs.watches === 0) await delay(5);
    const answers = await Promise.all([1, 2, 3].map(() => send(target, { path: `${maps1}/slow` })));
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 429, 429]);
    expect(answers.find(({ code }) => code === 429)?.headers["retry-after"]).toBe("1");
    expect((await send(target, { path: `${maps1}/a` })).code).toBe(200);
    await listener.stop(1_000);
    await watch;
  });

  describe("half-sent bodies", () => {
    const tokens: Record<string, User> = {
      good: { name: "jane", groups: [] },
      bobs: { name: "bob", groups: [] },
      admins: { name: "admin", groups: ["system:masters"] },
    };
    const more: Partial<ServerParts> = {
      authenticate: async ({ headers }) => tokens[headers.authorization?.replace("Bearer ", "") ?? ""],
      authorize: () => ({ allowed: true, reason: "" }),
    };
    const post = { method: "POST", path: maps1, headers: { "content-type": "application/json" }, body: "{}" };
    type Server = Awaited<ReturnType<typeof start>>;

    /** Sends the head and first byte of as many bodies. `answered` counts those that got an answer. */
    async function halfSend({ listener }: Server, count: number, token = "good", first = "{") {
      const state = { answered: 0, text: "", sockets: [] as TLSSocket[] };
      for (let i = 0; i < count; i++) {
        const socket = await open(listener);
        socket.once("data", (chunk: Buffer) => {
          state.answered++;
          state.text = chunk.toString();
        });
        socket.write(headOf(1 << 20).replace("good", token) + first);
        state.sockets.push(socket);
      }
      onTestFinished(async () => {
        for (const socket of state.sockets) socket.destroy();
        await listener.stop(1_000);
      });
      return state;
    }
    const until = async (isDone: () => boolean) => {
      while (!isDone()) await delay(5);
    };

    test("take no slot of requests from anybody", async () => {
      const server = await start({ limits: { requests: 5, requestsPerUser: 5, bodiesPerUser: 20 } }, more);
      const half = await halfSend(server, 21);
      // The 21st is one too many for jane: by then the others have been taken up.
      await until(() => half.answered === 1);
      expect(half.text).toMatch(/^HTTP\/1\.1 429 /);
      expect((await send(server.target, { path: `${maps1}/a` })).code).toBe(200);
      expect((await send({ ...server.target, token: "bobs" }, post)).code).toBe(201);
      expect((await send({ ...server.target, token: "admins" }, post)).code).toBe(201);
    });

    test("of all users together leave room for system components", async () => {
      const server = await start({ limits: { bodies: 10 } }, more);
      const ofJane = await halfSend(server, 5);
      const ofBob = await halfSend(server, 6, "bobs");
      await until(() => ofJane.answered + ofBob.answered === 1);
      expect((await send({ ...server.target, token: "bobs" }, post)).code).toBe(429);
      expect((await send({ ...server.target, token: "admins" }, post)).code).toBe(201);
    });

    test("count by their bytes, until they are gone", async () => {
      const server = await start({ limits: { bodiesBytesPerUser: 100_000 } }, more);
      const half = await halfSend(server, 3, "good", "x".repeat(40_000));
      await until(() => half.answered === 1);
      expect(half.text).toMatch(/^HTTP\/1\.1 429 /);
      const large = { ...post, body: JSON.stringify({ a: "x".repeat(30_000) }) };
      expect((await send(server.target, large)).code).toBe(429);
      expect((await send({ ...server.target, token: "bobs" }, large)).code).toBe(201);
      for (const socket of half.sockets) socket.destroy();
      let code = 0;
      while (code !== 201) code = (await send(server.target, large)).code;
    });

    test("one user does not take the slots of another", async () => {
      const server = await start({ limits: { requests: 2, requestsPerUser: 1 } }, more);
      const slow = send(server.target, { path: `${maps1}/slow` });
      await until(() => server.verbs.slow === 1);
      expect((await send(server.target, { path: `${maps1}/a` })).code).toBe(429);
      expect((await send({ ...server.target, token: "bobs" }, { path: `${maps1}/a` })).code).toBe(200);
      expect((await slow).code).toBe(200);
      await server.listener.stop(1_000);
    });
  });
});

describe("the end", () => {
  test("of the server ends watches cleanly, and lets what is being answered be answered", async () => {
    const { listener, target, verbs } = await start();
    const watch = send(target, { path: `${maps1}?watch=1` });
    const slow = send(target, { path: `${maps1}/slow` });
    while (verbs.watches === 0 || verbs.slow === 0) await delay(5);
    await listener.stop(5_000);
    expect(JSON.parse((await watch).text).type).toBe("ADDED");
    expect((await slow).code).toBe(200);
    expect(verbs.watches).toBe(0);
    await expect(send(target, { path: "/" })).rejects.toThrow(/ECONNREFUSED/);
  });

  test("does not wait for a client that says nothing", async () => {
    const { listener } = await start();
    const idle = await open(listener);
    const before = performance.now();
    await listener.stop(120_000);
    expect(performance.now() - before).toBeLessThan(100_000);
    idle.destroy();
  });

  test("of a client ends its watch", async () => {
    const { listener, verbs } = await start();
    const socket = await open(listener);
    socket.write(`GET ${maps1}?watch=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n`);
    while (verbs.watches === 0) await delay(5);
    socket.destroy();
    while (verbs.watches > 0) await delay(5);
    await listener.stop(1_000);
  });
});

test("a certificate of our CA is a credential, one of another is none", async () => {
  const { listener } = await start();
  const client = (from: typeof ca) =>
    issueCertificate(from, {
      subject: { commonName: "jane" },
      usage: "client",
      from: now - 1000,
      until: now + 3_600_000,
    });
  const codeWith = async (from: typeof ca) => {
    const { key, certificate } = client(from);
    const socket = connect({ host: "127.0.0.1", port: listener.port, ca: ca.certificate, key, cert: certificate });
    const answer = new Promise<string>((resolve) => socket.once("data", (chunk: Buffer) => resolve(chunk.toString())));
    socket.write(`GET ${maps1}/a HTTP/1.1\r\nHost: x\r\n\r\n`);
    const text = await answer;
    socket.destroy();
    return text.split(" ")[1];
  };
  expect(await codeWith(ca)).toBe("200");
  expect(await codeWith(makeCa("other", now - 1000, now + 3_600_000))).toBe("403");
  await listener.stop(1_000);
});
