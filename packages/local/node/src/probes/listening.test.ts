import { createServer, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock as clock } from "@berg/kube";
import { expect, onTestFinished, test } from "vitest";
import { untilListening } from "./listening.ts";

const { signal } = new AbortController();

async function listen(port = 0): Promise<Server & { port: number }> {
  const server = createServer((socket) => socket.on("error", () => {})).listen(port, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return Object.assign(server, { port: (server.address() as { port: number }).port });
}

async function freePort(): Promise<number> {
  const server = await listen();
  server.close();
  return server.port;
}

async function took(work: Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work;
  return performance.now() - started;
}

test("who listens is asked at once", async () => {
  const { port } = await listen();
  expect(await took(untilListening({ host: "127.0.0.1", port }, { clock, forMs: 60_000, signal }))).toBeLessThan(5_000);
});

test("who will listen in a moment is waited for, and no longer", async () => {
  const port = await freePort();
  let isSettled = false;
  const waiting = untilListening({ host: "127.0.0.1", port }, { clock, forMs: 60_000, signal }).then(() => {
    isSettled = true;
  });
  await delay(100);
  expect(isSettled).toBe(false);
  await listen(port);
  expect(await took(waiting)).toBeLessThan(5_000);
});

test("who never listens is asked after a period", async () => {
  const port = await freePort();
  const ms = await took(untilListening({ host: "127.0.0.1", port }, { clock, forMs: 200, signal }));
  expect(ms).toBeGreaterThan(80);
  expect(ms).toBeLessThan(5_000);
});

test("a container that ends is not waited for", async () => {
  const port = await freePort();
  const stop = new AbortController();
  const waiting = untilListening({ host: "127.0.0.1", port }, { clock, forMs: 60_000, signal: stop.signal });
  stop.abort(new Error("it ended"));
  await expect(waiting).rejects.toThrow();
});
