/** Tunnels that open and close, clients that wait, sessions that come and go. */
import { once } from "node:events";
import { FakeClock } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { endOfWay, printPiece } from "./pieces.ts";
import { headerLength, printPreamble, sessionKey } from "./preamble.ts";
import { connectEnd, type End, startEcho } from "./testing/ends.ts";
import { host, noLimits, startPair } from "./testing/pair.ts";

async function echoes(end: End, text: string): Promise<void> {
  const before = end.text;
  end.socket.write(text);
  await expect.poll(() => end.text).toBe(before + text);
}

describe("a tunnel", () => {
  test("that is closed lets nobody in, and those who are in stay", async () => {
    await using echo = await startEcho();
    await using pair = await startPair();
    const port = await pair.tunnel(echo.port);
    const end = connectEnd(port);
    await echoes(end, "before");
    pair.client.close(1);
    pair.client.close(1);
    pair.server.removeTunnel(1);
    expect(pair.client.list()).toMatchObject([{ port, open: 1, isEnding: true }]);
    const late = connectEnd(port);
    await expect.poll(() => late.state).toBe("reset");
    await echoes(end, "after");
    // Its port is free again.
    const again = { id: 2, name: "again", address: host, port, limits: noLimits };
    expect(await pair.client.open(again)).toEqual({ addresses: [host], port });
    end.socket.end();
    await expect.poll(() => pair.client.list().map(({ tunnel }) => tunnel.id)).toEqual([2]);
  });

  test("without streams is gone when it is closed", async () => {
    await using pair = await startPair();
    await pair.tunnel(1);
    pair.client.close(1);
    expect(pair.client.list()).toEqual([]);
  });

  test("cannot have the id of another, and one that cannot listen leaves nothing behind", async () => {
    await using pair = await startPair();
    const port = await pair.tunnel(1);
    const tunnel = { id: 1, name: "db", address: host, port: 0, limits: noLimits };
    await expect(pair.client.open(tunnel)).rejects.toThrow("cannot open tunnel db: its id, 1, is in use");
    await expect(pair.client.open({ ...tunnel, id: 2, port })).rejects.toThrow("the port is in use");
    expect(pair.client.list()).toHaveLength(1);
    await pair.client.open({ ...tunnel, id: 2 });
  });

  test("a thousand of them are open at once", async () => {
    await using echo = await startEcho();
    await using pair = await startPair();
    const ports: number[] = [];
    for (let id = 1; id <= 1000; id++) ports.push(await pair.tunnel(echo.port, { id }));
    expect(new Set(ports).size).toBe(1000);
    await echoes(connectEnd(ports[999] as number), "last");
  });

  test("that the server proxy does not know resets its clients, and says so", async () => {
    await using pair = await startPair();
    const port = await pair.tunnel(1);
    pair.server.removeTunnel(1);
    const end = connectEnd(port);
    await expect.poll(() => end.state).toBe("reset");
    const message = "there is no such tunnel any more";
    await expect.poll(() => pair.failures).toEqual([{ tunnelId: 1, streamId: 1n, name: "", message }]);
  });

  test("of a server that is not there resets its clients, and says so; others go on", async () => {
    await using echo = await startEcho();
    await using pair = await startPair();
    const good = connectEnd(await pair.tunnel(echo.port, { id: 2 }));
    const end = connectEnd(await pair.tunnel(1));
    await expect.poll(() => end.state).toBe("reset");
    await expect
      .poll(() => pair.failures)
      .toMatchObject([{ tunnelId: 1, name: "tunnel-1", message: `connection refused by ${host}:1` }]);
    await echoes(good, "x");
    expect(pair.server.openStreams(1)).toBe(0);
  });
});

