/**
 * Two connections made one: what comes from either goes to the other, no faster than it takes it. One side's end is the
 * end for the other side alone; the way back stays open, as `nc -N` and shells expect, for as long as something comes
 * by it. A reset stays a reset.
 */
import type { Socket } from "node:net";
import type { Limits } from "./limits.ts";

export function join(
  a: Socket,
  b: Socket,
  { tunnelIdleMs, halfClosedMs }: Pick<Limits, "tunnelIdleMs" | "halfClosedMs">,
): void {
  // Activity in either direction is activity of both.
  a.setTimeout(tunnelIdleMs, () => {
    a.destroy();
    b.destroy();
  });
  for (const side of [a, b]) side.once("end", () => a.setTimeout(Math.min(tunnelIdleMs, halfClosedMs)));
  carry(a, b);
  carry(b, a);
}

function carry(from: Socket, to: Socket): void {
  from.pipe(to);
  from.once("error", () => reset(to));
  from.once("close", () => {
    // After an orderly end both ways, the other side may still have to send what it holds.
    if (!from.readableEnded || !from.writableFinished) to.destroy();
  });
}

function reset(socket: Socket): void {
  // A TLS connection has no reset of its own.
  if (socket.destroyed) return;
  if ("encrypted" in socket) socket.destroy();
  else socket.resetAndDestroy();
}
