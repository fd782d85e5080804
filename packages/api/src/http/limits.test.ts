import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { systemClock } from "@berg/kube";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publicUrl, startTestServer, type TestServer } from "../testing/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ clock: systemClock });
  server.app.server.headersTimeout = 100;
  await server.app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Sends the text as it is, and returns everything that comes back. */
async function send(text: string): Promise<string> {
  const socket = connect((server.app.server.address() as AddressInfo).port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (piece: string) => (answer += piece));
  socket.write(text);
  await once(socket, "close");
  return answer;
}

function problemIn(answer: string): { status: number; code: string } {
  return JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
}

const post = { method: "POST", url: "/api/sign-in", headers: { origin: publicUrl } } as const;

describe("what is refused before a route runs is a problem document", () => {
  test.each([
    { want: [404, "not_found"], request: { method: "GET", url: "/api/nothing" } },
    { want: [405, "method_not_allowed"], request: { method: "PUT", url: "/api/players/current" } },
    { want: [413, "body_too_large"], request: { ...post, payload: { token: "x".repeat(70_000) } } },
    { want: [414, "url_too_long"], request: { method: "GET", url: `/api/challenges/${"x".repeat(9_000)}` } },
    {
      want: [415, "body_not_json"],
      request: { ...post, headers: { ...post.headers, "content-type": "text/x" }, payload: "x" },
    },
    { want: [400, "invalid_request"], request: { method: "GET", url: "/api/%" } },
  ] as const)("$want", async ({ want, request }) => {
    const { statusCode, headers, json } = await server.app.inject(request as never);
    const { status, code } = json();
    expect([statusCode, code]).toEqual(want);
    expect(status).toBe(statusCode);
    expect(headers["content-type"]).toContain("application/problem+json");
  });

  test("405 names the methods that are allowed", async () => {
    const { headers } = await server.app.inject({ method: "PATCH", url: "/api/challenges/x" });
    expect(headers.allow).toBe("GET, HEAD");
  });

  test("429 after too many sign-ins, with the time to wait", async () => {
    const once = () => server.app.inject({ ...post, payload: { token: "x" } });
    const answers = await Promise.all(Array.from({ length: 500 }, once));
    const refused = answers.find(({ statusCode }) => statusCode === 429);
    expect([refused?.json().code, refused?.headers["retry-after"]]).toEqual(["too_many_requests", "1"]);
  });

  test("headers that are too large", async () => {
    const answer = await send(`GET /api/metadata HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(problemIn(answer)).toMatchObject({ status: 431, code: "headers_too_large" });
  });

  test("headers that never end", async () => {
    const answer = await send("GET /api/metadata HTTP/1.1\r\nHost: x\r\nX-Slow: ");
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(problemIn(answer)).toMatchObject({ status: 408, code: "request_timeout" });
  });

  test("what is not HTTP", async () => {
    expect(problemIn(await send("hello\r\n\r\n"))).toMatchObject({ status: 400, code: "invalid_request" });
  });
});

test("a request that arrives while the server stops is answered as usual", async () => {
  await using stopping = await startTestServer({ clock: systemClock });
  const { app } = stopping;
  const held = Promise.withResolvers<void>();
  app.addHook("preClose", () => held.promise);
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const closed = app.close();
  const answer = await fetch(`${url}/api/sign-in`);
  held.resolve();
  expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"]);
  await closed;
});
