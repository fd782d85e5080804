/** One stream from end to end, through both proxies. */
import { randomBytes } from "node:crypto";
import { FakeClock } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { connectEnd, End, startAnswerAfterEnd, startEcho, startServer } from "./testing/ends.ts";
import { type Pair, startPair } from "./testing/pair.ts";

const mebibyte = randomBytes(1024 * 1024);

test("what a client sends comes to the server, and the answer back", async () => {
  await using echo = await startEcho();
  await using pair = await startPair();
  const end = connectEnd(await pair.tunnel(echo.port));
  end.socket.write("hello");
  await expect.poll(() => end.text).toBe("hello");
  end.socket.end(" again");
  await expect.poll(() => end.state).toBe("end");
  expect(end.text).toBe("hello again");
});

test("a server that speaks first is heard", async () => {
  await using server = await startServer((socket) => socket.write("SSH-2.0-x"));
  await using pair = await startPair();
  const end = connectEnd(await pair.tunnel(server.port));
  await expect.poll(() => end.text).toBe("SSH-2.0-x");
});

describe("half-close", () => {
  test("a mebibyte comes after the client has ended", async () => {
    await using server = await startAnswerAfterEnd(mebibyte);
    await using pair = await startPair();
    const end = connectEnd(await pair.tunnel(server.port));
    end.socket.end(mebibyte);
    await expect.poll(() => end.state).toBe("end");
    expect(end.received.equals(mebibyte)).toBe(true);
  });

  test("a mebibyte goes after the server has ended", async () => {
    const heard: End[] = [];
    await using server = await startServer((socket) => heard.push(new End(socket.end("bye"))));
    await using pair = await startPair();
    const end = connectEnd(await pair.tunnel(server.port));
    await expect.poll(() => end.state).toBe("end");
    expect(end.text).toBe("bye");
    end.socket.end(mebibyte);
    await expect.poll(() => heard[0]?.state).toBe("end");
    expect(heard[0]?.received.equals(mebibyte)).toBe(true);
  });
});

describe("an end that comes before the stream is whole is passed on", () => {
  const startListener = async (heard: End[]) => startServer((socket) => heard.push(new End(socket.end("bye"))));

  test("while the server is looked for", async () => {
    const heard: End[] = [];
    await using server = await startListener(heard);
    await using pair = await startPair();
    const ends = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        // A name takes a moment to be looked up.
        const end = connectEnd(await pair.tunnel(server.port, { id: index + 1, host: "localhost" }));
        end.socket.end();
        return end;
      }),
    );
    await expect.poll(() => ends.map(({ text, state }) => `${text} ${state}`)).toEqual(ends.map(() => "bye end"));
    await expect.poll(() => heard.map(({ state }) => state)).toEqual(ends.map(() => "end"));
  });

  test("while it waits for a data connection", async () => {
    const heard: End[] = [];
    await using server = await startListener(heard);
    await using pair = await startPair({ withoutSession: true });
    const end = connectEnd(await pair.tunnel(server.port));
    end.socket.end();
    await expect.poll(() => pair.client.list()[0]?.open).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    pair.renewSession();
    await expect.poll(() => end.state).toBe("end");
    await expect.poll(() => heard[0]?.state).toBe("end");
  });
});

describe("a reset stays a reset", () => {
  test("of the client", async () => {
    const ends: End[] = [];
    await using server = await startServer((socket) => ends.push(new End(socket)));
    await using pair = await startPair();
    const end = connectEnd(await pair.tunnel(server.port));
    end.socket.write("x");
    await expect.poll(() => ends[0]?.text).toBe("x");
    end.socket.resetAndDestroy();
    await expect.poll(() => ends[0]?.state).toBe("reset");
    await expect.poll(() => [pair.client.list()[0]?.open, pair.server.openStreams(1)]).toEqual([0, 0]);
  });

  test("of the server", async () => {
    await using server = await startServer((socket) => socket.on("data", () => socket.resetAndDestroy()));
    await using pair = await startPair();
    const end = connectEnd(await pair.tunnel(server.port));
    end.socket.write("x");
    await expect.poll(() => end.state).toBe("reset");
    await expect.poll(() => [pair.client.list()[0]?.open, pair.server.openStreams(1)]).toEqual([0, 0]);
  });
});

