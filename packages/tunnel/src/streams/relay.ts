/**
 * Two connections made one: what comes from either goes to the other, no faster than it takes it. One side's end is the
 * end for the other side alone; the way back stays open, as `echo x | nc` and HTTP/1.0 need. A reset stays a reset.
 *
 * By hand rather than with `pipe`, which ends nothing when a connection breaks and listens for more than is needed.
 */
import type { Socket } from "node:net";
import type { Pace } from "./pace.ts";
import { ignoreError, reset } from "./sockets.ts";

/** Fewer bytes may be part of a buffer that others use as well, and are soon forgotten. */
const worthFreeing = 4096;

export interface RelayLimits {
  /** 0 is never. */
  idleMs: number;
  /** One for each way. */
  paces: { fromA: Pace; fromB: Pace } | undefined;
}

/** Bytes that were read before and belong to the stream are put back first (`unshift`). */
export function relay(a: Socket, b: Socket, limits?: RelayLimits): void {
  const { idleMs = 0, paces } = limits ?? {};
  if (paces) {
    const isHeldBack = [carryAtPace(a, b, paces.fromA), carryAtPace(b, a, paces.fromB)];
    endWhenIdle(a, idleMs, () => isHeldBack.some((held) => held()));
  } else {
    carry(a, b);
    carry(b, a);
    a.resume();
    b.resume();
    endWhenIdle(a, idleMs, () => false);
  }
  passEnd(a, b);
  passEnd(b, a);
}

function carry(from: Socket, to: Socket): void {
  from.on("data", (bytes) => {
    if (pass(bytes, to)) from.pause();
  });
  to.on("drain", () => from.resume());
}

/**
 * Whether the other side has to be waited for: its `drain` will come. What `write` returns is no help, as it calls a
 * connection full that has passed on all it got: every read of 64 KiB would cost a pause.
 */
function pass(bytes: Buffer, to: Socket): boolean {
  to.write(bytes);
  if (to.writableLength === 0) free(bytes);
  return to.writableLength >= to.writableHighWaterMark;
}

/**
 * The kernel has taken them, and nobody else knows them. Left to the garbage collector they would make it look through
 * the whole heap after each 50 MB of a stream, which can cost more than the stream itself.
 */
function free(bytes: Buffer): void {
  const { buffer } = bytes;
  const isItsOwn = bytes.length >= worthFreeing && buffer.byteLength === bytes.length;
  if (isItsOwn && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/**
 * Bytes are fetched before they may go on, a read or two of them: only who has some stands in line, so that a silent
 * stream is in nobody's way, and an end or a reset behind them is seen. Says whether the pace holds it back.
 */
function carryAtPace(from: Socket, to: Socket, pace: Pace): () => boolean {
  let isFull = false;
  const goOn = () => {
    // Fetches more, or lets the end come.
    if (from.readableLength === 0) from.read(0);
    else if (!isFull) pace.queue(turn);
  };
  const turn = (most: number) => {
    const bytes: Buffer | null = from.read(Math.min(most, from.readableLength));
    if (!bytes) return 0;
    // Once passed on they may be gone.
    const { length } = bytes;
    isFull = pass(bytes, to);
    // They may have come long ago, and it is not idle since then.
    if (from.timeout) from.setTimeout(from.timeout);
    goOn();
    return length;
  };
  from.on("readable", goOn);
  to.on("drain", () => {
    isFull = false;
    goOn();
  });
  from.on("close", () => pace.leave(turn));
  return () => pace.isInLine(turn);
}

function passEnd(from: Socket, to: Socket): void {
  // Where nothing came before it, an end does not wait for a listener.
  if (from.readableEnded) to.end();
  else from.on("end", () => to.end());
  from.on("error", ignoreError);
  from.on("close", () => {
    // After an orderly end both ways the other side may still have to send what it holds.
    if (!from.readableEnded || !from.writableFinished) reset(to);
  });
}

/** All that comes or goes passes through either of the two, so one is enough to watch. */
function endWhenIdle(socket: Socket, idleMs: number, isHeldBack: () => boolean): void {
  if (idleMs === 0) return;
  socket.setTimeout(idleMs);
  socket.on("timeout", () => {
    if (isHeldBack()) socket.setTimeout(idleMs);
    else reset(socket);
  });
}
