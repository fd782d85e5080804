/**
 * The streams of the server proxy. It dials data connections to the client proxy; one that is given a client says by
 * its header of which tunnel, and carries the stream from then on, to a new connection to that tunnel's server.
 *
 *   ready-connections → (dial the server) → relay
 */
import type { Socket } from "node:net";
import type { Clock, Logger } from "@berg/kube/process";
import type { Endpoint, ServerTunnel, Session, StreamFailure } from "./contract.ts";
import { dial } from "./dial.ts";
import { type StreamName, sessionKey } from "./preamble.ts";
import { type GivenStream, ReadyConnections } from "./ready-connections.ts";
import { relay } from "./relay.ts";
import { SeldomLog } from "./seldom.ts";
import { reset } from "./sockets.ts";

export interface ServerStreamsOptions {
  clock: Clock;
  log: Logger;
  /** Data connections that wait for a client; more after demand. */
  poolSize?: number;
  /** The client has been reset by then. */
  onStreamFailed(failure: StreamFailure): void;
  /** The server has taken it. */
  onStreamOpened?(tunnelId: number): void;
}

export class ServerStreams implements AsyncDisposable {
  readonly #options: ServerStreamsOptions;
  readonly #warnings: SeldomLog;
  readonly #tunnels = new Map<number, ServerTunnel>();
  readonly #open = new Map<number, number>();
  readonly #sockets = new Set<Socket>();
  #ready: ReadyConnections | undefined;

  constructor(options: ServerStreamsOptions) {
    this.#options = options;
    this.#warnings = new SeldomLog(options.clock, options.log);
  }

  /** From now on data connections of this session are kept ready. Streams of an older one go on. */
  useSession(session: Session, endpoint: Endpoint): void {
    this.#ready?.stop();
    const { clock, log, poolSize: size = 8 } = this.#options;
    this.#ready = new ReadyConnections({
      session: sessionKey(session),
      endpoint,
      size,
      clock,
      log,
      onDialled: (socket) => this.#track(socket),
      onStream: (stream) => this.#serve(stream),
    });
  }

  /** No more are dialled. Those that wait are still of use to the client proxy. */
  endSession(): void {
    this.#ready?.stop();
  }

  /** So many clients wait for a data connection. */
  wanted(count: number): void {
    this.#ready?.want(count);
  }

  /** Where the streams of a tunnel go from now on. */
  setTunnel(tunnel: ServerTunnel): void {
    this.#tunnels.set(tunnel.id, tunnel);
  }

  /** Its streams go on; new ones are reset. */
  removeTunnel(id: number): void {
    this.#tunnels.delete(id);
  }

  openStreams(id: number): number {
    return this.#open.get(id) ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ready?.stop();
    for (const socket of this.#sockets) reset(socket);
  }

  #serve({ carrier, name, already, onLeft }: GivenStream): void {
    const data = carrier.socket;
    const tunnel = this.#tunnels.get(name.tunnelId);
    if (!tunnel) {
      this.#fail(data, name, "", "there is no such tunnel any more");
      return;
    }
    // Where the client is gone before the server has answered, nobody waits for the answer.
    const giveUp = () => {
      server.destroy();
      over();
    };
    const over = this.#count(tunnel.id);
    const server = dial(
      tunnel,
      () => {
        data.off("close", giveUp);
        this.#options.onStreamOpened?.(tunnel.id);
        relay({
          local: server,
          carrier,
          already,
          onLeft: (how) => {
            over();
            onLeft(how);
          },
        });
      },
      (why) => this.#fail(data, name, tunnel.name, why),
    );
    data.on("close", giveUp);
    this.#track(server);
    server.once("close", over);
  }

  #fail(data: Socket, { tunnelId, streamId }: StreamName, name: string, message: string): void {
    reset(data);
    this.#warnings.warn({ tunnel: name, tunnelId, streamId: String(streamId), why: message }, "a stream failed");
    this.#options.onStreamFailed({ tunnelId, streamId, name, message });
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** To be called once for either part, its own connection and the one that carries it. */
  #count(id: number): () => void {
    this.#open.set(id, this.openStreams(id) + 1);
    let left = 2;
    return () => {
      if (--left > 0) return;
      const open = this.openStreams(id) - 1;
      if (open > 0) this.#open.set(id, open);
      else this.#open.delete(id);
    };
  }
}