test("who does not read stops the other from writing, and gets all of it later", async () => {
  const size = 96 * 1024 * 1024;
  await using server = await startServer((socket) => socket.pause());
  await using pair = await startPair();
  const { socket } = connectEnd(await pair.tunnel(server.port));
  for (let sent = 0; sent < size; sent += mebibyte.length) socket.write(mebibyte);
  const sent = () => socket.bytesWritten - socket.writableLength;
  let still = 0;
  let before = -1;
  const isStill = () => {
    still = sent() === before ? still + 1 : 0;
    before = sent();
    return still;
  };
  await expect.poll(isStill, { interval: 100 }).toBe(10);
  // The buffers of three kernel connections, at their largest, and little more.
  expect(sent()).toBeLessThan(size - 32 * 1024 * 1024);
  let heard = 0;
  let isSame = true;
  const twice = Buffer.concat([mebibyte, mebibyte]);
  server.connections[0]?.on("data", (bytes) => {
    const at = heard % mebibyte.length;
    isSame &&= bytes.equals(twice.subarray(at, at + bytes.length));
    heard += bytes.length;
  });
  server.connections[0]?.resume();
  await expect.poll(() => heard).toBe(size);
  expect(isSame).toBe(true);
});

describe("limits of a tunnel", () => {
  test("one stream too many is reset at once, and has a place when another has gone", async () => {
    await using echo = await startEcho();
    await using pair = await startPair();
    const port = await pair.tunnel(echo.port, { limits: { streams: 2 } });
    const [first, second] = [connectEnd(port), connectEnd(port)];
    for (const end of [first, second]) {
      end.socket.write("x");
      await expect.poll(() => end.text).toBe("x");
    }
    const third = connectEnd(port);
    await expect.poll(() => third.state).toBe("reset");
    expect(pair.client.list()).toMatchObject([{ open: 2, total: 2, refused: 1 }]);
    first.socket.end();
    await expect.poll(() => pair.client.list()[0]?.open).toBe(1);
    const fourth = connectEnd(port);
    fourth.socket.end("y");
    await expect.poll(() => fourth.text).toBe("y");
  });

  test("an idle stream is reset on both sides; a busy one is not", async () => {
    const idleEnds: End[] = [];
    await using server = await startServer((socket) => idleEnds.push(new End(socket)));
    await using echo = await startEcho();
    await using pair = await startPair();
    const idle = connectEnd(await pair.tunnel(server.port, { limits: { idleSeconds: 6 } }));
    const busy = connectEnd(await pair.tunnel(echo.port, { id: 2, limits: { idleSeconds: 6 } }));
    busy.socket.on("data", () => setTimeout(() => busy.socket.write("x"), 10)).write("x");
    idle.socket.write("x");
    await expect.poll(() => [idle.state, idleEnds[0]?.state]).toEqual(["reset", "reset"]);
    expect(busy.state).toBe("open");
  });

  test.each([
    ["to the server", "up"],
    ["to the client", "down"],
  ])("the bytes of all streams together go no faster %s", async (_, way) => {
    const rate = 1_000_000;
    const streams = 100;
    const part = mebibyte.subarray(0, 50_000);
    const clock = new FakeClock();
    let heard = 0;
    const count = (bytes: Buffer) => {
      heard += bytes.length;
    };
    await using server = await startServer((socket) => (way === "up" ? socket.on("data", count) : socket.end(part)));
    await using pair = await startPair({ clock });
    const port = await pair.tunnel(server.port, { limits: { bytesPerSecond: rate } });
    for (let stream = 0; stream < streams; stream++) {
      const { socket } = connectEnd(port);
      if (way === "up") socket.end(part);
      else socket.on("data", count);
    }
    await expect.poll(() => heard).toBeGreaterThan(0);
    const total = streams * part.length;
    let tooMuch = 0;
    const look = async () => {
      await clock.advance(10);
      // What was in store, what was paid for, and one piece that is not.
      const allowed = (rate * (clock.monotonic() + 100)) / 1000 + 65_536;
      tooMuch = Math.max(tooMuch, heard - allowed);
      return heard;
    };
    await expect.poll(look, { interval: 1 }).toBe(total);
    expect(tooMuch).toBe(0);
  });

  /** A tunnel at 100 kB/s to a server that counts, and so many clients that have sent all at once. */
  async function startCrowd(pair: Pair, port: number, size: number, bytes: number) {
    const tunnelPort = await pair.tunnel(port, { limits: { bytesPerSecond: 100_000 } });
    const crowd = Array.from({ length: size }, () => connectEnd(tunnelPort));
    for (const { socket } of crowd) socket.write(Buffer.alloc(bytes));
    await expect.poll(() => pair.server.openStreams(1)).toBe(size);
    return { tunnelPort, crowd };
  }

  test("a crowd that was reset while it waited leaves no debt", async () => {
    const clock = new FakeClock();
    const ends: End[] = [];
    await using server = await startServer((socket) => ends.push(new End(socket)));
    await using pair = await startPair({ clock });
    const { tunnelPort, crowd } = await startCrowd(pair, server.port, 100, 60_000);
    const heard = () => ends.reduce((sum, end) => sum + end.received.length, 0);
    // In store were 10,000 bytes, and a piece is a kibibyte.
    await expect.poll(heard).toBe(10 * 1024);
    for (const { socket } of crowd) socket.resetAndDestroy();
    await expect.poll(() => pair.client.list()[0]?.open).toBe(0);
    const honest = connectEnd(tunnelPort);
    honest.socket.write("x");
    // So long takes what was beyond the store.
    await clock.advance(3);
    await expect.poll(() => ends[100]?.text).toBe("x");
    expect(heard()).toBe(10 * 1024 + 1);
  });

  test("what was sent before an end comes whole, though it has to wait", async () => {
    const clock = new FakeClock();
    const ends: End[] = [];
    await using server = await startServer((socket) => ends.push(new End(socket.end("bye"))));
    await using pair = await startPair({ clock });
    const { crowd } = await startCrowd(pair, server.port, 5, 200_000);
    for (const { socket } of crowd) socket.end("!");
    const states = () => [...crowd, ...ends].map(({ state }) => state);
    const look = () => clock.advance(100).then(states);
    await expect.poll(look, { interval: 1 }).toEqual(Array.from({ length: 10 }, () => "end"));
    expect(crowd.map(({ text }) => text)).toEqual(crowd.map(() => "bye"));
    expect(ends.map(({ received }) => received.length)).toEqual(ends.map(() => 200_001));
  });

  test("who does not read holds nobody else up, and gets all of it later", async () => {
    const clock = new FakeClock();
    await using server = await startServer((socket) => socket.end(Buffer.alloc(24 * 1024 * 1024)));
    await using pair = await startPair({ clock });
    const port = await pair.tunnel(server.port, { limits: { bytesPerSecond: 100_000_000 } });
    const deaf = connectEnd(port);
    deaf.socket.pause();
    const end = connectEnd(port);
    const look = (end: End) => clock.advance(10).then(() => end.state);
    await expect.poll(() => look(end), { interval: 1 }).toBe("end");
    expect(end.received.length).toBe(24 * 1024 * 1024);
    deaf.socket.resume();
    await expect.poll(() => look(deaf), { interval: 1 }).toBe("end");
    expect(deaf.received.length).toBe(24 * 1024 * 1024);
  });

  test("a stream that the rate holds back is not idle", async () => {
    const clock = new FakeClock();
    await using echo = await startEcho();
    await using pair = await startPair({ clock });
    const limits = { bytesPerSecond: 1000, idleSeconds: 2 };
    const held = connectEnd(await pair.tunnel(echo.port, { limits }));
    const idle = connectEnd(await pair.tunnel(echo.port, { id: 2, limits: { idleSeconds: 2 } }));
    held.socket.write(Buffer.alloc(100_000));
    await expect.poll(() => idle.state).toBe("reset");
    const later = connectEnd(await pair.tunnel(echo.port, { id: 3, limits: { idleSeconds: 2 } }));
    await expect.poll(() => later.state).toBe("reset");
    expect(held.state).toBe("open");
  });
});
