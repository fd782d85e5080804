/**
 * Two connections made one: what comes from either goes to the other, no faster than it takes it. One side's end is the
 * end for the other side alone; the way back stays open, as `nc -N` and shells expect. A reset stays a reset.
 */
import type { Socket } from "node:net";

export function join(a: Socket, b: Socket, options: { idleMs: number }): void {
  // Activity in either direction is activity of both.
  a.setTimeout(options.idleMs, () => {
    a.destroy();
    b.destroy();
  });
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
