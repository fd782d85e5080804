/**
 * Who is connected to `/api/events`, and what is sent to whom. A slow client is cut off rather than buffered for: it
 * reconnects and reads everything anew.
 */
import type { WebSocket } from "ws";
import type { ServerMessage } from "../wire.ts";

/** Beyond this many unsent bytes a client does not read any more. */
const mostUnsentBytes = 1 << 20;
/** Tabs of one player. */
const mostPerPlayer = 20;

/** For whom a socket speaks. */
export interface Identity {
  readonly playerId: string;
  /** Receives what happens to the instances of all owners. */
  readonly isAdmin: boolean;
  /** Undefined: identified by an API key. */
  readonly sessionId?: string;
  /** When the session ends, in ms since 1970. Undefined: it does not end by itself. */
  readonly expiresAt?: number;
}

/** One socket. There are thousands, so it has no timers of its own: see heartbeat.ts. */
export interface Connection {
  readonly socket: WebSocket;
  /** Where it comes from. */
  readonly address: string;
  /** Undefined: anonymous. */
  identity: Identity | undefined;
  /** Whether something was received since the last ping. */
  isAlive: boolean;
}

export interface LiveHubOptions {
  /** Whether anonymous sockets receive what is sent to everybody. */
  allowsAnonymous?: () => boolean;
  /** Sockets from one address. */
  mostPerAddress?: number;
}

export class LiveHub {
  readonly #allowsAnonymous: () => boolean;
  readonly #mostPerAddress: number;
  readonly #connections = new Set<Connection>();
  readonly #ofPlayer = new Map<string, Set<Connection>>();
  readonly #admins = new Set<Connection>();
  readonly #atAddress = new Map<string, number>();
  /** What each player was sent last of the own instance: a change that players cannot see sends nothing. */
  readonly #lastInstance = new Map<string, string>();
  #revocations = 0;

  constructor({ allowsAnonymous = () => true, mostPerAddress = Number.POSITIVE_INFINITY }: LiveHubOptions = {}) {
    this.#allowsAnonymous = allowsAnonymous;
    this.#mostPerAddress = mostPerAddress;
  }

  get size(): number {
    return this.#connections.size;
  }

  get connections(): Iterable<Connection> {
    return this.#connections;
  }

  /** Grows with each `disconnect`: what was read of a session before it grew may not be true any more. */
  get revocations(): number {
    return this.#revocations;
  }

  hasRoom(address: string): boolean {
    return (this.#atAddress.get(address) ?? 0) < this.#mostPerAddress;
  }

  add(socket: WebSocket, address: string): Connection {
    const connection: Connection = { socket, address, identity: undefined, isAlive: true };
    this.#connections.add(connection);
    this.#atAddress.set(address, (this.#atAddress.get(address) ?? 0) + 1);
    socket.once("close", () => this.#remove(connection));
    return connection;
  }

  /** Undefined: the connection becomes anonymous. */
  identify(connection: Connection, identity: Identity | undefined): void {
    this.#dropIdentity(connection);
    if (!identity || !this.#connections.has(connection)) return;
    connection.identity = identity;
    if (identity.isAdmin) this.#admins.add(connection);
    const own = this.#ofPlayer.get(identity.playerId) ?? new Set();
    this.#ofPlayer.set(identity.playerId, own.add(connection));
    const [oldest] = own;
    if (own.size <= mostPerPlayer || !oldest) return;
    this.#dropIdentity(oldest);
    oldest.socket.terminate();
  }

  isConnected(playerId: string): boolean {
    return this.#ofPlayer.has(playerId);
  }

  /** To every tab of one player. An instance that looks as it did is not sent again. */
  sendInstance(playerId: string, message: Extract<ServerMessage, { type: "instance" }>): void {
    const text = JSON.stringify(message);
    if (this.#lastInstance.get(playerId) === text) return;
    this.#lastInstance.set(playerId, text);
    for (const connection of this.#ofPlayer.get(playerId) ?? []) send(connection, text);
  }

  get hasAdmins(): boolean {
    return this.#admins.size > 0;
  }

  /** To admins other than the owner, who gets a message of the own. */
  sendToAdmins(message: ServerMessage, ownerId: string): void {
    const text = JSON.stringify(message);
    for (const connection of this.#admins) if (connection.identity?.playerId !== ownerId) send(connection, text);
  }

  /** To everybody who may read: only to identified sockets, where anonymous reading is not allowed. */
  broadcast(message: ServerMessage): void {
    const text = JSON.stringify(message);
    const toAll = this.#allowsAnonymous();
    for (const connection of this.#connections) {
      if (toAll || connection.identity) send(connection, text);
    }
  }

  /**
   * Closes the sockets of a player whose session, key or role has ended, or those that match. The pages reconnect with
   * the session that they have then.
   */
  disconnect(playerId: string, matches: (identity: Identity) => boolean = () => true): void {
    this.#revocations++;
    for (const connection of [...(this.#ofPlayer.get(playerId) ?? [])]) {
      if (!connection.identity || !matches(connection.identity)) continue;
      // At once, as the close handshake takes as long as the client likes.
      this.#dropIdentity(connection);
      connection.socket.close(1008, "signed out");
    }
  }

  /** Drops connections without a close handshake: clients of the original do not reconnect after a clean close. */
  stop(): void {
    for (const { socket } of this.#connections) socket.terminate();
  }

  #dropIdentity(connection: Connection): void {
    const { identity } = connection;
    connection.identity = undefined;
    this.#admins.delete(connection);
    if (!identity) return;
    const own = this.#ofPlayer.get(identity.playerId);
    own?.delete(connection);
    if (own?.size !== 0) return;
    this.#ofPlayer.delete(identity.playerId);
    this.#lastInstance.delete(identity.playerId);
  }

  #remove(connection: Connection): void {
    this.#dropIdentity(connection);
    this.#connections.delete(connection);
    const left = (this.#atAddress.get(connection.address) ?? 1) - 1;
    if (left > 0) this.#atAddress.set(connection.address, left);
    else this.#atAddress.delete(connection.address);
  }
}

function send({ socket }: Connection, text: string): void {
  if (socket.bufferedAmount > mostUnsentBytes) socket.terminate();
  else socket.send(text);
}
