/** Looks at the beginning of a TLS connection, and leaves it there to be read. */
import type { Socket } from "node:net";
import type { Clock } from "@berg/kube";
import { type Hello, readClientHello } from "./client-hello.ts";

/** More are put together: a piece of one byte takes as much memory as one of hundreds. */
const mostPieces = 256;

/** Never rejects; undefined where the client has gone, or did not come to the point in time. */
export function peekHello(socket: Socket, { clock, ms }: { clock: Clock; ms: number }): Promise<Hello | undefined> {
  return new Promise((resolve) => {
    let pieces: Buffer[] = [];
    let length = 0;
    let needs = 1;
    const settle = (hello: Hello | undefined) => {
      timer.cancel();
      socket.off("data", onData).off("close", onEnd).off("end", onEnd);
      socket.pause();
      if (length > 0) socket.unshift(Buffer.concat(pieces));
      resolve(hello);
    };
    const onEnd = () => settle(undefined);
    const onData = (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
      // Whoever sends byte by byte must not have all of them put together for each.
      if (length < needs && pieces.length < mostPieces) return;
      const all = Buffer.concat(pieces);
      pieces = [all];
      const hello = readClientHello(all);
      if (hello.state === "incomplete") needs = hello.needs;
      else settle(hello);
    };
    const timer = clock.setTimer(ms, onEnd);
    socket.on("data", onData).once("close", onEnd).once("end", onEnd);
  });
}
