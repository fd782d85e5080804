/** Everything that may come to the client proxy's data port and is not its server proxy. */
import { once } from "node:events";
import { silentLogger } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { headerLength, printPreamble, sessionKey } from "./preamble.ts";
import { connectEnd, type End, startEcho } from "./testing/ends.ts";
import { startPair } from "./testing/pair.ts";

async function say(port: number, bytes: Buffer): Promise<End> {
  const end = connectEnd(port);
  await once(end.socket, "connect");
  end.socket.write(bytes);
  return end;
}

const isReset = (end: End) => expect.poll(() => end.state).toBe("reset");

test.each([
  ["rubbish", () => Buffer.alloc(45, 0x55)],
  ["HTTP", () => Buffer.from(`GET / HTTP/1.1\r\nHost: ${"x".repeat(40)}\r\n\r\n`)],
  ["a forged MAC", (valid: Buffer) => Buffer.concat([valid.subarray(0, 44), Buffer.from([(valid[44] as number) ^ 1])])],
  [
    "a preamble of another session",
    () => printPreamble({ session: sessionKey({ id: 9, key: Buffer.alloc(32) }), number: 1 }),
  ],
  ["more than a preamble", (valid: Buffer) => Buffer.concat([valid, Buffer.from("x")])],
])("%s is reset", async (_, bytesOf) => {
  await using pair = await startPair({ poolSize: 0 });
  const session = pair.renewSession();
  await isReset(await say(pair.dataPort, bytesOf(printPreamble({ session: sessionKey(session), number: 1 }))));
});

test("who comes from another network is reset before it has said anything", async () => {
  await using pair = await startPair({ poolSize: 0, clock: new FakeClock(), isInside: (from) => from !== "127.0.0.1" });
  await isReset(connectEnd(pair.dataPort));
});

test("a preamble is good once, and goes on waiting for a client", async () => {
  await using echo = await startEcho();
  await using pair = await startPair({ poolSize: 0 });
  const session = sessionKey(pair.renewSession());
  const port = await pair.tunnel(echo.port);
  const preamble = printPreamble({ session, number: 1 });
  const first = await say(pair.dataPort, preamble);
  await isReset(await say(pair.dataPort, preamble));
  expect(first.state).toBe("open");
  connectEnd(port);
  await expect.poll(() => first.received.length).toBe(headerLength);
  pair.renewSession();
  await isReset(await say(pair.dataPort, preamble));
});

test("one that was refused for saying too much has not used up its number for the true one", async () => {
  await using pair = await startPair({ poolSize: 0 });
  const session = sessionKey(pair.renewSession());
  const preamble = printPreamble({ session, number: 1 });
  const forged = Buffer.from(preamble);
  forged[44] = (forged[44] as number) ^ 1;
  await isReset(await say(pair.dataPort, forged));
  const end = await say(pair.dataPort, preamble);
  const port = await pair.tunnel(1);
  connectEnd(port);
  await expect.poll(() => end.received.length).toBe(headerLength);
});

test("one that speaks again before it has a client is closed", async () => {
  await using pair = await startPair({ poolSize: 0 });
  const session = sessionKey(pair.renewSession());
  const end = await say(pair.dataPort, printPreamble({ session, number: 1 }));
  // One that came after it has been read, so it has.
  await isReset(await say(pair.dataPort, Buffer.alloc(45)));
  expect(end.state).toBe("open");
  end.socket.write("x");
  await expect.poll(() => end.state).not.toBe("open");
});

test("one whose preamble is not whole within 5 s is reset; one in pieces is not", async () => {
  const clock = new FakeClock();
  await using pair = await startPair({ poolSize: 0, clock });
  const preamble = printPreamble({ session: sessionKey(pair.renewSession()), number: 1 });
  const slow = await say(pair.dataPort, preamble.subarray(0, 44));
  const silent = await say(pair.dataPort, Buffer.alloc(0));
  await expect.poll(() => clock.timers).toBe(2);
  await clock.advance(4_999);
  expect([slow.state, silent.state]).toEqual(["open", "open"]);
  const pieces = await say(pair.dataPort, preamble.subarray(0, 10));
  await expect.poll(() => clock.timers).toBe(3);
  await clock.advance(1);
  await isReset(slow);
  await isReset(silent);
  pieces.socket.write(preamble.subarray(10));
  connectEnd(await pair.tunnel(1));
  await expect.poll(() => pieces.received.length).toBe(headerLength);
});

test("200 that say nothing disturb nobody, and most of them go at once", async () => {
  const clock = new FakeClock();
  await using echo = await startEcho();
  await using pair = await startPair({ mostUnauthenticated: 64, clock });
  const port = await pair.tunnel(echo.port);
  const silent = Array.from({ length: 200 }, () => connectEnd(pair.dataPort));
  const left = () => silent.filter(({ state }) => state === "open").length;
  await expect.poll(left).toBeLessThanOrEqual(64);
  for (let turn = 0; turn < 20; turn++) {
    silent.push(connectEnd(pair.dataPort));
    const end = connectEnd(port);
    end.socket.end("hello");
    await expect.poll(() => end.state).toBe("end");
    expect(end.text).toBe("hello");
  }
  await expect.poll(left).toBeLessThanOrEqual(64);
  await clock.advance(5_000);
  await expect.poll(left).toBe(0);
});

test("whoever knocks again and again does not fill the log, nor finds a key in it", async () => {
  const lines: object[] = [];
  const log = { ...silentLogger, warn: (fields: object) => lines.push(fields) };
  const clock = new FakeClock();
  await using pair = await startPair({ poolSize: 0, clock, log });
  const { key } = pair.renewSession();
  const knock = async () => {
    const ends = Array.from({ length: 20 }, () => say(pair.dataPort, Buffer.alloc(45)));
    for (const end of await Promise.all(ends)) await isReset(end);
  };
  await knock();
  expect(lines).toHaveLength(1);
  await clock.advance(10_000);
  await knock();
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatchObject({ leftOut: 19, why: "it speaks another version, or something else" });
  expect(JSON.stringify(lines)).not.toContain(key.toString("hex"));
});
