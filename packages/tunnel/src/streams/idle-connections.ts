/**
 * The client proxy's side of the pool: data connections that have proved themselves and wait for a client. The one that
 * was used last is used first, and none waits longer than a minute: so after a rush the pool becomes smaller by itself,
 * and the server proxy makes no more than it finds right. It has to begin here: were the server proxy to close one, it
 * might have been given to a client at that very moment.
 */
import type { Clock, Timer } from "@berg/kube/process";
import type { DataConnection } from "./data-connection.ts";

const longestMs = 60_000;

interface Idle {
  connection: DataConnection;
  since: number;
}

export class IdleConnections {
  readonly #clock: Clock;
  /** Who has waited longest comes first. */
  #idle: Idle[] = [];
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(connection: DataConnection): void {
    this.#idle.push({ connection, since: this.#clock.monotonic() });
    this.#timer ??= this.#clock.setTimer(longestMs, () => this.#dropOld());
  }

  /** It may have died just now. */
  take(): DataConnection | undefined {
    return this.#idle.pop()?.connection;
  }

  /** It is closed. */
  forget(connection: DataConnection): void {
    this.#idle = this.#idle.filter((idle) => idle.connection !== connection);
  }

  dropAll(): void {
    for (const { connection } of this.#idle.splice(0)) connection.carrier.socket.destroy();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #dropOld(): void {
    const now = this.#clock.monotonic();
    const isOld = ({ since }: Idle) => now - since >= longestMs;
    for (const { connection } of this.#idle.filter(isOld)) connection.carrier.socket.destroy();
    this.#idle = this.#idle.filter((idle) => !isOld(idle));
    const [oldest] = this.#idle;
    this.#timer = oldest && this.#clock.setTimer(oldest.since + longestMs - now, () => this.#dropOld());
  }
}