describe("a client that waits", () => {
  test("is served when a session comes, with all that it has sent meanwhile", async () => {
    await using echo = await startEcho();
    await using pair = await startPair({ withoutSession: true });
    const port = await pair.tunnel(echo.port);
    const end = connectEnd(port);
    const text = "x".repeat(1_000_000);
    end.socket.end(text);
    await expect.poll(() => pair.client.list()[0]?.open).toBe(1);
    expect(pair.wanted).toEqual([]);
    pair.renewSession();
    await expect.poll(() => end.state).toBe("end");
    expect(end.text).toBe(text);
  });

  test("and goes away gives its place back", async () => {
    await using pair = await startPair({ withoutSession: true });
    const port = await pair.tunnel(1, { limits: { streams: 1 } });
    const first = connectEnd(port);
    first.socket.write("half a");
    await expect.poll(() => pair.client.list()[0]?.open).toBe(1);
    first.socket.resetAndDestroy();
    await expect.poll(() => pair.client.list()[0]?.open).toBe(0);
    connectEnd(port);
    await expect.poll(() => pair.client.list()[0]).toMatchObject({ open: 1, refused: 0 });
    pair.renewSession();
    // Only the one that is still there has a stream.
    await expect.poll(() => pair.failures).toHaveLength(1);
  });

  test("is reset when its time is over", async () => {
    const clock = new FakeClock();
    await using pair = await startPair({ withoutSession: true, clock });
    const end = connectEnd(await pair.tunnel(1));
    await expect.poll(() => clock.timers).toBe(1);
    await clock.advance(29_999);
    expect(end.state).toBe("open");
    await clock.advance(1);
    await expect.poll(() => end.state).toBe("reset");
    await expect.poll(() => pair.client.list()[0]).toMatchObject({ open: 0, refused: 1 });
  });

  test("asks for a connection; where many wait, for many at once", async () => {
    await using echo = await startEcho();
    await using pair = await startPair({ poolSize: 0 });
    const port = await pair.tunnel(echo.port);
    const ends = Array.from({ length: 50 }, () => connectEnd(port));
    await Promise.all(ends.map((end) => echoes(end, "x")));
    const asked = pair.wanted.reduce((sum, count) => sum + count, 0);
    expect(pair.wanted[0]).toBe(1);
    expect(asked).toBeLessThanOrEqual(100);
  });

  test("asks for all that is needed when a session comes, and not for what is on its way", async () => {
    await using pair = await startPair({ withoutSession: true });
    const port = await pair.tunnel(1);
    const wanted: number[] = [];
    pair.client.onConnectionsWanted = (count) => wanted.push(count);
    const open = (count: number) => expect.poll(() => pair.client.list()[0]?.open).toBe(count);
    for (let client = 0; client < 10; client++) connectEnd(port);
    await open(10);
    pair.client.useSession({ id: 1, key: Buffer.alloc(32) });
    expect(wanted).toEqual([10]);
    connectEnd(port);
    await open(11);
    // More than one, since others will follow.
    expect(wanted).toEqual([10, 10]);
    for (let client = 0; client < 9; client++) connectEnd(port);
    await open(20);
    expect(wanted).toEqual([10, 10]);
    pair.client.useSession({ id: 2, key: Buffer.alloc(32) });
    expect(wanted).toEqual([10, 10, 20]);
  });

  test("and is broken off before it was given anything leaves nothing behind", async () => {
    await using echo = await startEcho();
    await using pair = await startPair();
    const port = await pair.tunnel(echo.port);
    await echoes(connectEnd(port), "x");
    const end = connectEnd(port);
    while (pair.client.list()[0]?.open === 1) await new Promise(setImmediate);
    pair.client.resetAll();
    await expect.poll(() => end.state).toBe("reset");
    await echoes(connectEnd(port), "y");
    await expect.poll(() => pair.client.list()[0]?.open).toBe(1);
    expect(pair.server.openStreams(1)).toBe(1);
  });

  test("is one of a thousand at most", async () => {
    await using pair = await startPair({ withoutSession: true });
    const port = await pair.tunnel(1);
    const ends = Array.from({ length: 1100 }, () => connectEnd(port));
    await expect.poll(() => pair.client.list()[0]).toMatchObject({ open: 1024, total: 1100, refused: 76 });
    await expect.poll(() => ends.filter(({ state }) => state === "reset").length).toBe(76);
    pair.client.resetAll();
    await expect.poll(() => ends.every(({ state }) => state === "reset")).toBe(true);
    await expect.poll(() => pair.client.list()[0]?.open).toBe(0);
  });
});

