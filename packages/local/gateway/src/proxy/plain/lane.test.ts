/** Plain requests through real sockets; what both ways of serving share is in http.whole.test.ts. */
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { finished } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "@berg/kube";
import { afterEach, describe, expect, test } from "vitest";
import { routingOf } from "../../routing/routing.ts";
import { fromAll, gateway, httpRoute, service, stateOf } from "../../testing/objects.ts";
import {
  closeAll,
  dial,
  everythingFrom,
  exchange,
  freePort,
  startProxy,
  type TestProxyOptions,
  tcpBackend,
} from "../../testing/servers.ts";
import { defaultLimits } from "../limits.ts";
import { PlainLane } from "./lane.ts";

afterEach(closeAll);

/** `web.test` leads to the Service a/web, `other.test` to a/other. */
async function world(endpoints: Record<string, number[]>, options: Omit<TestProxyOptions, "endpoints"> = {}) {
  const port = await freePort();
  const proxy = await startProxy(objects(port), { ...options, endpoints });
  return { port, proxy };
}

const objects = (port: number) => ({
  gateways: [gateway([{ name: "http", port, protocol: "HTTP", ...fromAll }])],
  httpRoutes: ["web", "other"].map((name) =>
    httpRoute(`a/${name}`, [`${name}.test`], [{ backendRefs: [{ name, port: 80 }] }]),
  ),
  services: [service("a/web"), service("a/other")],
});

const get = (path = "/", host = "web.test") => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
const post = (body: string, length = body.length) =>
  `POST / HTTP/1.1\r\nHost: web.test\r\nContent-Length: ${length}\r\n\r\n${body}`;
const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** A server on which each request is answered by its first line, the last by the end of the connection. */
async function answering(answer: (request: string, socket: Socket) => void) {
  const seen = { connections: 0, closed: 0, requests: [] as string[] };
  const port = await tcpBackend((socket) => {
    seen.connections++;
    socket.on("close", () => seen.closed++);
    socket.on("end", () => socket.end());
    socket.on("data", (bytes) => {
      for (const request of String(bytes).split(/(?=(?:GET|HEAD|POST) \/)/)) {
        seen.requests.push(request);
        answer(request, socket);
      }
    });
  });
  return { port, seen };
}
const echo = () => answering((request, socket) => socket.write(ok(request.split(" ")[1] as string)));

/** What comes after these words were sent, until it matches. */
async function talk(socket: Socket, said: string, until: RegExp): Promise<string> {
  let got = "";
  const onData = (bytes: Buffer) => {
    got += bytes.toString("latin1");
  };
  socket.on("data", onData);
  socket.write(said);
  await expect.poll(() => got, patience).toMatch(until);
  socket.off("data", onData);
  return got;
}

/** More than all buffers on the way hold. */
const size = 64 * 1024 * 1024;
const patience = { timeout: 60_000 };

/** Sends so many bytes, each piece when the one before has left. */
function pour(socket: Socket, bytes: number): { sent: number } {
  const piece = Buffer.alloc(256 * 1024);
  const poured = { sent: 0 };
  const more = () => {
    if (poured.sent === bytes) return;
    poured.sent += piece.length;
    socket.write(piece, more);
  };
  more();
  return poured;
}

/** Resolves when nothing goes any more, though not all has gone. */
async function stalled(poured: { sent: number }): Promise<void> {
  const isStalled = async () => {
    const before = poured.sent;
    await delay(500);
    return poured.sent < size && before === poured.sent;
  };
  await expect.poll(isStalled, patience).toBe(true);
}

const bodies = (text: string) => [...text.matchAll(/\r\n\r\n(.*?)(?=HTTP\/1|$)/gs)].map(([, body]) => body);

