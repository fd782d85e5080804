/** Looks at the beginning of a TLS connection, and leaves it there to be read. */
import type { Socket } from "node:net";
import type { Clock } from "@berg/kube";
import { type Hello, readClientHello } from "./client-hello.ts";

/** Never rejects; undefined where the client has gone, or did not come to the point in time. */
export function peekHello(socket: Socket, { clock, ms }: { clock: Clock; ms: number }): Promise<Hello | undefined> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const settle = (hello: Hello | undefined) => {
      timer.cancel();
      socket.off("data", onData).off("close", onEnd).off("end", onEnd);
      socket.pause();
      if (bytes.length > 0) socket.unshift(bytes);
      resolve(hello);
    };
    const onEnd = () => settle(undefined);
    const onData = (piece: Buffer) => {
      bytes = Buffer.concat([bytes, piece]);
      const hello = readClientHello(bytes);
      if (hello.state !== "incomplete") settle(hello);
    };
    const timer = clock.setTimer(ms, onEnd);
    socket.on("data", onData).once("close", onEnd).once("end", onEnd);
  });
}
