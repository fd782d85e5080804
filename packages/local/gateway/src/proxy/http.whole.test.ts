/** The way of HTTP requests through real sockets. */
import { once } from "node:events";
import { Agent, get, type IncomingMessage, request } from "node:http";
import { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { fromAll, gateway, httpRoute, type Objects, service } from "../testing/objects.ts";
import {
  closeAll,
  dial,
  everythingFrom,
  exchange,
  freePort,
  httpBackend,
  onClose,
  startProxy,
  type TestProxyOptions,
  tcpBackend,
} from "../testing/servers.ts";

afterEach(closeAll);

/** One listener, one host `web.test` that leads to the Service a/web. */
async function world(endpoints: number[], options: Omit<TestProxyOptions, "endpoints"> = {}, more: Objects = {}) {
  const port = await freePort();
  const proxy = await startProxy(
    {
      gateways: [gateway([{ name: "http", port, protocol: "HTTP", ...fromAll }])],
      httpRoutes: [httpRoute("a/web", ["web.test"])],
      services: [service("a/web")],
      ...more,
    },
    { ...options, endpoints: { "a/web": endpoints } },
  );
  return { port, proxy };
}

const ask = (
  port: number,
  options: { host?: string; headers?: object; method?: string; path?: string; body?: string } = {},
) =>
  new Promise<IncomingMessage & { body: string }>((resolve, reject) => {
    const { host = "web.test", headers, method = "GET", path = "/", body } = options;
    const asked = request({ port, host: "127.0.0.1", method, path, headers: { host, ...headers }, agent: false });
    asked.on("error", reject);
    asked.on("response", (response) => {
      text(response).then((body) => resolve(Object.assign(response, { body })), reject);
    });
    asked.end(body);
  });

describe("a request", () => {
  test("goes to the pod with everything that it says, and its answer comes back the same", async () => {
    const backend = await httpBackend(async (incoming, answer) => {
      const body = await text(incoming);
      answer.writeHead(418, "Short And Stout", [
        ["Set-Cookie", "a=1"],
        ["Set-Cookie", "b=2"],
        ["X-Tea", "green"],
      ] as never);
      answer.end(JSON.stringify({ url: incoming.url, method: incoming.method, raw: incoming.rawHeaders, body }));
    });
    const { port } = await world([backend]);
    const answer = await ask(port, {
      method: "PUT",
      path: "/a%2Fb?c=d&e",
      body: "hello",
      headers: { "X-Mixed-Case": "1" },
    });
    expect(answer.statusCode).toBe(418);
    expect(answer.statusMessage).toBe("Short And Stout");
    expect(answer.headers["set-cookie"]).toEqual(["a=1", "b=2"]);
    const seen = JSON.parse(answer.body);
    expect(seen).toMatchObject({ url: "/a%2Fb?c=d&e", method: "PUT", body: "hello" });
    expect(seen.raw).toContain("X-Mixed-Case");
  });

  test.each([
    [
      "who sent it",
      {},
      { "x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "http", "x-forwarded-host": "web.test" },
    ],
    [
      "and not what the sender claims",
      { "X-Forwarded-For": "6.6.6.6", Forwarded: "for=6.6.6.6" },
      { "x-forwarded-for": "127.0.0.1", forwarded: undefined },
    ],
    [
      "nothing that is for this connection alone",
      { Connection: "x-secret, close", "X-Secret": "1", TE: "trailers", "Proxy-Authorization": "x" },
      { "x-secret": undefined, te: undefined, "proxy-authorization": undefined },
    ],
    ["its host as it was", { Host: "WEB.test:8080" }, { host: "WEB.test:8080", "x-forwarded-host": "WEB.test:8080" }],
    ["no body where there is none", {}, { "content-length": undefined, "transfer-encoding": undefined }],
  ])("tells the pod %s", async (_, headers, wanted) => {
    const backend = await httpBackend((incoming, answer) => answer.end(JSON.stringify(incoming.headers)));
    const { port } = await world([backend]);
    const { body } = await ask(port, { headers });
    for (const [name, value] of Object.entries(wanted)) expect([name, JSON.parse(body)[name]]).toEqual([name, value]);
  });

  test("without a body, of a method that could have one, says so", async () => {
    const backend = await httpBackend((incoming, answer) => answer.end(incoming.headers["content-length"]));
    const { port } = await world([backend]);
    expect(await exchange(port, "POST / HTTP/1.1\r\nHost: web.test\r\nConnection: close\r\n\r\n")).toMatch(
      /\r\n\r\n(1\r\n)?0/,
    );
  });

  test.each([
    ["an unknown host", "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n", 404],
    ["no host, in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", 404],
    ["two hosts", "GET / HTTP/1.1\r\nHost: web.test\r\nHost: web.test\r\n\r\n", 400],
    ["a host that is none", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400],
    ["no HTTP", "hello\r\n\r\n", 400],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nHost: web.test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["the host in the first line", "GET http://web.test/x HTTP/1.1\r\nHost: other.test\r\n\r\n", 200],
    ["everything at once and an end", "GET / HTTP/1.1\r\nHost: web.test\r\n\r\n", 200],
    ["HTTP/1.0", "GET / HTTP/1.0\r\nHost: web.test\r\n\r\n", 200],
  ])("with %s is answered %s", async (_, sent, status) => {
    const backend = await httpBackend((_, answer) => answer.end("fine"));
    const { port } = await world([backend]);
    const answer = await exchange(port, sent);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    if (status === 200) expect(answer).toContain("fine");
  });

  test("whose route leads nowhere is answered 500", async () => {
    const { port } = await world([], {}, { services: [] });
    expect((await ask(port)).statusCode).toBe(500);
  });
});

describe("while nothing is ready", () => {
  test("a browser gets a page that refreshes itself, a program the time to wait", async () => {
    const { port } = await world([]);
    const page = await ask(port, { headers: { accept: "text/html,*/*" } });
    expect([page.statusCode, page.headers["content-type"], page.headers["cache-control"]]).toEqual([
      503,
      "text/html; charset=utf-8",
      "no-store",
    ]);
    expect(page.body).toContain('http-equiv="refresh"');
    const plain = await ask(port);
    expect([plain.statusCode, plain.headers["retry-after"], plain.headers["content-type"]]).toEqual([
      503,
      "2",
      "text/plain; charset=utf-8",
    ]);
  });

  test("a pod that is ready and does not listen yet counts as starting", async () => {
    const { port } = await world([await freePort()]);
    expect((await ask(port, { method: "POST", body: "x".repeat(100_000) })).statusCode).toBe(503);
  });
});

describe("endpoints", () => {
  test("one that does not accept is passed over", async () => {
    const backend = await httpBackend((_, answer) => answer.end("fine"));
    const { port } = await world([await freePort(), backend]);
    expect((await ask(port)).body).toBe("fine");
  });

  test("one that accepted and broke off is not tried again, nor is another", async () => {
    let asked = 0;
    const broken = await tcpBackend((socket) => {
      asked++;
      socket.once("data", () => socket.resetAndDestroy());
    });
    const { port } = await world([broken, broken]);
    expect((await ask(port)).statusCode).toBe(502);
    expect(asked).toBe(1);
  });

  test("are drawn at random", async () => {
    const backends = await Promise.all(["a", "b"].map((name) => httpBackend((_, answer) => answer.end(name))));
    let draw = 0;
    const { port } = await world(backends, { random: () => draw });
    const first = (await ask(port)).body;
    draw = 0.5;
    expect([first, (await ask(port)).body]).toEqual(["a", "b"]);
  });

  test("one connection serves all requests of a client's connection, and ends with it", async () => {
    let opened = 0;
    let closed = 0;
    const backend = await httpBackend((_, answer) => answer.end("fine"));
    const counting = await tcpBackend((socket) => {
      opened++;
      socket.on("close", () => closed++);
      void dial(backend).then((inner) => socket.pipe(inner).pipe(socket));
    });
    const { port } = await world([counting]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < 3; i++) {
      const [response] = (await once(get({ port, agent, headers: { host: "web.test" } }), "response")) as [
        IncomingMessage,
      ];
      await text(response);
    }
    expect([opened, closed]).toEqual([1, 0]);
    agent.destroy();
    await expect.poll(() => closed).toBe(1);
  });
});

test("a kept connection to a pod that is not ready any more is not used again", async () => {
  const [old, young] = await Promise.all(["old", "young"].map((name) => httpBackend((_, answer) => answer.end(name))));
  const endpoints = [old as number];
  const { port } = await world(endpoints);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const next = async () => {
    const [response] = (await once(get({ port, agent, headers: { host: "web.test" } }), "response")) as [
      IncomingMessage,
    ];
    return text(response);
  };
  const first = await next();
  endpoints[0] = young as number;
  expect([first, await next()]).toEqual(["old", "young"]);
  agent.destroy();
});

describe("an answer", () => {
  test("comes piece by piece, the header at once", async () => {
    let send: (piece: string) => void = () => {};
    const backend = await httpBackend((_, answer) => {
      answer.writeHead(200, { "content-type": "text/event-stream" });
      answer.flushHeaders();
      send = (piece) => answer.write(piece);
    });
    const { port } = await world([backend]);
    const [response] = (await once(get({ port, headers: { host: "web.test" }, agent: false }), "response")) as [
      IncomingMessage,
    ];
    for (const piece of ["one", "two"]) {
      send(piece);
      expect(String((await once(response, "data"))[0])).toBe(piece);
    }
    response.destroy();
  });

  test.each(["", "TE: trailers\r\n"])(
    "that came in one piece is written in one piece, asked for with %j",
    async (more) => {
      const backend = await tcpBackend((socket) => {
        socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
      });
      const { port } = await world([backend]);
      const written = vi.spyOn(
        Socket.prototype as Socket & { _writeGeneric(many: boolean, what: unknown): void },
        "_writeGeneric",
      );
      onTestFinished(() => written.mockRestore());
      const client = await dial(port);
      client.write(`GET / HTTP/1.1\r\nHost: web.test\r\n${more}\r\n`);
      await once(client, "data");
      const pieces = written.mock.calls.map(([many, what]) =>
        many ? (what as { chunk: unknown }[]).map(({ chunk }) => String(chunk)).join("") : String(what),
      );
      expect(pieces.filter((piece) => piece.includes("Keep-Alive"))).toEqual([
        expect.stringMatching(/^HTTP.1.1 200 OK\r\n.*\r\n\r\nhello$/s),
      ]);
    },
  );

  test.each([{ "content-length": "100" }, {}])("that breaks off is not taken for a whole one: %j", async (headers) => {
    const backend = await httpBackend((_, answer) => {
      answer.writeHead(200, headers);
      answer.write("half", () => answer.destroy());
    });
    const { port } = await world([backend]);
    await expect(ask(port)).rejects.toThrow("aborted");
  });

  test("is dropped where the client breaks off", async () => {
    let gone = false;
    let asked = false;
    const backend = await tcpBackend((socket) => {
      socket.once("data", () => {
        asked = true;
      });
      socket.once("close", () => {
        gone = true;
      });
      socket.once("end", () => socket.end());
    });
    const { port } = await world([backend]);
    const socket = await dial(port);
    socket.write("GET / HTTP/1.1\r\nHost: web.test\r\n\r\n");
    await expect.poll(() => asked).toBe(true);
    socket.resetAndDestroy();
    await expect.poll(() => gone).toBe(true);
  });

  test("is no faster than the client takes it", async () => {
    let sent = 0;
    const backend = await httpBackend((_, answer) => {
      const piece = Buffer.alloc(64 * 1024);
      const more = () => {
        do sent += piece.length;
        while (answer.write(piece));
        answer.once("drain", more);
      };
      more();
    });
    const { port } = await world([backend]);
    const [response] = (await once(get({ port, headers: { host: "web.test" }, agent: false }), "response")) as [
      IncomingMessage,
    ];
    response.pause();
    await expect
      .poll(async () => {
        const before = sent;
        await delay(100);
        return sent - before;
      })
      .toBe(0);
    expect(sent).toBeLessThan(40 * 1024 * 1024);
    response.destroy();
  });

  test("to a header field that was not expected comes before the body is asked for", async () => {
    const backend = await httpBackend((_, answer) => answer.writeHead(417).end());
    const { port } = await world([backend]);
    const asked = request({
      port,
      method: "POST",
      agent: false,
      headers: { host: "web.test", expect: "100-continue" },
    });
    asked.flushHeaders();
    let continued = false;
    asked.on("continue", () => {
      continued = true;
    });
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    expect([continued, response.statusCode]).toEqual([true, 417]);
    asked.destroy();
  });
});

describe("WebSockets", () => {
  const upgrade =
    "GET /ws HTTP/1.1\r\nHost: web.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n";

  test("carry bytes both ways, from the first on, and each side's end apart", async () => {
    const backend = await tcpBackend((socket) => {
      let got = "";
      socket.on("data", (piece) => {
        got += piece;
        if (!got.includes("\r\n\r\nearly")) return;
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello");
        socket.removeAllListeners("data");
        socket.on("data", (piece) => socket.write(`echo ${piece}`));
        socket.on("end", () => setTimeout(() => socket.end("bye"), 20));
      });
      // It answers only when the request is all there.
      socket.once("data", () => {
        if (got.includes("\r\n\r\n")) socket.emit("data", "early");
      });
    });
    const { port, proxy } = await world([backend]);
    const socket = await dial(port);
    const all = everythingFrom(socket);
    socket.write(`${upgrade}\r\n`);
    await delay(100);
    socket.end("ping");
    const answer = await all;
    expect(answer).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(answer).toMatch(/\r\n\r\nhelloecho pingbye$/);
    await expect.poll(() => proxy.connections.size).toBe(0);
  });

  test("that are refused get the answer, and then the end", async () => {
    const backend = await httpBackend((_, answer) => answer.writeHead(403, { "x-why": "no" }).end("not you"));
    const { port } = await world([backend]);
    const socket = await dial(port);
    const all = everythingFrom(socket);
    socket.write(`${upgrade}\r\nGET / HTTP/1.1\r\nHost: web.test\r\n\r\n`);
    const answer = await all;
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toContain("x-why: no");
    expect(answer).toMatch(/not you$/);
  });

  test("to unknown hosts and to those that start are answered as others are", async () => {
    const { port } = await world([await freePort()]);
    expect(await exchange(port, `${upgrade.replace("web.test", "x.test")}\r\n`)).toMatch(/^HTTP\/1\.1 404 /);
    expect(await exchange(port, `${upgrade}\r\n`)).toMatch(/^HTTP\/1\.1 503 /);
  });

  test.each([
    ["to an unknown host", 404, "x.test", async () => []],
    ["to a pod that starts", 503, "web.test", async () => [await freePort()]],
    ["to a pod that breaks off", 502, "web.test", async () => [await tcpBackend((socket) => socket.destroy())]],
    [
      "that a pod refuses",
      403,
      "web.test",
      async () => [await httpBackend((_, answer) => answer.writeHead(403).end())],
    ],
  ])("%s are answered %i, and not held open by a client that goes on sending", async (_, status, host, endpoints) => {
    const { port, proxy } = await world(await endpoints(), { limits: { headerMs: 1_000 } });
    const socket = await dial(port);
    const all = everythingFrom(socket);
    socket.write(`${upgrade.replace("web.test", host)}\r\n`);
    const drip = setInterval(() => socket.write("x"), 20);
    onClose(() => clearInterval(drip));
    expect(await all).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    await expect.poll(() => proxy.connections.size).toBe(0);
  });

  test("only: an upgrade to anything else is an ordinary request", async () => {
    const backend = await httpBackend((incoming, answer) => answer.end(`${incoming.headers.upgrade}`));
    const { port } = await world([backend]);
    expect(await exchange(port, `${upgrade.replace("websocket", "h2c")}\r\n`)).toMatch(
      /^HTTP\/1\.1 200 [\s\S]*undefined/,
    );
  });
});

test("whatever a client sends, it is answered or closed, and the next one is served", async () => {
  const backend = await httpBackend((_, answer) => answer.end("fine"));
  const { port, proxy } = await world([backend], { limits: { headerMs: 500 } });
  const piece = fc.oneof(
    fc.constantFrom(
      "GET ",
      "POST ",
      "/",
      " HTTP/1.1",
      "\r\n",
      "\r\n\r\n",
      "Host: web.test",
      "Upgrade: websocket",
      ": ",
    ),
    fc.constantFrom("Connection: upgrade", "Transfer-Encoding: chunked", "Content-Length: 5", "http://web.test"),
    fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  );
  const sane = "GET / HTTP/1.1\r\nHost: web.test\r\n";
  await fc.assert(
    fc.asyncProperty(fc.constantFrom("", sane), fc.array(piece, { maxLength: 12 }), async (start, pieces) => {
      const socket = await dial(port);
      const all = everythingFrom(socket);
      socket.end(Buffer.from(`${start}${pieces.join("")}\r\n\r\n`, "latin1"));
      expect(await all).toMatch(/^(HTTP\/1\.1 \d{3} [\s\S]*)?$/);
    }),
    { numRuns: 150 },
  );
  expect((await ask(port)).body).toBe("fine");
  await expect.poll(() => proxy.connections.size).toBe(0);
}, 30_000);

describe("clients that take too much", () => {
  test("a header that is too large, or has too many fields, is refused", async () => {
    const backend = await httpBackend((_, answer) => answer.end("fine"));
    const { port } = await world([backend], { limits: { headerBytes: 8_192, headers: 20 } });
    const head = "GET / HTTP/1.1\r\nHost: web.test\r\n";
    expect(await exchange(port, `${head}X: ${"x".repeat(10_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
    expect(await exchange(port, `${head}${"X: x\r\n".repeat(20)}\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
    expect(await exchange(port, `${head}${"X: x\r\n".repeat(19)}\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("a header that comes byte by byte is cut off, and so is silence", async () => {
    const backend = await httpBackend((_, answer) => answer.end("fine"));
    const { port } = await world([backend], { limits: { headerMs: 300 } });
    const slow = await dial(port);
    slow.write("GET / HTTP/1.1\r\nX: ");
    const drip = setInterval(() => slow.write("x"), 50);
    const silent = await dial(port);
    const answers = await Promise.all([everythingFrom(slow), everythingFrom(silent)]);
    clearInterval(drip);
    for (const answer of answers) expect(answer).toMatch(/^(HTTP\/1\.1 408 [\s\S]*)?$/);
  });

  test("a kept connection without requests is closed", async () => {
    const backend = await httpBackend((_, answer) => answer.end("fine"));
    const { port, proxy } = await world([backend], { limits: { keepAliveMs: 100 } });
    const socket = await dial(port);
    socket.write("GET / HTTP/1.1\r\nHost: web.test\r\n\r\n");
    expect(await everythingFrom(socket)).toContain("fine");
    socket.end();
    await expect.poll(() => proxy.connections.size).toBe(0);
  });

  test("a request on which nothing moves is cut off", async () => {
    const backend = await httpBackend(() => {});
    const { port } = await world([backend], { limits: { idleMs: 200 } });
    await expect(ask(port)).rejects.toThrow();
  });

  test("connections above the limit are closed, and there is room again when one has gone", async () => {
    const backend = await httpBackend((_, answer) => answer.end("fine"));
    const { port, proxy } = await world([backend], { limits: { connections: 5, connectionsPerSource: 3 } });
    const held = [await dial(port), await dial(port), await dial(port)];
    await expect.poll(() => proxy.connections.size).toBe(3);
    await expect(ask(port)).rejects.toThrow();
    held[0]?.destroy();
    await expect.poll(() => proxy.connections.size).toBe(2);
    expect((await ask(port)).body).toBe("fine");
  });

  test("a thousand that say nothing keep nobody out", async () => {
    const backend = await httpBackend((_, answer) => answer.end("fine"));
    const { port, proxy } = await world([backend]);
    const silent = await Promise.all(Array.from({ length: 1_000 }, () => dial(port)));
    await expect.poll(() => proxy.connections.size).toBe(1_000);
    expect((await ask(port)).body).toBe("fine");
    for (const socket of silent) socket.destroy();
    await expect.poll(() => proxy.connections.size).toBe(0);
  });
});

/** A pod that has said nothing but this, over and over, until its connection is closed. */
async function babbling(words: string) {
  const seen = { closed: 0 };
  const port = await tcpBackend((socket) => {
    socket.on("close", () => seen.closed++);
    const piece = words.repeat(1_000);
    const more = () => !socket.destroyed && socket.write(piece, () => setImmediate(more));
    socket.once("data", more);
  });
  return { port, seen };
}

/** One goes from socket to socket, one through Node's server, one asks for another protocol. */
const requests = {
  plain: "GET / HTTP/1.1\r\nHost: web.test\r\n\r\n",
  "with a body in chunks": "POST / HTTP/1.1\r\nHost: web.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "for a WebSocket":
    "GET / HTTP/1.1\r\nHost: web.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\nSec-WebSocket-Version: 13\r\n\r\n",
};

describe("a pod that sends interim responses without end", () => {
  const words = ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 102 Processing\r\nX: y\r\n\r\n"];
  const cases = Object.entries(requests).flatMap(([what, request]) => words.map((word) => ({ what, request, word })));

  test.each(cases)("is cut off, to a request $what: $word", async ({ request, word }) => {
    const { port: backend, seen } = await babbling(word);
    const { port } = await world([backend]);
    const client = await dial(port);
    const answer = everythingFrom(client);
    client.write(request);
    await expect.poll(() => seen.closed, { timeout: 25_000 }).toBe(1);
    client.end();
    const final = (await answer).replace("HTTP/1.1 100 Continue\r\n\r\n", "");
    expect(final).toMatch(/^HTTP\/1\.1 502 /);
  });
});

describe("a client that closes its side", () => {
  test.each(Object.entries(requests))(
    "and a pod that never answers are parted, after a request %s",
    async (_, request) => {
      const seen = { closed: 0 };
      const backend = await tcpBackend((socket) => {
        socket.on("close", () => seen.closed++);
        // It still says something now and then, which is no answer.
        const timer = setInterval(() => socket.write("HTTP/1.1 102 Processing\r\n\r\n"), 20);
        socket.on("close", () => clearInterval(timer)).resume();
      });
      const { port } = await world([backend], { limits: { halfClosedMs: 100, interimResponses: 1e9 } });
      const client = await dial(port);
      const answer = everythingFrom(client);
      client.end(request);
      await answer;
      await expect.poll(() => seen.closed, { timeout: 25_000 }).toBe(1);
    },
  );
});
