/** What all connections of a stream have in common, and how one is broken off. */
import type { Socket } from "node:net";

/**
 * For both `createServer` and `connect`. One side's end leaves the other open; small writes go at once; and a peer that
 * is gone without a word is noticed within half a minute (Node asks ten times, a second apart).
 */
export const socketOptions = {
  allowHalfOpen: true,
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: 15_000,
} as const;

/** A connection's end is known by its `close`; an error without a listener would end the process. */
export function ignoreError(): void {}

/** Breaks it off: the other side gets a reset, not an end. Its `close` comes in any case. */
export function reset(socket: Socket): void {
  if (socket.destroyed) return;
  if (socket.connecting) socket.destroy();
  // While an end is on its way to the kernel a reset fails, and Node would then forget to close the connection at all.
  else if (socket.writableEnded && !socket.writableFinished && socket.writableLength === 0)
    socket.once("finish", () => reset(socket));
  else socket.resetAndDestroy();
}
