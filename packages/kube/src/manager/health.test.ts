import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { silentLogger } from "../log.ts";
import { type HealthServer, type HealthServerOptions, startHealthServer } from "./health.ts";

const running: HealthServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop(AbortSignal.abort());
});

async function start(options: Partial<HealthServerOptions> = {}) {
  const server = await startHealthServer({
    log: silentLogger,
    host: "127.0.0.1",
    healthPort: 0,
    metricsPort: 0,
    live: {},
    ready: {},
    ...options,
  });
  running.push(server);
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${server.healthPort}${path}`, init);
    return { status: response.status, body: await response.text(), type: response.headers.get("content-type") };
  };
  return { server, ask };
}

describe("health", () => {
  let cacheProblem: string | undefined = "not synced: pods";
  const live = { lease: () => undefined };
  const ready = { caches: () => cacheProblem };

  const cases: { path: string; problem?: string; wantStatus: number; wantBody: string }[] = [
    { path: "/healthz", wantStatus: 200, wantBody: "ok" },
    { path: "/livez", wantStatus: 200, wantBody: "ok" },
    { path: "/readyz", wantStatus: 200, wantBody: "ok" },
    { path: "/healthz?verbose", wantStatus: 200, wantBody: "[+]ping ok\n[+]lease ok\nhealthz check passed\n" },
    { path: "/readyz?verbose=1", wantStatus: 200, wantBody: "[+]ping ok\n[+]caches ok\nreadyz check passed\n" },
    {
      path: "/readyz",
      problem: "not synced: pods",
      wantStatus: 500,
      wantBody: "[+]ping ok\n[-]caches failed: not synced: pods\nreadyz check failed\n",
    },
    { path: "/livez", problem: "not synced: pods", wantStatus: 200, wantBody: "ok" },
    {
      path: "/readyz/caches",
      problem: "not synced: pods",
      wantStatus: 500,
      wantBody: "[-]caches failed: not synced: pods\nreadyz check failed\n",
    },
    { path: "/readyz/ping", problem: "not synced: pods", wantStatus: 200, wantBody: "ok" },
    { path: "/readyz/", wantStatus: 200, wantBody: "ok" },
    { path: "/readyz/unknown", wantStatus: 404, wantBody: "not found\n" },
    { path: "/readyz/constructor", wantStatus: 404, wantBody: "not found\n" },
    { path: "/constructor", wantStatus: 404, wantBody: "not found\n" },
    { path: "/", wantStatus: 404, wantBody: "not found\n" },
    { path: "/metrics", wantStatus: 404, wantBody: "not found\n" },
    { path: "//", wantStatus: 404, wantBody: "not found\n" },
  ];
  for (const { path, problem, wantStatus, wantBody } of cases) {
    test(`${path} while ${problem ?? "all is well"}`, async () => {
      const { ask } = await start({ live, ready });
      cacheProblem = problem;
      expect(await ask(path)).toEqual({ status: wantStatus, body: wantBody, type: "text/plain; charset=utf-8" });
    });
  }

  test("a note is a line of /readyz?verbose, and of nothing else", async () => {
    const { ask } = await start({ live, notes: { records: () => "12 live namespaces" } });
    const body = "[+]ping ok\n[+]records: 12 live namespaces\nreadyz check passed\n";
    expect(await ask("/readyz?verbose")).toMatchObject({ status: 200, body });
    expect(await ask("/readyz")).toMatchObject({ status: 200, body: "ok" });
    expect((await ask("/livez?verbose")).body).not.toContain("records");
    expect((await ask("/readyz/records")).status).toBe(404);
  });

  test("a check that throws is a failure, and what it threw is not shown", async () => {
    const { ask } = await start({
      live: {
        broken: () => {
          throw new Error("token=s3cret");
        },
      },
    });
    expect(await ask("/livez")).toMatchObject({
      status: 500,
      body: "[+]ping ok\n[-]broken failed: the check itself failed\nlivez check failed\n",
    });
  });

  test("only GET and HEAD", async () => {
    const { ask } = await start();
    expect((await ask("/healthz", { method: "POST", body: "x" })).status).toBe(405);
    expect(await ask("/healthz", { method: "HEAD" })).toMatchObject({ status: 200, body: "" });
  });
});

describe("metrics", () => {
  const metrics = { render: async () => ({ contentType: "text/plain; version=0.0.4", body: "up 1\n" }) };

  test("are on the same server where the ports are the same", async () => {
    const { server, ask } = await start({ metrics });
    expect(server.metricsPort).toBe(server.healthPort);
    expect(await ask("/metrics")).toEqual({ status: 200, body: "up 1\n", type: "text/plain; version=0.0.4" });
    expect((await ask("/healthz")).status).toBe(200);
  });

  test("are on a server of their own otherwise", async () => {
    const free = await start();
    const port = free.server.healthPort;
    await free.server.stop(AbortSignal.abort());
    const { server, ask } = await start({ metrics, metricsPort: port });
    expect(server.metricsPort).toBe(port);
    expect((await ask("/metrics")).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(404);
  });

  test("that cannot be rendered are an error without details", async () => {
    const { ask } = await start({ metrics: { render: () => Promise.reject(new Error("token=s3cret")) } });
    expect(await ask("/metrics")).toMatchObject({ status: 500, body: "internal error\n" });
  });
});

describe("starting and stopping", () => {
  test("a port that is taken is named, and what was started is stopped again", async () => {
    const { server } = await start();
    const metrics = { render: async () => ({ contentType: "text/plain", body: "" }) };
    const free = await start();
    const { healthPort } = free.server;
    await free.server.stop(AbortSignal.abort());
    const failing = startHealthServer({
      log: silentLogger,
      host: "127.0.0.1",
      healthPort,
      metricsPort: server.healthPort,
      live: {},
      ready: {},
      metrics,
    });
    const { healthPort: taken } = server;
    await expect(failing).rejects.toThrow(
      new RegExp(
        `^cannot serve health or metrics on port ${taken}: listen EADDRINUSE.*; choose another with healthPort or metricsPort$`,
      ),
    );
    await expect(fetch(`http://127.0.0.1:${healthPort}/healthz`)).rejects.toThrow();
  });

  test("a stop waits for an answer under way", async () => {
    let finish = () => {};
    const rendering = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const asked = Promise.withResolvers<void>();
    const { server, ask } = await start({
      metrics: {
        async render() {
          asked.resolve();
          await rendering;
          return { contentType: "text/plain", body: "late" };
        },
      },
    });
    const answer = ask("/metrics");
    await asked.promise;
    const deadline = new AbortController();
    const stopping = server.stop(deadline.signal);
    finish();
    expect(await answer).toMatchObject({ status: 200, body: "late" });
    deadline.abort();
    await stopping;
  });

  test("a stop cuts a connection that hangs when its time is up", async () => {
    const { server } = await start();
    const socket = connect(server.healthPort, "127.0.0.1");
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await new Promise<void>((resolve) => socket.write("GET /healthz HTTP/1.1\r\n", () => resolve()));
    // The server has the half request once it has answered a whole one that came later.
    await fetch(`http://127.0.0.1:${server.healthPort}/healthz`, { headers: { connection: "close" } });
    const deadline = new AbortController();
    const stopping = server.stop(deadline.signal);
    deadline.abort();
    await stopping;
    await closed;
  });
});
