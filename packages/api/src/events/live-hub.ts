/**
 * The sockets of `/api/events`, and what is sent to each. Messages about one owner's instance are sent at once. Public
 * changes are sent once a second: as a tick to sockets that subscribed, as the original's messages to the others. A slow
 * client is disconnected rather than buffered for: it reconnects and catches up.
 */
import type { Clock, Timer } from "@berg/kube";
import type { WebSocket } from "ws";
import type { BoardTick, PublicMessage, ServerMessage, SolveMessage } from "../wire.ts";
import { type Audience, PublicChanges } from "./public-changes.ts";

/** Beyond this many unsent bytes a client does not read any more. */
const mostUnsentBytes = 1 << 20;
/** Tabs of one player. */
const mostPerPlayer = 20;
/** Between two messages with public changes. */
const flushEveryMs = 1_000;

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
  /** The client's, also behind a trusted proxy. */
  readonly address: string;
  /** Undefined: anonymous. */
  identity: Identity | undefined;
  /** Whether something was received since the last ping. */
  isAlive: boolean;
  /** The version of the public changes that the client has. Undefined: it did not subscribe. */
  since: string | undefined;
  /** The last message about the scoreboard that it was sent. */
  board: string | undefined;
  /** Grows with each connection. */
  readonly number: number;
}

/** Who may hear of the scoreboard, beside admins. */
export type BoardAudience = "public" | "players" | "hidden";

interface WaitingSolve {
  readonly text: string;
  /** For sockets that were open by then: others have read it from the list of solves. */
  readonly lastNumber: number;
  readonly isFor: (identity: Identity | undefined) => boolean;
}

export interface LiveHubOptions {
  clock: Clock;
  /** Whether anonymous sockets receive what is sent to everybody. */
  allowsAnonymous?: () => boolean;
  boardAudience?: () => BoardAudience;
  /** Sockets from one address. */
  mostPerAddress?: number;
}

export class LiveHub {
  readonly #allowsAnonymous: () => boolean;
  readonly #boardAudience: () => BoardAudience;
  readonly #mostPerAddress: number;
  readonly #connections = new Set<Connection>();
  readonly #ofPlayer = new Map<string, Set<Connection>>();
  readonly #admins = new Set<Connection>();
  readonly #atAddress = new Map<string, number>();
  /** What each player was sent last of the own instance: a change that players cannot see sends nothing. */
  readonly #lastInstance = new Map<string, string>();
  readonly #clock: Clock;
  readonly #changes: PublicChanges;
  /** The number of the last change that was sent. */
  #flushed = 0;
  /** Defined while changes wait. */
  #flushTimer: Timer | undefined;
  #revocations = 0;
  #opened = 0;
  #solves: WaitingSolve[] = [];
  /** The messages about the scoreboard as it is now. */
  #board: { all: string; admins: string } | undefined;

