/**
 * The live connection: a WebSocket. The player's instance comes as it is and goes into the query cache. Of public changes a
 * tick says what to read again, and after a reconnect, what changed meanwhile. While the socket is closed, the queries are
 * repeated every few seconds, so that the pages stay right without it.
 */
import type { CurrentPlayer, ServerMessage, Tick } from "@berg/api/wire";
import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { type Clock, systemClock } from "../clock.ts";
import { reportLive } from "./connection.ts";
import { keys } from "./queries.ts";

const pingEveryMs = 15_000;
const pollEveryMs = 5_000;
const shortestBackoffMs = 1_000;
const longestBackoffMs = 15_000;
/** Organisers hear of every instance: their list is read again once in this time, however many change. */
const refreshAdminEveryMs = 2_000;
/** All pages hear of a change in the same moment, and read it again within this time. */
const spreadReadsMs = 1_000;

/** What ticks say nothing about. */
const privateKeys: readonly QueryKey[] = [keys.player, keys.instance, keys.timeline, keys.sessions, keys.admin];
/** What the rules of the competition decide. */
const ruleKeys: readonly QueryKey[] = [keys.metadata, keys.signInOptions, keys.challenges, ["challenge"], keys.pages];

/** The part of WebSocket that is used; tests pass their own. */
export type Socket = Pick<WebSocket, "send" | "close" | "onopen" | "onmessage" | "onclose">;

export interface LiveOptions {
  queries: QueryClient;
  openSocket?: () => Socket;
  clock?: Clock;
}

export class LiveConnection {
  readonly #queries: QueryClient;
  readonly #openSocket: () => Socket;
  readonly #clock: Clock;
  #socket: Socket | undefined;
  #failures = 0;
  #wasOpen = false;
  #pings = 0;
  #heardSincePing = true;
  #cancelTimer = () => {};
  /** Defined while the queries are repeated. */
  #cancelPoll: (() => void) | undefined;
  /** Defined while a refresh of what organisers see is due. */
  #cancelAdminRefresh: (() => void) | undefined;
  /** The version of the public changes that were heard of. */
  #version: string | null = null;
  /** Queries that are read again soon. */
  readonly #stale = new Map<string, QueryKey>();
  #cancelReads: (() => void) | undefined;

  constructor({ queries, openSocket = openEventSocket, clock = systemClock }: LiveOptions) {
    this.#queries = queries;
    this.#openSocket = openSocket;
    this.#clock = clock;
  }

  start(): void {
    this.#schedulePoll();
    this.#connect();
  }

  stop(): void {
    this.#cancelTimer();
    this.#stopPolling();
    this.#cancelAdminRefresh?.();
    this.#cancelReads?.();
    this.#dropSocket();
  }

  /** Opens a new socket now: the server reads the session only when it is opened. */
  reconnect(): void {
    this.#cancelTimer();
    this.#dropSocket();
    this.#failures = 0;
    this.#connect();
  }

  #connect(): void {
    const socket = this.#openSocket();
    this.#socket = socket;
    socket.onopen = () => this.#onOpen();
    socket.onmessage = ({ data }) => {
      this.#heardSincePing = true;
      const message = parse(data);
      if (!message) return;
      void applyMessage(this.#queries, message);
      if (message.type === "instance") this.#scheduleAdminRefresh();
      if (message.type === "tick") this.#onTick(message.message);
    };
    socket.onclose = () => this.#onClose();
  }

