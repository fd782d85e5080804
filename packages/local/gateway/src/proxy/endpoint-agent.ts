/**
 * The connections that one client's connection has to endpoints. They are kept while it is, so that a browser's next
 * request costs no new one, and are shared with nobody: what one player leaves in the buffers of a server that mixes up
 * requests must not meet another's.
 */
import { Agent, type ClientRequestArgs } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectOptions, connectToAny } from "./connect.ts";
import type { Endpoint } from "./endpoints.ts";

/** Requests that a client sends without waiting for answers; more of them wait. */
const atOnce = 8;

export interface EndpointRequest extends ClientRequestArgs {
  endpoints: readonly Endpoint[];
}

export class EndpointAgent extends Agent {
  readonly #connecting: Pick<ConnectOptions, "random" | "connectMs">;
  readonly #open = new Set<Socket>();
  readonly #leaving = new AbortController();

  constructor(connecting: Pick<ConnectOptions, "random" | "connectMs">, idleMs: number) {
    super({ keepAlive: true, maxSockets: atOnce, maxFreeSockets: atOnce, timeout: idleMs });
    this.#connecting = connecting;
  }

  /** Those that are being made, too: Node's own would keep them. */
  override destroy(): void {
    this.#leaving.abort();
    for (const socket of this.#open) socket.destroy();
    super.destroy();
  }

  /** A connection is used again only as long as the endpoints are the same: none to a pod that has gone. */
  override getName(options?: ClientRequestArgs): string {
    return JSON.stringify((options as EndpointRequest).endpoints);
  }

  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const { endpoints } = options as EndpointRequest;
    // With half-open connections, Node would not notice that an idle one has ended, and use it again.
    connectToAny(endpoints, { ...this.#connecting, allowHalfOpen: false, signal: this.#leaving.signal }).then(
      (socket) => {
        this.#open.add(socket);
        socket.once("close", () => this.#open.delete(socket));
        callback?.(null, socket);
      },
      (error) => callback?.(error, undefined as never),
    );
  }
}
