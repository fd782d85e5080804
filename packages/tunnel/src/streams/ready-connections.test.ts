/** The server proxy's pool, against a data port that the test holds. */
import type { Socket } from "node:net";
import { silentLogger } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import type { StreamFailure } from "./contract.ts";
import { endOfWay, printPiece } from "./pieces.ts";
import { preambleLength, printHeader, readPreamble, StreamTokens, sessionKey } from "./preamble.ts";
import { ServerStreams } from "./server-streams.ts";
import { End, startEcho, startServer } from "./testing/ends.ts";
import { host } from "./testing/pair.ts";

const session = { id: 7, key: Buffer.alloc(32, 7) };

async function startPool(poolSize: number, onConnection: (socket: Socket) => void = () => {}) {
  const ends: End[] = [];
  const door = await startServer((socket) => {
    ends.push(new End(socket));
    onConnection(socket);
  });
  const clock = new FakeClock();
  const failures: StreamFailure[] = [];
  const streams = new ServerStreams({
    clock,
    log: silentLogger,
    poolSize,
    onStreamFailed: (failure) => failures.push(failure),
  });
  streams.useSession(session, { host, port: door.port });
  return {
    ends,
    port: door.port,
    clock,
    streams,
    failures,
    /** Whose preamble is there, and who are open. */
    waiting: () => ends.filter(({ received, state }) => received.length === preambleLength && state === "open"),
    async [Symbol.asyncDispose]() {
      await streams[Symbol.asyncDispose]();
      await door[Symbol.asyncDispose]();
    },
  };
}

const numberOf = (end: End) => readPreamble(end.received, sessionKey(session)) as number;

const tokensOf = (end: End) => new StreamTokens({ session: sessionKey(session), number: numberOf(end) });

