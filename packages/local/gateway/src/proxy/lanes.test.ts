/** A plain request and one that is not differ in what they cost, and in nothing that a client or a pod could see. */
import { Agent, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { fromAll, gateway, httpRoute, service } from "../testing/objects.ts";
import { closeAll, freePort, onClose, startProxy, tcpBackend } from "../testing/servers.ts";

afterEach(closeAll);

async function startWorld(onConnection: (socket: Socket) => void): Promise<number> {
  const port = await freePort();
  await startProxy(
    {
      gateways: [gateway([{ name: "http", port, protocol: "HTTP", ...fromAll }])],
      httpRoutes: [httpRoute("a/web", ["web.test"])],
      services: [service("a/web")],
    },
    { endpoints: { "a/web": [await tcpBackend(onConnection)] } },
  );
  return port;
}

/** A field that goes no further, and that makes a request one for Node's parser. */
const lanes = { plain: {}, node: { TE: "trailers" } };

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
}

/** What a client can tell of an answer. */
function ask(port: number, lane: object, { headers, body, ...how }: Asked = {}): Promise<object> {
  const agent = new Agent({ keepAlive: true });
  onClose(() => agent.destroy());
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve({ failed: error.message });
    const asked = request({
      port,
      host: "127.0.0.1",
      agent,
      ...how,
      headers: { host: "web.test", ...headers, ...lane },
    });
    asked.on("error", failed);
    asked.on("response", (response: IncomingMessage) => {
      let text = "";
      response.on("data", (bytes) => {
        text += bytes.toString("latin1");
      });
      response.on("error", ({ message }) => resolve({ text, failed: message }));
      response.on("end", () => {
        const { statusCode, statusMessage, rawHeaders, rawTrailers } = response;
        const fields = rawHeaders.filter((_, at) => !/^(connection|keep-alive|date)$/i.test(rawHeaders[at & ~1] ?? ""));
        const pairs = fields.flatMap((name, at) => (at % 2 === 0 ? `${name}: ${fields[at + 1]}` : [])).sort();
        resolve({ statusCode, statusMessage, pairs, rawTrailers, text });
      });
    });
    asked.end(body);
  });
}

describe("an answer", () => {
  const fields = fc.array(
    fc.constantFrom(
      "X-A: 1",
      "Set-Cookie: a=1",
      "Set-Cookie: b=2",
      "connection: x-a",
      "Keep-Alive: timeout=1",
      "x-b:\tc ",
    ),
    { maxLength: 4 },
  );
  const body = fc.string({ unit: "binary-ascii", maxLength: 40 });
  const chunk = (text: string) => (text === "" ? "" : `${text.length.toString(16)}\r\n${text}\r\n`);
  const framed = fc.oneof(
    body.map((text) => [`Content-Length: ${text.length}`, text] as const),
    body.map((text) => [`Content-Length: ${text.length + 5}`, text] as const),
    body.map((text) => ["Server: ends with its connection", text] as const),
    fc
      .tuple(fc.array(body, { maxLength: 3 }), fc.constantFrom("", "Sum: 1\r\n"))
      .map(
        ([all, trailer]) => ["Transfer-Encoding: chunked", `${all.map(chunk).join("")}0\r\n${trailer}\r\n`] as const,
      ),
    body.map((text) => ["Transfer-Encoding: chunked", `${chunk(text)}5\r\nha`] as const),
    fc.constantFrom(
      ["Content-Length: 1\r\nContent-Length: 2", "xy"] as const,
      ["Content-Length: -1", ""] as const,
      ["Transfer-Encoding: chunked", "x\r\n"] as const,
      ["X : 1", ""] as const,
    ),
  );
  const status = fc.constantFrom(
    "200 OK",
    "200 Not Quite",
    "204 No Content",
    "304 Not Modified",
    "404 ",
    "500",
    "599 X",
  );
  const answers = fc.record({
    version: fc.constantFrom("1.1", "1.0"),
    status,
    fields,
    framed,
    early: fc.constantFrom("", "", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"),
    cuts: fc.array(fc.nat(300), { maxLength: 3 }),
    method: fc.constantFrom("GET", "HEAD", "DELETE"),
  });

  test("is the same either way", async () => {
    let answer = { bytes: Buffer.alloc(0), cuts: [] as number[] };
    const port = await startWorld((socket) => {
      socket.once("data", async () => {
        const { bytes, cuts } = answer;
        const places = [...cuts, bytes.length].sort((a, b) => a - b);
        let from = 0;
        for (const place of places) {
          socket.write(bytes.subarray(from, place));
          from = Math.max(from, place);
          await new Promise(setImmediate);
        }
        socket.end();
      });
    });
    await fc.assert(
      fc.asyncProperty(answers, async ({ version, status, fields, framed, early, cuts, method }) => {
        // Such an answer ends with its head, and what follows is no business of the client's.
        const bodiless = method === "HEAD" || /^(204|304)/.test(status);
        const head = [`HTTP/${version} ${status}`, ...fields, framed[0]].join("\r\n");
        const bytes = Buffer.from(`${early}${head}\r\n\r\n${bodiless ? "" : framed[1]}`, "latin1");
        answer = { bytes, cuts };
        const [plain, node] = [await ask(port, lanes.plain, { method }), await ask(port, lanes.node, { method })];
        expect(plain).toEqual(node);
      }),
      { numRuns: 200 },
    );
  });
});

test("a request reaches the pod the same either way", async () => {
  let seen = "";
  const port = await startWorld((socket) => {
    let got = "";
    socket.on("data", (bytes) => {
      got += bytes.toString("latin1");
      const [head = "", body = ""] = got.split("\r\n\r\n");
      if (!got.includes("\r\n\r\n") || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return;
      seen = got.replace(/connection: keep-alive\r\n/i, "");
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      got = "";
    });
  });
  const asked = fc.record({
    method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
    path: fc.constantFrom("/", "/?a=b", "/a%2f../b;c", "//x"),
    headers: fc.constantFrom<NonNullable<Asked["headers"]>[]>(
      {},
      { "X-Many": ["1", "2"], Cookie: "a=1; b=2" },
      { "X-Forwarded-For": "6.6.6.6", forwarded: "for=x", "x-forwarded-PROTO": "https" },
      { host: "WEB.test:80", "x-latin": "\xe9" },
    ),
    body: fc.constantFrom("", "hello", "x".repeat(100_000)),
  });
  await fc.assert(
    fc.asyncProperty(asked, async ({ body, headers, ...how }) => {
      const all: Asked = {
        ...how,
        body,
        headers: { ...(body !== "" && { "content-length": `${body.length}` }), ...headers },
      };
      expect(await ask(port, lanes.plain, all)).toMatchObject({ statusCode: 200 });
      const plain = seen;
      expect(await ask(port, lanes.node, all)).toMatchObject({ statusCode: 200 });
      expect(plain).toBe(seen);
    }),
    { numRuns: 60 },
  );
});