  constructor({
    clock,
    allowsAnonymous = () => true,
    boardAudience = () => "public",
    mostPerAddress = Number.POSITIVE_INFINITY,
  }: LiveHubOptions) {
    this.#clock = clock;
    this.#boardAudience = boardAudience;
    this.#changes = new PublicChanges(clock);
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
    const number = ++this.#opened;
    const connection: Connection = {
      ...{ socket, address, number, isAlive: true },
      ...{ identity: undefined, since: undefined, board: undefined },
    };
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
    // It may read more than before.
    if (connection.since !== undefined) this.#scheduleFlush();
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

  /**
   * To everybody who may read, within a second: only to identified sockets, where anonymous reading is not allowed. Of
   * several messages about one object, the last one is sent.
   */
  broadcast(message: PublicMessage, audience: Audience = "all"): void {
    if (this.#changes.record(message, audience)) this.#scheduleFlush();
  }

  /**
   * To every socket that is open now and that `isFor` accepts, within a second, once: clients count each solve that they
   * receive, so it is not in the log of changes, from which others catch up.
   */
  sendSolve(message: SolveMessage, isFor: (identity: Identity | undefined) => boolean): void {
    this.#solves.push({ text: JSON.stringify(message), lastNumber: this.#opened, isFor });
    this.#scheduleFlush();
  }

  /** Whether a socket may hear of the scoreboard. */
  mayReadBoard(identity: Identity | undefined): boolean {
    const audience = this.#boardAudience();
    return identity?.isAdmin === true || audience === "public" || (audience === "players" && identity !== undefined);
  }

  /** Subscribed sockets hear of it within a second, if it is another version than they know. */
  setBoard({ version, full }: Required<BoardTick>): void {
    const text = (message: BoardTick) => JSON.stringify({ type: "scoreboard", message });
    this.#board = { all: text({ version }), admins: text({ version, full }) };
    if (this.#connections.values().some(({ since }) => since !== undefined)) this.#scheduleFlush();
  }

  /** From now on the connection gets ticks. `since` is the version that the client has; null: what it read just now. */
  subscribe(connection: Connection, since: string | null): void {
    const isFirst = connection.since === undefined;
    connection.since = since ?? this.#changes.recentVersion();
    // A client that subscribes again and again gets one tick a second, too.
    if (!isFirst) this.#scheduleFlush();
    else if (this.#mayRead(connection)) {
      this.#sendTick(connection, this.#tickText(connection, { isAnswer: true }));
      // The document that the client has read may be older.
      this.#sendBoard(connection);
    }
  }

  /** After changes may have been missed: subscribed clients reload with the next change. */
  restartChanges(): void {
    this.#changes.restart();
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
    this.#flushTimer?.cancel();
    this.#flushTimer = undefined;
    for (const { socket } of this.#connections) socket.terminate();
  }

  #mayRead({ identity }: Connection): boolean {
    return identity !== undefined || this.#allowsAnonymous();
  }

  #scheduleFlush(): void {
    this.#flushTimer ??= this.#clock.setTimer(flushEveryMs, () => {
      this.#flushTimer = undefined;
      this.#flush();
    });
  }

  #flush(): void {
    const changes = this.#changes.after(this.#flushed);
    this.#flushed = this.#changes.last;
    const solves = this.#solves.splice(0);
    // Nearly all have the same version.
    const ticks = new Map<string, string | undefined>();
    for (const connection of this.#connections) {
      if (!this.#mayRead(connection)) continue;
      const isAdmin = connection.identity?.isAdmin ?? false;
      const heard = solves.filter(
        ({ lastNumber, isFor }) => connection.number <= lastNumber && isFor(connection.identity),
      );
      sendAll(
        connection,
        heard.map(({ text }) => text),
      );
      if (connection.since !== undefined) {
        this.#sendBoard(connection);
        const key = `${isAdmin} ${connection.since}`;
        if (!ticks.has(key)) ticks.set(key, this.#tickText(connection));
        this.#sendTick(connection, ticks.get(key));
        continue;
      }
      sendAll(
        connection,
        changes.filter(({ audience }) => isAdmin || audience === "all").map(({ text }) => text),
      );
    }
  }

  /** Undefined where the client knows everything; as an answer it says so. */
  #tickText({ since = "", identity }: Connection, { isAnswer = false } = {}): string | undefined {
    const message = this.#changes.since(since, identity?.isAdmin ?? false);
    if (message) return JSON.stringify({ type: "tick", message });
    const { version } = this.#changes;
    return isAnswer ? JSON.stringify({ type: "tick", message: { version, reload: false, changes: [] } }) : undefined;
  }

  #sendBoard(connection: Connection): void {
    const { identity, board } = connection;
    const text = identity?.isAdmin ? this.#board?.admins : this.#board?.all;
    if (text === undefined || text === board || !this.mayReadBoard(identity)) return;
    connection.board = text;
    send(connection, text);
  }

  #sendTick(connection: Connection, text: string | undefined): void {
    if (text === undefined) return;
    connection.since = this.#changes.version;
    send(connection, text);
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

function send(connection: Connection, text: string): void {
  sendAll(connection, [text]);
}

/** One flush may be longer than what may stay unsent: only what was there before it tells whether the client reads. */
function sendAll({ socket }: Connection, texts: readonly string[]): void {
  if (socket.bufferedAmount > mostUnsentBytes) {
    socket.terminate();
    return;
  }
  for (const text of texts) socket.send(text);
}
