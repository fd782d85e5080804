/** The one connection that a lane has to an endpoint. It may be made anew, and what an old one still says is not heard. */
import type { Socket } from "node:net";
import { type ConnectOptions, connectToAny } from "../connect.ts";
import type { Endpoint } from "../endpoints.ts";

export interface UpstreamListener {
  said(bytes: Buffer): void;
  /** It has closed its side or, broken, all of it; and is dropped already. */
  ended(isBroken: boolean): void;
  /** More can be written. */
  drained(): void;
}

export class Upstream {
  readonly #connecting: Omit<ConnectOptions, "allowHalfOpen">;
  readonly #listener: UpstreamListener;
  #endpoints: readonly Endpoint[] = [];
  #socket: Socket | undefined;

  constructor(connecting: Omit<ConnectOptions, "allowHalfOpen">, listener: UpstreamListener) {
    this.#connecting = connecting;
    this.#listener = listener;
  }

  /** Whether there is a connection to one of these: one to a pod that has gone is not used again. */
  leadsTo(endpoints: readonly Endpoint[]): boolean {
    return this.#socket !== undefined && sameEndpoints(this.#endpoints, endpoints);
  }

  /** Rejects where none of them accepts one. */
  async connect(endpoints: readonly Endpoint[]): Promise<void> {
    this.drop();
    const socket = await connectToAny(endpoints, { ...this.#connecting, allowHalfOpen: false });
    if (this.#connecting.signal?.aborted) return void socket.destroy();
    this.#endpoints = endpoints;
    this.#socket = socket;
    const isCurrent = () => this.#socket === socket;
    const onEnd = () => {
      if (!isCurrent()) return;
      this.drop();
      this.#listener.ended(socket.errored !== null);
    };
    socket.on("data", (bytes) => isCurrent() && this.#listener.said(bytes));
    socket.on("drain", () => isCurrent() && this.#listener.drained());
    socket.on("end", onEnd).on("close", onEnd);
  }

  /** Whether it takes more. */
  write(bytes: Buffer): boolean {
    return this.#socket?.write(bytes) ?? true;
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }
}

function sameEndpoints(some: readonly Endpoint[], others: readonly Endpoint[]): boolean {
  if (some.length !== others.length) return false;
  return some.every(({ address, port }, at) => others[at]?.address === address && others[at]?.port === port);
}
