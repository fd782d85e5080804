import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Clock, systemClock } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { expect, test, vi } from "vitest";
import { Pace } from "./pace.ts";
import { type RelayLimits, relay } from "./relay.ts";
import { connectEnd, End, startEcho, startServer } from "./testing/ends.ts";
import { host } from "./testing/pair.ts";

/** A client's connection and one to a server, made one, with what stands at the other end of the first. */
async function startRelay(port: number, limits: RelayLimits) {
  const clients = await startServer((socket) => socket.pause());
  const end = connectEnd(clients.port);
  await expect.poll(() => clients.connections).toHaveLength(1);
  const [a] = clients.connections as [Socket];
  const b = connect({ port, host, allowHalfOpen: true });
  await once(b, "connect");
  relay(a, b, limits);
  return { end, a, b, [Symbol.asyncDispose]: () => clients[Symbol.asyncDispose]() };
}

function bothWays(clock: Clock, rate: number) {
  return { fromA: new Pace(clock, rate), fromB: new Pace(clock, rate) };
}

test("a stream is idle since it passed on what was held back, not since that came", async () => {
  const clock = new FakeClock();
  await using echo = await startEcho();
  await using relayed = await startRelay(echo.port, { idleMs: 3_600_000, paces: bothWays(clock, 10_000) });
  const { end, a, b } = relayed;
  end.socket.write(Buffer.alloc(2500));
  await expect.poll(() => a.bytesRead).toBe(2500);
  await expect.poll(() => end.received.length).toBe(1024);
  const startsAnew = vi.spyOn(a, "setTimeout");
  await clock.advance(1000);
  expect(b.bytesWritten).toBe(2500);
  expect(startsAnew.mock.calls).toEqual([[3_600_000], [3_600_000]]);
});

test("at any rate, little is held for a server that does not read, and it gets all of it later", async () => {
  const size = 48 * 1024 * 1024;
  await using server = await startServer((socket) => socket.pause());
  await using relayed = await startRelay(server.port, { idleMs: 0, paces: bothWays(systemClock, 10_000_000_000) });
  const { end, a, b } = relayed;
  end.socket.end(Buffer.alloc(size));
  let still = 0;
  let before = -1;
  const isStill = () => {
    still = a.bytesRead === before ? still + 1 : 0;
    before = a.bytesRead;
    return still;
  };
  await expect.poll(isStill, { interval: 100 }).toBe(10);
  expect(b.writableLength).toBeLessThan(4 * 65_536);
  const [reader] = server.connections as [Socket];
  const heard = new End(reader);
  reader.resume();
  await expect.poll(() => heard.state).toBe("end");
  expect(heard.received.length).toBe(size);
});