describe("requests on one connection", () => {
  test("sent all at once are answered one after the other, by one connection to the pod", async () => {
    const { port: backend, seen } = await echo();
    const { port } = await world({ "a/web": [backend] });
    expect(bodies(await exchange(port, get("/1") + post("body") + get("/3")))).toEqual(["/1", "/", "/3"]);
    expect(seen.connections).toBe(1);
    expect(seen.requests[1]).toMatch(/\r\n\r\nbody$/);
    await expect.poll(() => seen.closed).toBe(1);
  });

  test("the one that is not plain is served too, and so are those after it, in their order", async () => {
    const { port: backend, seen } = await echo();
    const { port } = await world({ "a/web": [backend] });
    const chunked = "POST /2 HTTP/1.1\r\nHost: web.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    const last = "GET /4 HTTP/1.1\r\nHost: web.test\r\nConnection: close\r\n\r\n";
    expect(bodies(await exchange(port, get("/1") + chunked + get("/3") + last))).toEqual(["/1", "/2", "/3", "/4"]);
    await expect.poll(() => seen.closed).toBe(seen.connections);
  });

  test("one cut in the middle of its head is served", async () => {
    const { port: backend } = await echo();
    const { port } = await world({ "a/web": [backend] });
    const socket = await dial(port);
    await talk(socket, get("/1"), /\/1$/);
    socket.write(get("/2").slice(0, 20));
    await delay(50);
    await talk(socket, get("/2").slice(20), /\/2$/);
  });

  test("for another host goes to another pod, and nothing of the first is kept", async () => {
    const [one, two] = [await echo(), await answering((_, socket) => socket.write(ok("other")))];
    const { port } = await world({ "a/web": [one.port], "a/other": [two.port] });
    const socket = await dial(port);
    await talk(socket, get("/1"), /\/1$/);
    await talk(socket, get("/", "other.test"), /other$/);
    expect([one.seen.closed, two.seen.connections]).toEqual([1, 1]);
  });

  test("for a host that nobody knows is answered so, in the middle of others", async () => {
    const { port: backend } = await echo();
    const { port } = await world({ "a/web": [backend] });
    const answer = await exchange(port, get("/1") + get("/", "nobody.test") + get("/3"));
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404", "HTTP/1.1 200"]);
  });

  test("reach the pod with our word on where they came from, and not with theirs", async () => {
    const { port: backend, seen } = await echo();
    const { port } = await world({ "a/web": [backend] });
    await exchange(
      port,
      "POST /x HTTP/1.1\r\nA: 1\r\nHost: WEB.test\r\nX-Forwarded-For: 6.6.6.6\r\nForwarded: for=6\r\n\r\n",
    );
    expect(seen.requests[0]).toBe(
      "POST /x HTTP/1.1\r\nHost: WEB.test\r\nA: 1\r\nx-forwarded-for: 127.0.0.1\r\nx-forwarded-proto: http\r\nx-forwarded-host: WEB.test\r\nContent-Length: 0\r\n\r\n",
    );
  });
});

describe("a body", () => {
  test("goes on as it comes", async () => {
    let got = "";
    const { port: backend } = await answering((text, socket) => {
      got += text;
      if (/end$| \/again /.test(got)) socket.write(ok("done"));
    });
    const { port } = await world({ "a/web": [backend] });
    const socket = await dial(port);
    socket.write(post("one ", 11));
    await expect.poll(() => got).toMatch(/one $/);
    socket.write("two ");
    await expect.poll(() => got).toMatch(/one two $/);
    expect(await talk(socket, `end${get("/again")}`, /done[\s\S]*done$/)).toContain("done");
    expect(got).toMatch(/one two endGET \/again /);
  });

  test("is no faster than the pod takes it, and arrives whole", async () => {
    let pod: Socket | undefined;
    let got = 0;
    const backend = await tcpBackend((socket) => {
      pod = socket.pause();
      socket.on("data", ({ length }) => {
        got += length;
        if (got > size) socket.write(ok("done"));
      });
    });
    const { port } = await world({ "a/web": [backend] });
    const socket = await dial(port);
    socket.write(post("", size));
    await stalled(pour(socket, size));
    pod?.resume();
    await talk(socket, "", /done$/);
  });

  test("that is answered before it is all there ends the connection, and is no request", async () => {
    const { port: backend, seen } = await answering((_, socket) => socket.write(ok("enough")));
    const { port, proxy } = await world({ "a/web": [backend] });
    const socket = await dial(port);
    const all = everythingFrom(socket);
    socket.write(post("half", 1_000));
    await expect.poll(() => seen.requests.length).toBe(1);
    await delay(50);
    socket.end(get("/smuggled"));
    expect(bodies(await all)).toEqual(["enough"]);
    await expect.poll(() => proxy.connections.size).toBe(0);
    expect(seen.requests).toHaveLength(1);
  });

  test("that ends too early takes the request with it", async () => {
    const { port: backend, seen } = await answering(() => {});
    const { port, proxy } = await world({ "a/web": [backend] });
    expect(await exchange(port, post("half", 1_000))).toBe("");
    await expect.poll(() => [seen.closed, proxy.connections.size]).toEqual([seen.connections, 0]);
  });
});

