/**
 * The streams of the client proxy. Clients come in by tunnels; each is given a data connection that the server proxy
 * has dialled before, and until the stream ends the two are one. Where none is ready, more are asked for and the client
 * waits.
 *
 *   tunnel-listener → (idle-connections, or waiting-clients until one is free) → relay
 */
import type { Socket } from "node:net";
import type { Clock, Logger } from "@berg/kube/process";
import { Arrivals } from "./arrivals.ts";
import { Carrier } from "./carrier.ts";
import type { ListeningTunnel, Session, TunnelPort, TunnelState } from "./contract.ts";
import type { DataConnection } from "./data-connection.ts";
import { mostStreams } from "./descriptors.ts";
import { IdleConnections } from "./idle-connections.ts";
import { printPiece } from "./pieces.ts";
import { type Connection, printHeader, StreamTokens } from "./preamble.ts";
import { relay } from "./relay.ts";
import { reset } from "./sockets.ts";
import { TunnelListener } from "./tunnel-listener.ts";
import { type Caller, WaitingClients } from "./waiting-clients.ts";

export interface ClientStreamsOptions {
  /** Of the management network: data connections come in here and nowhere else. */
  dataAddress: string;
  /** 0 is any that is free. */
  dataPort: number;
  /** Who may come to it at all: Linux takes what is for one network's address from any other network, too. */
  isInside(address: string): boolean;
  clock: Clock;
  log: Logger;
  /** Data connections that have not proved themselves yet; the oldest goes. */
  mostUnauthenticated?: number;
  /** How long a client waits for a data connection. */
  waitMs?: number;
}

export class ClientStreams implements AsyncDisposable {
  /** So many clients wait for a data connection beyond those that are on their way. */
  onConnectionsWanted: (count: number) => void = () => {};

  readonly #options: ClientStreamsOptions;
  readonly #arrivals: Arrivals;
  readonly #idle: IdleConnections;
  readonly #waiting: WaitingClients;
  readonly #tunnels = new Map<number, TunnelListener>();
  /** Of all streams: clients, and the data connections that carry them. */
  readonly #sockets = new Set<Socket>();
  readonly #most = mostStreams();
  #streams = 0;
  #lastStream = 0n;

  constructor(options: ClientStreamsOptions) {
    // A server proxy dials up to 256 at once, and they may all be accepted before the first is read.
    const { clock, log, waitMs = 30_000, mostUnauthenticated = 512 } = options;
    const isInside = (address: string) => options.isInside(address);
    this.#options = options;
    this.#idle = new IdleConnections(clock);
    this.#waiting = new WaitingClients({ clock, waitMs, ask: (count) => this.onConnectionsWanted(count) });
    const onConnection = (socket: Socket, connection: Connection) => this.#arrived(socket, connection);
    this.#arrivals = new Arrivals({ clock, log, most: mostUnauthenticated, isInside, onConnection });
  }

  /** From now on data connections can come. */
  async start(): Promise<{ dataPort: number }> {
    const { dataAddress, dataPort } = this.#options;
    return { dataPort: await this.#arrivals.start(dataAddress, dataPort) };
  }

  /** For a new control connection. What waits of an older one is dropped; streams go on. */
  useSession(session: Session): void {
    this.#arrivals.useSession(session);
    this.#idle.dropAll();
    this.#waiting.useSession();
  }

  /** The control connection is gone. What is ready may still be used; then clients wait for the next session. */
  endSession(): void {
    this.#waiting.endSession();
  }

  /** Once it is done, clients can come. Throws, in words for the tunnel's owner, where it cannot listen. */
  async open(tunnel: ListeningTunnel): Promise<TunnelPort> {
    const { id, name } = tunnel;
    if (this.#tunnels.has(id)) throw new Error(`cannot open tunnel ${name}: its id, ${id}, is in use`);
    const { clock, log, dataAddress } = this.#options;
    const listener = new TunnelListener(tunnel, {
      clock,
      log,
      hasRoom: () => this.#streams < this.#most,
      onClient: (client, listener) => {
        const caller: Caller = { client, listener, parts: 1 };
        this.#streams++;
        this.#sockets.add(client);
        client.on("close", () => this.#left(caller, client));
        // What it says first is mostly there already. One look at the network later it goes out with the header, in one
        // piece; a client that waits for the server to speak is not held up.
        setImmediate(() => setImmediate(() => this.#serve(caller)));
      },
    });
    this.#tunnels.set(id, listener);
    try {
      return await listener.listen(dataAddress);
    } catch (error) {
      this.#tunnels.delete(id);
      throw error;
    }
  }

  /** Nobody new comes in; who is there stays to the end. */
  close(id: number): void {
    const listener = this.#tunnels.get(id);
    if (!listener || listener.state.isEnding) return;
    listener.close();
    this.#forgetEnded(listener);
  }

  list(): TunnelState[] {
    return [...this.#tunnels.values()].map((listener) => listener.state);
  }

  /** Breaks off every stream, and every client that waits. */
  resetAll(): void {
    for (const socket of this.#sockets) reset(socket);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of this.#tunnels.keys()) this.close(id);
    this.resetAll();
    this.#idle.dropAll();
    await this.#arrivals.stop();
  }

  #arrived(socket: Socket, { session, number }: Connection): void {
    const heard = () => socket.destroy();
    const gone = () => this.#idle.forget(connection);
    const connection: DataConnection = {
      session,
      carrier: new Carrier(socket, { heard, gone }),
      tokens: new StreamTokens({ session, number }),
    };
    this.#waiting.arrived();
    this.#give(connection);
  }

  /** To whoever waits for it. */
  #give(connection: DataConnection): void {
    const caller = this.#waiting.take();
    if (!caller) this.#idle.add(connection);
    else if (!this.#join(caller, connection)) this.#serve(caller);
  }

  #serve(caller: Caller): void {
    if (caller.client.destroyed) return;
    let connection = this.#idle.take();
    while (connection && !this.#join(caller, connection)) connection = this.#idle.take();
    if (!connection) this.#waiting.add(caller);
  }

  /** Whether it could be done. */
  #join(caller: Caller, connection: DataConnection): boolean {
    const { carrier } = connection;
    const { socket } = carrier;
    const { client, listener } = caller;
    if (socket.destroyed) return false;
    const header = printHeader(connection.tokens, { tunnelId: listener.tunnel.id, streamId: ++this.#lastStream });
    // Where bytes have their price, none goes before it is paid for.
    const mayRead = client.readableLength > 0 && !listener.relayLimits.paces;
    const first: Buffer | null = mayRead ? client.read() : null;
    socket.write(first ? printPiece(first, header) : header);
    // The kernel knows already that it is dead, and has taken nothing: another one will do.
    if (socket.errored !== null) {
      if (first) client.unshift(first);
      return false;
    }
    caller.parts++;
    this.#sockets.add(socket);
    relay({
      local: client,
      carrier,
      limits: listener.relayLimits,
      onLeft: (how) => {
        this.#left(caller, socket);
        if (how === "broken") return;
        if (this.#arrivals.isPresent(connection.session)) this.#give(connection);
        else socket.destroy();
      },
    });
    return true;
  }

  /** A stream is over when both parts are: the client may be gone, and its last bytes still on their way. */
  #left(caller: Caller, socket: Socket): void {
    const { listener } = caller;
    this.#sockets.delete(socket);
    if (--caller.parts > 0) return;
    this.#streams--;
    listener.left();
    this.#forgetEnded(listener);
  }

  #forgetEnded({ tunnel, state }: TunnelListener): void {
    if (state.isEnding && state.open === 0) this.#tunnels.delete(tunnel.id);
  }
}