describe("a data connection that waits", () => {
  test.each([0, 1])("and is dead when a client gets it costs the client nothing (%d)", async (turns) => {
    await using pair = await startPair({ poolSize: 0 });
    const session = sessionKey(pair.renewSession());
    const port = await pair.tunnel(1);
    const dial = async (number: number) => {
      const end = connectEnd(pair.dataPort);
      await once(end.socket, "connect");
      end.socket.write(printPreamble({ session, number }));
      return end;
    };
    const waiting = await Promise.all([dial(1), dial(2), dial(3)]);
    pair.client.onConnectionsWanted = () => {};
    // Who came last goes first.
    const [last] = waiting;
    // One that came after them has been read, so they have.
    const stranger = connectEnd(pair.dataPort);
    stranger.socket.write(Buffer.alloc(45));
    await expect.poll(() => stranger.state).toBe("reset");
    const end = connectEnd(port);
    end.socket.end("hello");
    // They break in the very turn in which the client gets one, so that nobody has seen it before; or in the one
    // before, so that it has been seen and they are about to be forgotten.
    while (pair.client.list()[0]?.open === 0) await new Promise(setImmediate);
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    for (const { socket } of waiting.slice(1)) socket.resetAndDestroy();
    const carried = Buffer.concat([printPiece(Buffer.from("hello"), Buffer.alloc(0)), endOfWay]);
    await expect.poll(() => last?.received.subarray(headerLength)).toEqual(carried);
    expect([last?.state, end.state]).toEqual(["open", "open"]);
  });

  test("is used again and again, by one client after the other", async () => {
    await using echo = await startEcho();
    await using pair = await startPair({ poolSize: 0 });
    const port = await pair.tunnel(echo.port);
    for (let turn = 0; turn < 20; turn++) {
      const end = connectEnd(port);
      end.socket.end(`turn ${turn}`);
      await expect.poll(() => end.state).toBe("end");
      expect(end.text).toBe(`turn ${turn}`);
      await expect.poll(() => pair.client.list()[0]?.open).toBe(0);
    }
    // Asked for by the first alone.
    expect(pair.wanted).toEqual([1]);
  });

  test("that comes free is given to the client that waits", async () => {
    await using echo = await startEcho();
    await using pair = await startPair({ poolSize: 0 });
    const port = await pair.tunnel(echo.port);
    const first = connectEnd(port);
    await echoes(first, "x");
    pair.client.endSession();
    const second = connectEnd(port);
    second.socket.write("y");
    await expect.poll(() => pair.client.list()[0]?.open).toBe(2);
    first.socket.end();
    await expect.poll(() => second.text).toBe("y");
    expect(pair.wanted).toEqual([1]);
  });

  test("of an older session is not used again", async () => {
    await using echo = await startEcho();
    await using pair = await startPair({ poolSize: 0 });
    const port = await pair.tunnel(echo.port);
    const first = connectEnd(port);
    await echoes(first, "x");
    pair.renewSession();
    first.socket.end("!");
    await expect.poll(() => first.state).toBe("end");
    await echoes(connectEnd(port), "y");
    expect(pair.wanted).toEqual([1, 1]);
  });

  test("for more than a minute is replaced", async () => {
    const clock = new FakeClock();
    await using echo = await startEcho();
    await using pair = await startPair({ poolSize: 1, clock });
    const port = await pair.tunnel(echo.port);
    await expect.poll(() => clock.timers).toBe(1);
    await clock.advance(60_000);
    await echoes(connectEnd(port), "x");
    expect(pair.wanted).toEqual([]);
  });
});

describe("sessions", () => {
  test("what waits of an older one is closed", async () => {
    await using pair = await startPair({ poolSize: 0 });
    const session = sessionKey(pair.renewSession());
    const old = connectEnd(pair.dataPort);
    old.socket.write(printPreamble({ session, number: 1 }));
    const stranger = connectEnd(pair.dataPort);
    stranger.socket.write(Buffer.alloc(45));
    await expect.poll(() => stranger.state).toBe("reset");
    expect(old.state).toBe("open");
    pair.renewSession();
    await expect.poll(() => old.state).toBe("end");
  });

  test("streams go on and new ones work while the session changes again and again", async () => {
    await using echo = await startEcho();
    await using pair = await startPair();
    const port = await pair.tunnel(echo.port);
    const old = Array.from({ length: 8 }, () => connectEnd(port));
    for (let turn = 0; turn < 10; turn++) {
      const fresh = Array.from({ length: 10 }, () => connectEnd(port));
      const all = [...old, ...fresh].map((end) => echoes(end, `turn ${turn} `));
      pair.renewSession();
      await Promise.all(all);
      for (const end of fresh) end.socket.end();
    }
    expect(pair.failures).toEqual([]);
    expect(pair.client.list()[0]).toMatchObject({ total: 108, refused: 0 });
  });

  test("without one, what is ready is used, then clients wait for the next", async () => {
    await using echo = await startEcho();
    await using pair = await startPair({ poolSize: 2 });
    const port = await pair.tunnel(echo.port);
    await echoes(connectEnd(port), "x");
    pair.client.endSession();
    pair.server.endSession();
    const ends = Array.from({ length: 5 }, () => connectEnd(port));
    const all = ends.map((end) => echoes(end, "y"));
    await expect.poll(() => pair.client.list()[0]?.open).toBe(6);
    const wanted = pair.wanted.length;
    pair.server.wanted(3);
    await new Promise(setImmediate);
    expect(pair.wanted.length).toBe(wanted);
    pair.renewSession();
    await Promise.all(all);
  });
});