  #onOpen(): void {
    this.#failures = 0;
    this.#heardSincePing = true;
    this.#stopPolling();
    reportLive(true);
    this.#socket?.send(JSON.stringify({ type: "subscribe", message: { since: this.#version } }));
    // The answer says which public documents have changed; of the others, any may have.
    for (const queryKey of this.#wasOpen ? privateKeys : [keys.instance]) {
      void this.#queries.invalidateQueries({ queryKey });
    }
    this.#wasOpen = true;
    this.#schedulePing();
  }

  #onClose(): void {
    this.#cancelTimer();
    this.#dropSocket();
    reportLive(false);
    // A try that failed must not put the next poll off.
    if (!this.#cancelPoll) this.#schedulePoll();
    const backoff = Math.min(shortestBackoffMs * 2 ** this.#failures++, longestBackoffMs);
    this.#cancelTimer = this.#clock.setTimer(backoff * (0.5 + this.#clock.random() / 2), () => this.#connect());
  }

  /** A connection that is dead without being closed (sleep, another network) is found by its silence. */
  #schedulePing(): void {
    this.#cancelTimer = this.#clock.setTimer(pingEveryMs, () => {
      if (!this.#heardSincePing) return this.#onClose();
      this.#heardSincePing = false;
      this.#socket?.send(JSON.stringify({ type: "ping", message: ++this.#pings }));
      this.#schedulePing();
    });
  }

  /** Goes on until the socket is open. Spread by chance, as the sockets of all players close in the same moment. */
  #schedulePoll(): void {
    this.#cancelPoll?.();
    this.#cancelPoll = this.#clock.setTimer(pollEveryMs * (0.75 + this.#clock.random() / 2), () => {
      void this.#queries.invalidateQueries({}, { cancelRefetch: false });
      this.#schedulePoll();
    });
  }

  #onTick({ version, reload, changes }: Tick): void {
    this.#version = version;
    const player = this.#queries.getQueryData<CurrentPlayer | null>(keys.player);
    // An empty key matches all queries.
    if (reload) this.#readAgain([]);
    for (const { type, id } of changes) {
      if (type === "metadata") this.#readAgain(...ruleKeys);
      else if (type === "challenge") this.#readAgain(keys.challenges, keys.challenge(id ?? ""));
      else if (type === "page") this.#readAgain(keys.pages);
      else if (type === "player" && player?.id === id) this.#readAgain(keys.player);
    }
  }

  #readAgain(...queryKeys: QueryKey[]): void {
    for (const queryKey of queryKeys) this.#stale.set(JSON.stringify(queryKey), queryKey);
    this.#cancelReads ??= this.#clock.setTimer(this.#clock.random() * spreadReadsMs, () => {
      this.#cancelReads = undefined;
      const stale = [...this.#stale.values()];
      this.#stale.clear();
      for (const queryKey of stale) void this.#queries.invalidateQueries({ queryKey });
    });
  }

  #scheduleAdminRefresh(): void {
    this.#cancelAdminRefresh ??= this.#clock.setTimer(refreshAdminEveryMs, () => {
      this.#cancelAdminRefresh = undefined;
      void this.#queries.invalidateQueries({ queryKey: keys.admin });
    });
  }

  #stopPolling(): void {
    this.#cancelPoll?.();
    this.#cancelPoll = undefined;
  }

  #dropSocket(): void {
    const socket = this.#socket;
    if (!socket) return;
    this.#socket = undefined;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }
}

/** Writes a message to this player into the cache. */
export async function applyMessage(queries: QueryClient, message: ServerMessage): Promise<void> {
  switch (message.type) {
    case "instance": {
      // Organisers are sent the instances of others, too.
      const player = queries.getQueryData<CurrentPlayer | null>(keys.player);
      const { playerId } = message.message;
      if (playerId !== null && player && playerId !== player.id) return;
      // An answer that left the server before this message must not overwrite it.
      await queries.cancelQueries({ queryKey: keys.instance });
      queries.setQueryData(keys.instance, message.message);
      await queries.invalidateQueries({ queryKey: keys.timeline });
      return;
    }
    case "current-player": {
      const player = queries.getQueryData<CurrentPlayer | null>(keys.player);
      if (player === undefined || (player?.id ?? null) === message.message) return;
      await queries.invalidateQueries({ queryKey: keys.player });
      await queries.invalidateQueries({ queryKey: keys.instance });
      return;
    }
  }
}

function parse(data: unknown): ServerMessage | undefined {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}

function openEventSocket(): Socket {
  const url = new URL("/api/events", location.href);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  return new WebSocket(url);
}
