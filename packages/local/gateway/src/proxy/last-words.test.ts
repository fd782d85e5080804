import { once } from "node:events";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { lastWords } from "./last-words.ts";
import { defaultLimits as limits } from "./limits.ts";

/** A client that takes what it is sent, or does not. */
function clientThat(takes: boolean) {
  let idle = () => {};
  const client = new Duplex({ read() {}, write: (_piece, _encoding, done) => void (takes && done()) });
  const setTimeout = (ms: number, onTimeout: () => void) => {
    expect(ms).toBe(limits.idleMs);
    idle = onTimeout;
  };
  return { client: Object.assign(client, { setTimeout }) as unknown as Socket, goIdle: () => idle() };
}

test("a client that has closed its side is closed once it has heard them, whatever it said before", async () => {
  const { client } = clientThat(true);
  client.push("more");
  client.push(null);
  lastWords(client, { clock: new FakeClock(), limits }).end("bye");
  await once(client, "close");
  expect(client.writableFinished).toBe(true);
});

test("a client that has heard them and goes on is closed after a while", async () => {
  const { client } = clientThat(true);
  const clock = new FakeClock();
  lastWords(client, { clock, limits }).end("bye");
  await once(client, "finish");
  client.push("more");
  await clock.advance(limits.headerMs - 1);
  expect(client.destroyed).toBe(false);
  await clock.advance(1);
  expect(client.destroyed).toBe(true);
});

test("a client that does not hear them may take its time, until nothing moves", async () => {
  const { client, goIdle } = clientThat(false);
  const clock = new FakeClock();
  lastWords(client, { clock, limits }).end("bye");
  await clock.advance(2 * limits.headerMs);
  expect(client.destroyed).toBe(false);
  goIdle();
  expect(client.destroyed).toBe(true);
});
