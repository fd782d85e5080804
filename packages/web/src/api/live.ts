/**
 * The live connection: a WebSocket whose messages go into the query cache. While it is closed, the queries are repeated
 * every few seconds, so that the pages stay right without it.
 */
import type { Challenge, CurrentPlayer, Page, ServerMessage } from "@berg/api/wire";
import type { QueryClient } from "@tanstack/react-query";
import { type Clock, systemClock } from "../clock.ts";
import { reportLive } from "./connection.ts";
import { keys, withClockOffset } from "./queries.ts";

const pingEveryMs = 15_000;
const pollEveryMs = 5_000;
const shortestBackoffMs = 1_000;
const longestBackoffMs = 15_000;
/** Organisers hear of every instance: their list is read again once in this time, however many change. */
const refreshAdminEveryMs = 2_000;

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
      void applyMessage(this.#queries, message, this.#clock);
      if (message.type === "instance") this.#scheduleAdminRefresh();
    };
    socket.onclose = () => this.#onClose();
  }

  #onOpen(): void {
    this.#failures = 0;
    this.#heardSincePing = true;
    this.#stopPolling();
    reportLive(true);
    // What changed before the first opening may have been read already; afterwards anything may have been missed.
    void this.#queries.invalidateQueries(this.#wasOpen ? {} : { queryKey: keys.instance });
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

/** Writes one message into the cache. */
export async function applyMessage(queries: QueryClient, message: ServerMessage, clock: Clock): Promise<void> {
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
    case "challenge":
      queries.setQueryData(keys.challenge(message.message.name), message.message);
      queries.setQueryData<Challenge[]>(keys.challenges, (list) => list && withChallenge(list, message.message));
      return;
    case "challenge-delete":
      queries.setQueryData<Challenge[]>(keys.challenges, (list) =>
        list?.filter(({ name }) => name !== message.message),
      );
      await queries.invalidateQueries({ queryKey: keys.challenge(message.message) });
      return;
    case "metadata":
      queries.setQueryData(keys.metadata, withClockOffset(message.message, clock.now()));
      return;
    case "current-player": {
      const player = queries.getQueryData<CurrentPlayer | null>(keys.player);
      if (player === undefined || (player?.id ?? null) === message.message) return;
      await queries.invalidateQueries({ queryKey: keys.player });
      await queries.invalidateQueries({ queryKey: keys.instance });
      return;
    }
    case "page":
      queries.setQueryData<Page[]>(keys.pages, (list) => list && withPage(list, message.message));
      return;
    case "page-delete":
      queries.setQueryData<Page[]>(keys.pages, (list) => list?.filter(({ path }) => path !== message.message));
      return;
    case "player":
    case "player-delete": {
      const id = typeof message.message === "string" ? message.message : message.message.id;
      const player = queries.getQueryData<CurrentPlayer | null>(keys.player);
      if (player?.id === id) await queries.invalidateQueries({ queryKey: keys.player });
      return;
    }
    case "pong":
    case "error":
      return;
  }
}

function withChallenge(list: Challenge[], changed: Challenge): Challenge[] {
  const isKnown = list.some(({ name }) => name === changed.name);
  return isKnown
    ? list.map((challenge) => (challenge.name === changed.name ? changed : challenge))
    : [...list, changed];
}

function withPage(list: Page[], changed: Page): Page[] {
  return [...list.filter(({ path }) => path !== changed.path), changed];
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
