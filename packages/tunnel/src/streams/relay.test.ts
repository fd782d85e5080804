import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Clock, systemClock } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { expect, test, vi } from "vitest";
import { Carrier } from "./carrier.ts";
import { Pace } from "./pace.ts";
import { endOfWay, PieceReader } from "./pieces.ts";
import { type Left, type RelayLimits, relay } from "./relay.ts";
import { connectEnd, startEcho, startServer } from "./testing/ends.ts";
import { host } from "./testing/pair.ts";

/** A client's connection on a data connection to something that speaks as the other proxy does. */
async function startRelay(port: number, limits: RelayLimits) {
  const clients = await startServer((socket) => socket.pause());
  const end = connectEnd(clients.port);
  await expect.poll(() => clients.connections).toHaveLength(1);
  const [local] = clients.connections as [Socket];
  const data = connect({ port, host, allowHalfOpen: true });
  await once(data, "connect");
  const left: Left[] = [];
  const carrier = new Carrier(data, { heard: () => {}, gone: () => {} });
  relay({ local, carrier, limits, onLeft: (how) => left.push(how) });
  return { end, local, data, left, [Symbol.asyncDispose]: () => clients[Symbol.asyncDispose]() };
}

function bothWays(clock: Clock, rate: number) {
  return { outwards: new Pace(clock, rate), inwards: new Pace(clock, rate) };
}

test("a stream is idle since it passed on what was held back, not since that came", async () => {
  const clock = new FakeClock();
  await using echo = await startEcho();
  await using relayed = await startRelay(echo.port, { idleMs: 3_600_000, paces: bothWays(clock, 10_000) });
  const { end, local, data } = relayed;
  end.socket.write(Buffer.alloc(2500));
  await expect.poll(() => local.bytesRead).toBe(2500);
  await expect.poll(() => end.received.length).toBe(1024);
  const startsAnew = vi.spyOn(local, "setTimeout");
  await clock.advance(1000);
  // Three pieces, and the length of each.
  expect(data.bytesWritten).toBe(2500 + 3 * 4);
  await expect.poll(() => clock.advance(1000).then(() => end.received.length)).toBe(2500);
  // For the two that had to wait, on their way out and on their way back.
  expect(startsAnew.mock.calls).toEqual(Array.from({ length: 4 }, () => [3_600_000]));
});

test("at any rate, little is held for a server that does not read, and it gets all of it later", async () => {
  const size = 48 * 1024 * 1024;
  await using server = await startServer((socket) => socket.pause());
  await using relayed = await startRelay(server.port, { idleMs: 0, paces: bothWays(systemClock, 10_000_000_000) });
  const { end, local, data, left } = relayed;
  end.socket.end(Buffer.alloc(size));
  let still = 0;
  let before = -1;
  const isStill = () => {
    still = local.bytesRead === before ? still + 1 : 0;
    before = local.bytesRead;
    return still;
  };
  await expect.poll(isStill, { interval: 100 }).toBe(10);
  expect(data.writableLength).toBeLessThan(4 * 65_536);
  const [reader] = server.connections as [Socket];
  const pieces = new PieceReader();
  let heard = 0;
  let hasEnded = false;
  reader.on("data", (chunk) => {
    const end = pieces.read(chunk, (bytes) => {
      heard += bytes.length;
    });
    hasEnded ||= end === chunk.length;
  });
  reader.resume();
  await expect.poll(() => hasEnded).toBe(true);
  expect(heard).toBe(size);
  expect(left).toEqual([]);
  reader.write(endOfWay);
  await expect.poll(() => left).toEqual(["free"]);
  await expect.poll(() => end.state).toBe("end");
});