test("so many are kept ready, each with a number of its own", async () => {
  await using pool = await startPool(8);
  await expect.poll(() => pool.waiting().length).toBe(8);
  expect(pool.waiting().map(numberOf).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test("one that is used is replaced at once", async () => {
  await using echo = await startEcho();
  await using pool = await startPool(2);
  pool.streams.setTunnel({ id: 1, name: "db", host, port: echo.port });
  await expect.poll(() => pool.waiting().length).toBe(2);
  const [used] = pool.waiting() as [End];
  // The client's bytes may come with the header, and the header in pieces.
  const header = printHeader(tokensOf(used), { tunnelId: 1, streamId: 5n });
  used.socket.write(header.subarray(0, 20));
  await new Promise(setImmediate);
  used.socket.write(printPiece(Buffer.from("hello"), header.subarray(20)));
  await expect.poll(() => used.received.subarray(preambleLength + 4).toString()).toBe("hello");
  await expect.poll(() => pool.waiting().length).toBe(2);
  expect(pool.streams.openStreams(1)).toBe(1);
});

describe("one whose stream has ended", () => {
  /** A data connection that has carried stream 5 to its end. */
  async function startUsed() {
    const echo = await startEcho();
    const pool = await startPool(1);
    pool.streams.setTunnel({ id: 1, name: "db", host, port: echo.port });
    await expect.poll(() => pool.waiting().length).toBe(1);
    const [used] = pool.waiting() as [End];
    const tokens = tokensOf(used);
    const carry = (text: string, streamId: bigint) => {
      const header = printHeader(tokens, { tunnelId: 1, streamId });
      return Buffer.concat([printPiece(Buffer.from(text), header), endOfWay]);
    };
    const heard = () => used.received.subarray(preambleLength);
    const said = (text: string) => Buffer.concat([printPiece(Buffer.from(text), Buffer.alloc(0)), endOfWay]);
    const first = carry("one", 5n);
    used.socket.write(first);
    await expect.poll(heard).toEqual(said("one"));
    return {
      pool,
      used,
      first,
      carry,
      said,
      heard,
      async [Symbol.asyncDispose]() {
        await pool[Symbol.asyncDispose]();
        await echo[Symbol.asyncDispose]();
      },
    };
  }

  test("carries the next, and no other is dialled for it", async () => {
    await using carrier = await startUsed();
    const { pool, used, carry, said, heard } = carrier;
    await expect.poll(() => pool.ends.length).toBe(2);
    for (const id of [6n, 7n, 9n]) {
      used.socket.write(carry("two", id));
      await expect.poll(() => heard().subarray(-said("two").length)).toEqual(said("two"));
      await expect.poll(() => pool.streams.openStreams(1)).toBe(0);
    }
    expect(used.state).toBe("open");
    expect(pool.ends).toHaveLength(2);
  });

  test("is reset where a header is said again", async () => {
    await using carrier = await startUsed();
    carrier.used.socket.write(carrier.first);
    await expect.poll(() => carrier.used.state).toBe("reset");
    expect(carrier.heard()).toEqual(carrier.said("one"));
  });

  test("is not used by the stream after it, if it says more than its end", async () => {
    await using carrier = await startUsed();
    const { used, carry } = carrier;
    used.socket.write(Buffer.concat([carry("two", 6n).subarray(0, -4), endOfWay, Buffer.alloc(28)]));
    await expect.poll(() => used.state).toBe("reset");
  });
});

test("one that closes in the middle of a stream takes it with it: that is no end", async () => {
  const ends: End[] = [];
  await using server = await startServer((socket) => ends.push(new End(socket)));
  await using pool = await startPool(1);
  pool.streams.setTunnel({ id: 1, name: "db", host, port: server.port });
  await expect.poll(() => pool.waiting().length).toBe(1);
  const [used] = pool.waiting() as [End];
  const header = printHeader(tokensOf(used), { tunnelId: 1, streamId: 1n });
  used.socket.write(printPiece(Buffer.from("half"), header));
  await expect.poll(() => ends[0]?.text).toBe("half");
  used.socket.end();
  await expect.poll(() => ends[0]?.state).toBe("reset");
  expect(pool.streams.openStreams(1)).toBe(0);
});

test("a forged header is reset and leads nowhere", async () => {
  await using echo = await startEcho();
  await using pool = await startPool(2);
  pool.streams.setTunnel({ id: 1, name: "db", host, port: echo.port });
  await expect.poll(() => pool.waiting().length).toBe(2);
  const [first, second] = pool.waiting() as [End, End];
  // Right in itself, but made for the other connection.
  first.socket.write(printHeader(tokensOf(second), { tunnelId: 1, streamId: 5n }));
  await expect.poll(() => first.state).toBe("reset");
  expect(echo.connections).toEqual([]);
  expect(pool.failures).toEqual([]);
});

test("more are dialled when they are wanted, up to a number, and fewer are kept afterwards", async () => {
  await using pool = await startPool(4);
  pool.streams.wanted(20);
  await expect.poll(() => pool.waiting().length).toBe(24);
  await pool.clock.advance(60_000);
  // As the client proxy does with those that have waited for long.
  for (const { socket } of pool.waiting()) socket.end();
  await expect.poll(() => pool.waiting().length).toBe(4);
  expect(pool.ends).toHaveLength(28);
  expect(pool.clock.timers).toBe(0);
  pool.streams.wanted(1_000_000);
  await expect.poll(() => pool.waiting().length).toBe(256);
});

test("a rush that goes on keeps the pool large", async () => {
  await using echo = await startEcho();
  await using pool = await startPool(1);
  pool.streams.setTunnel({ id: 1, name: "db", host, port: echo.port });
  pool.streams.wanted(5);
  await expect.poll(() => pool.waiting().length).toBe(6);
  for (let turn = 0; turn < 3; turn++) {
    for (const end of pool.waiting()) {
      const header = printHeader(tokensOf(end), { tunnelId: 1, streamId: 1n });
      end.socket.write(printPiece(Buffer.from("x"), header));
    }
    const used = 6 * (turn + 1);
    await expect.poll(() => [pool.streams.openStreams(1), pool.waiting().length]).toEqual([used, 6]);
    await pool.clock.advance(10_000);
  }
});

test.each([
  ["takes them", (socket: Socket) => socket.resetAndDestroy()],
  ["keeps them", (socket: Socket) => socket.once("data", () => socket.resetAndDestroy())],
])("where nobody %s there is a pause between tries, and a longer one each time", async (_, refuse) => {
  await using pool = await startPool(3, refuse);
  await expect.poll(() => pool.ends.length).toBe(3);
  let dialled = 3;
  for (const pauseMs of [100, 200, 400, 800, 1600, 3200, 5000, 5000]) {
    // One of those that were dialled together is enough to begin the pause; the rest of them may still fail.
    await expect.poll(() => pool.ends.filter(({ socket }) => socket.destroyed).length).toBe(dialled);
    await expect.poll(() => pool.clock.timers).toBe(1);
    await pool.clock.advance(pauseMs - 1);
    expect(pool.ends.length).toBe(dialled);
    await pool.clock.advance(1);
    dialled += 3;
    await expect.poll(() => pool.ends.length).toBe(dialled);
  }
});

test("a data port that is closed is tried again when it has had time, and never after the session", async () => {
  const clock = new FakeClock();
  const lines: object[] = [];
  const log = { ...silentLogger, warn: (fields: object) => lines.push(fields) };
  await using streams = new ServerStreams({ clock, log, onStreamFailed: () => {} });
  streams.useSession(session, { host, port: 1 });
  await expect.poll(() => lines).toMatchObject([{ why: `connection refused by ${host}:1`, delayMs: 100 }]);
  await clock.advance(100);
  await expect.poll(() => lines.length).toBe(2);
  streams.endSession();
  expect(clock.timers).toBe(0);
});

test("those of an older session are not replaced", async () => {
  await using pool = await startPool(2);
  await expect.poll(() => pool.waiting().length).toBe(2);
  const old = pool.waiting();
  pool.streams.useSession({ id: 8, key: session.key }, { host, port: pool.port });
  await expect.poll(() => pool.waiting().length).toBe(4);
  await pool.clock.advance(60_000);
  for (const { socket } of old) socket.end();
  await expect.poll(() => old.map(({ state }) => state)).toEqual(["end", "end"]);
  await pool.clock.advance(60_000);
  expect(pool.ends).toHaveLength(4);
});

test("those of an ended session still carry streams, and are not replaced", async () => {
  await using echo = await startEcho();
  await using pool = await startPool(2);
  pool.streams.setTunnel({ id: 1, name: "db", host, port: echo.port });
  await expect.poll(() => pool.waiting().length).toBe(2);
  pool.streams.endSession();
  pool.streams.wanted(5);
  const [used] = pool.waiting() as [End];
  used.socket.write(printPiece(Buffer.from("hello"), printHeader(tokensOf(used), { tunnelId: 1, streamId: 5n })));
  await expect.poll(() => used.received.subarray(preambleLength + 4).toString()).toBe("hello");
  expect(pool.ends).toHaveLength(2);
});