describe("an answer", () => {
  test.each([
    ["HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"],
    ["GET", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"],
    ["GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nSum: 1\r\n\r\n"],
    ["GET", "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"],
  ])("to %s, %j, leaves the connection to the next request", async (method, text) => {
    const { port: backend, seen } = await answering((request, socket) =>
      socket.write(request.includes(" /first ") ? text : ok("next")),
    );
    const { port } = await world({ "a/web": [backend] });
    const all = await exchange(port, get("/first").replace("GET", method) + get("/next"));
    expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual([text.match(/HTTP\/1\.1 (?!103)\d+/)?.[0], "HTTP/1.1 200"]);
    expect(all).toMatch(/next$/);
    expect(seen.connections).toBe(1);
  });

  test.each(["HTTP/1.0 200 OK\r\n\r\nall", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nall"])(
    "that ends its own connection, %j, leaves the client's open",
    async (text) => {
      const { port: backend, seen } = await answering((_, socket) => socket.end(text));
      const { port } = await world({ "a/web": [backend] });
      const socket = await dial(port);
      for (let i = 0; i < 2; i++) await talk(socket, get(), /all(\r\n0\r\n\r\n)?$/);
      expect(seen.connections).toBe(2);
    },
  );

  test("with more than was asked for is cut where it ends, and the rest answers no other request", async () => {
    const { port: backend, seen } = await answering((_, socket) => socket.write(ok("fine") + ok("poison")));
    const { port } = await world({ "a/web": [backend] });
    expect(bodies(await exchange(port, get() + get()))).toEqual(["fine", "fine"]);
    expect(seen.connections).toBe(2);
  });

  test("that nobody asked for answers no later request", async () => {
    const { port: backend, seen } = await answering((_, socket) => {
      socket.write(ok("fine"));
      setTimeout(() => socket.write(ok("poison")), 50);
    });
    const { port } = await world({ "a/web": [backend] });
    const socket = await dial(port);
    await talk(socket, get(), /fine$/);
    await expect.poll(() => seen.closed).toBe(1);
    expect(bodies(await talk(socket, get(), /fine$/))).toEqual(["fine"]);
  });

  test.each(["no HTTP\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", ""])(
    "that is none, %j, is told",
    async (text) => {
      const { port: backend } = await answering((_, socket) => socket.end(text));
      const { port } = await world({ "a/web": [backend] });
      expect(await exchange(port, get())).toMatch(/^HTTP\/1\.1 502 /);
      expect(await exchange(port, get().replace("GET", "HEAD"))).toMatch(/^HTTP\/1\.1 502 [\s\S]*\r\n\r\n$/);
    },
  );

  test("that does not come on a kept connection ends the client's: whoever asked knows whether to ask again", async () => {
    const { port: backend, seen } = await answering((request, socket) => {
      if (request.includes(" /1 ")) socket.write(ok("fine"));
      else socket.resetAndDestroy();
    });
    const { port } = await world({ "a/web": [backend] });
    expect(bodies(await exchange(port, get("/1") + get("/2")))).toEqual(["fine"]);
    expect(seen.requests).toHaveLength(2);
  });

  test.each(["Content-Length: 100", "Transfer-Encoding: chunked", "X: until the end"])(
    "with %s that is reset in the middle is not taken for a whole one",
    async (field) => {
      const { port: backend } = await answering((_, socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${field}\r\n\r\n5\r\nhello\r\n`, () =>
          setTimeout(() => socket.resetAndDestroy(), 20),
        );
      });
      const { port, proxy } = await world({ "a/web": [backend] });
      const answer = await exchange(port, get());
      expect(answer).toMatch(/hello/);
      expect(answer).not.toMatch(/0\r\n\r\n$/);
      await expect.poll(() => proxy.connections.size).toBe(0);
    },
  );

  test("is no faster than the client takes it, and arrives whole", async () => {
    let poured: { sent: number } = { sent: 0 };
    const { port: backend } = await answering((_, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
      poured = pour(socket, size);
    });
    const { port } = await world({ "a/web": [backend] });
    const socket = await dial(port);
    socket.pause().write(get());
    await expect.poll(() => poured.sent, patience).toBeGreaterThan(0);
    await stalled(poured);
    let got = 0;
    socket.on("data", ({ length }) => {
      got += length;
    });
    socket.resume();
    await expect.poll(() => got, patience).toBeGreaterThan(size);
  });
});

/** A client that says this, closes its side, and takes each piece of the answer when `takes` resolves. */
function slowClient(said: string, takes: Promise<void>) {
  const got: string[] = [];
  const stream = new Duplex({
    read() {},
    write: (bytes, _, done) =>
      void takes.then(() => {
        got.push(bytes.toString("latin1"));
        done();
      }),
  });
  stream.push(said);
  stream.push(null);
  return { got, socket: Object.assign(stream, { setTimeout: () => stream }) as unknown as Socket };
}

describe("clients", () => {
  test("that have closed their side and take their time get all of an answer whose pod has closed its own", async () => {
    const { port: backend, seen } = await answering((_, socket) => socket.end(ok("all of it")));
    const { promise: takes, resolve: take } = Promise.withResolvers<void>();
    const { got, socket } = slowClient(get(), takes);
    const { table } = routingOf(stateOf(objects(80)));
    new PlainLane(
      socket,
      { port: 80, address: "127.0.0.1" },
      {
        table: () => table,
        endpointsOf: () => [{ address: "127.0.0.1", port: backend }],
        random: () => 0,
        limits: defaultLimits,
        clock: systemClock,
        handOver: () => {},
      },
    );
    await expect.poll(() => seen.closed).toBe(1);
    take();
    await finished(socket);
    expect(bodies(got.join(""))).toEqual(["all of it"]);
  });

  test("that go while a pod thinks take its connection with them", async () => {
    const { port: backend, seen } = await answering(() => {});
    const { port } = await world({ "a/web": [backend] });
    const socket = await dial(port);
    socket.write(get());
    await expect.poll(() => seen.requests.length).toBe(1);
    socket.resetAndDestroy();
    await expect.poll(() => seen.closed).toBe(1);
  });

  test("that ask nothing more are closed after their time, and their pod's connection too", async () => {
    const { port: backend, seen } = await echo();
    const { port, proxy } = await world({ "a/web": [backend] }, { limits: { keepAliveMs: 100 } });
    const socket = await dial(port);
    socket.write(get("/1"));
    expect(await everythingFrom(socket)).toMatch(/\/1$/);
    await expect.poll(() => [seen.closed, proxy.connections.size]).toEqual([1, 0]);
  });

  test("whose answer does not come are closed after their time", async () => {
    const { port: backend, seen } = await answering(() => {});
    const { port } = await world({ "a/web": [backend] }, { limits: { idleMs: 100 } });
    const socket = await dial(port);
    socket.write(get());
    await everythingFrom(socket);
    await expect.poll(() => seen.closed).toBe(1);
  });

  test("that are told that a pod starts are closed, even if they go on sending", async () => {
    const { port, proxy } = await world({ "a/web": [await freePort()] }, { limits: { headerMs: 200 } });
    const socket = await dial(port);
    const all = everythingFrom(socket);
    socket.write(post("x", 1_000_000));
    const drip = setInterval(() => socket.write("x"), 20);
    expect(await all).toMatch(/^HTTP\/1\.1 503 /);
    await expect.poll(() => proxy.connections.size).toBe(0);
    clearInterval(drip);
  });
});
