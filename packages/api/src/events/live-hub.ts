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

interface Connected {
  playerId: string | undefined;
}

export class LiveHub {
  readonly #sockets = new Map<WebSocket, Connected>();
  readonly #ofPlayer = new Map<string, Set<WebSocket>>();
  /** What each player was sent last of the own instance: a change that players cannot see sends nothing. */
  readonly #lastInstance = new Map<string, string>();

  get size(): number {
    return this.#sockets.size;
  }

  add(socket: WebSocket, playerId: string | undefined): void {
    this.#sockets.set(socket, { playerId });
    socket.on("close", () => this.#remove(socket));
    if (playerId === undefined) return;
    const own = this.#ofPlayer.get(playerId) ?? new Set();
    this.#ofPlayer.set(playerId, own.add(socket));
    const [oldest] = own;
    if (own.size <= mostPerPlayer || !oldest) return;
    this.#remove(oldest);
    oldest.terminate();
  }

  isConnected(playerId: string): boolean {
    return this.#ofPlayer.has(playerId);
  }

  /** To every tab of one player. An instance that looks as it did is not sent again. */
  sendInstance(playerId: string, message: Extract<ServerMessage, { type: "instance" }>): void {
    const text = JSON.stringify(message);
    if (this.#lastInstance.get(playerId) === text) return;
    this.#lastInstance.set(playerId, text);
    for (const socket of this.#ofPlayer.get(playerId) ?? []) send(socket, text);
  }

  get hasAdmins(): boolean {
    return false;
  }

  sendToAdmins(_message: ServerMessage, _except: string): void {}

  /** To everybody. */
  broadcast(message: ServerMessage): void {
    const text = JSON.stringify(message);
    for (const socket of this.#sockets.keys()) send(socket, text);
  }

  /** Closes the sockets of a player who signs out. The pages reconnect with the session that they have then. */
  disconnect(playerId: string): void {
    for (const socket of this.#ofPlayer.get(playerId) ?? []) socket.close(1008, "signed out");
  }

  /** Drops connections without a close handshake: clients of the original do not reconnect after a clean close. */
  stop(): void {
    for (const socket of this.#sockets.keys()) socket.terminate();
  }

  #remove(socket: WebSocket): void {
    const playerId = this.#sockets.get(socket)?.playerId;
    this.#sockets.delete(socket);
    if (playerId === undefined) return;
    const own = this.#ofPlayer.get(playerId);
    own?.delete(socket);
    if (own?.size !== 0) return;
    this.#ofPlayer.delete(playerId);
    this.#lastInstance.delete(playerId);
  }
}

function send(socket: WebSocket, text: string): void {
  if (socket.bufferedAmount > mostUnsentBytes) socket.terminate();
  else socket.send(text);
}
