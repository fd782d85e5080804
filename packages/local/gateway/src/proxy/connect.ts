/**
 * A connection to the first endpoint that accepts one. Nothing has been sent before that, so that trying the next
 * harms nobody. Afterwards nothing is tried twice: a request may have done its work before its answer was lost.
 */
import { connect, type Socket } from "node:net";
import type { Random } from "@berg/kube";
import { type Endpoint, inTurn } from "./endpoints.ts";

export interface ConnectOptions {
  random: Random;
  /** For each endpoint. */
  connectMs: number;
  /** Whether the other side's end leaves ours open. */
  allowHalfOpen: boolean;
  signal?: AbortSignal;
}

/** No endpoint accepts a connection, or there is none. */
export class NoEndpoint extends Error {
  constructor() {
    super("no endpoint accepts a connection");
    this.name = "NoEndpoint";
  }
}

export async function connectToAny(endpoints: readonly Endpoint[], options: ConnectOptions): Promise<Socket> {
  for (const endpoint of inTurn(endpoints, options.random)) {
    options.signal?.throwIfAborted();
    const socket = await connectTo(endpoint, options);
    if (socket) return socket;
  }
  options.signal?.throwIfAborted();
  throw new NoEndpoint();
}

function connectTo({ address, port }: Endpoint, options: ConnectOptions): Promise<Socket | undefined> {
  const { connectMs, allowHalfOpen, signal } = options;
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, allowHalfOpen, noDelay: true });
    const settle = (result: Socket | undefined) => {
      signal?.removeEventListener("abort", giveUp);
      socket.off("timeout", giveUp).off("error", giveUp).setTimeout(0);
      // Whoever asked listens to what comes later; until then an error must not end the process.
      socket.on("error", () => {});
      if (!result) socket.destroy();
      resolve(result);
    };
    const giveUp = () => settle(undefined);
    signal?.addEventListener("abort", giveUp, { once: true });
    socket.setTimeout(connectMs).once("timeout", giveUp).once("error", giveUp);
    socket.once("connect", () => settle(socket));
  });
}
