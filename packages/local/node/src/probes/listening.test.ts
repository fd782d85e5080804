import { createServer, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { FakeClock } from "@berg/kube/testing";
import { expect, onTestFinished, test } from "vitest";
import { untilListening } from "./listening.ts";

const { signal } = new AbortController();
const aDay = 24 * 3_600_000;

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

/** Lets time pass until it is done; connections are real, and take as long as they take. */
async function settled(waiting: Promise<void>, clock: FakeClock): Promise<void> {
  let isDone = false;
  const done = waiting.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await clock.advance(10);
    await delay(1);
  }
  return done;
}

test("who listens is asked at once", async () => {
  const { port } = await listen();
  await untilListening({ host: "127.0.0.1", port }, { clock: new FakeClock(), forMs: 60_000, signal });
});

test("who will listen in a moment is waited for, and no longer", async () => {
  const port = await freePort();
  const clock = new FakeClock();
  let isSettled = false;
  const waiting = untilListening({ host: "127.0.0.1", port }, { clock, forMs: aDay, signal }).then(() => {
    isSettled = true;
  });
  for (let look = 0; look < 20; look++) {
    await clock.advance(100);
    await delay(5);
  }
  expect(isSettled).toBe(false);
  await listen(port);
  await settled(waiting, clock);
  expect(clock.monotonic()).toBeLessThan(aDay);
});

test("who never listens is asked after a period", async () => {
  const port = await freePort();
  const clock = new FakeClock();
  await settled(untilListening({ host: "127.0.0.1", port }, { clock, forMs: 200, signal }), clock);
  expect(clock.monotonic()).toBeGreaterThan(80);
});

test("a container that ends is not waited for", async () => {
  const port = await freePort();
  const stop = new AbortController();
  const waiting = untilListening(
    { host: "127.0.0.1", port },
    { clock: new FakeClock(), forMs: 60_000, signal: stop.signal },
  );
  stop.abort(new Error("it ended"));
  await expect(waiting).rejects.toThrow();
});
