/** What real sockets cannot be made to do on demand; the rest is tested with those. */
import { once } from "node:events";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { join } from "./join.ts";

/** One side of a connection: what it says, and how long it takes to hear something. */
function side(says: string, tookMs: number): Socket & { heard: string } {
  const socket = Object.assign(
    new Duplex({
      read() {},
      async write(piece, _, done) {
        await delay(tookMs);
        socket.heard += piece;
        done();
      },
    }),
    { heard: "", setTimeout() {}, resetAndDestroy: () => socket.destroy() },
  ) as unknown as Socket & { heard: string };
  socket.push(says);
  socket.push(null);
  return socket;
}

test("a side that is done may close, and the other still takes what was said", async () => {
  const [quick, slow] = [side("the last words", 0), side("", 100)];
  join(quick, slow, { tunnelIdleMs: 1_000, halfClosedMs: 1_000 });
  await once(quick, "close");
  expect(slow.heard).toBe("");
  await once(slow, "close");
  expect([slow.heard, slow.writableFinished]).toEqual(["the last words", true]);
});

test("a side that is closed in the middle takes the other with it", async () => {
  const [one, other] = [side("", 0), side("x", 1_000)];
  join(one, other, { tunnelIdleMs: 1_000, halfClosedMs: 1_000 });
  other.destroy();
  await once(one, "close");
  expect(one.destroyed).toBe(true);
});
