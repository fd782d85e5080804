/**
 * The client proxy's side of the pool: data connections that have proved themselves and wait for a client. The oldest
 * is used first, and none waits longer than a minute. The server proxy makes new ones up to the number that it finds
 * right, so that is also how the pool becomes smaller after a rush. It has to begin here: were the server proxy to
 * close one, it might have been given to a client at that very moment.
 */
import type { Clock, Timer } from "@berg/kube/process";
import type { DataConnection } from "./arrivals.ts";

const longestMs = 60_000;

interface Idle {
  connection: DataConnection;
  timer: Timer;
  /** It says something, or ends, or breaks: it is of no use. */
  onGone: () => void;
}

export class IdleConnections {
  readonly #clock: Clock;
  readonly #idle = new Set<Idle>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(connection: DataConnection): void {
    const { socket } = connection;
    const idle: Idle = {
      connection,
      timer: this.#clock.setTimer(longestMs, () => this.#drop(idle)),
      onGone: () => this.#drop(idle),
    };
    this.#idle.add(idle);
    socket.on("data", idle.onGone).on("end", idle.onGone).on("close", idle.onGone);
  }

  /** The oldest. It may have died just now. */
  take(): DataConnection | undefined {
    for (const idle of this.#idle) {
      this.#forget(idle);
      return idle.connection;
    }
    return undefined;
  }

  dropAll(): void {
    for (const idle of this.#idle) this.#drop(idle);
  }

  #drop(idle: Idle): void {
    this.#forget(idle);
    idle.connection.socket.destroy();
  }

  #forget(idle: Idle): void {
    const { timer, onGone, connection } = idle;
    this.#idle.delete(idle);
    timer.cancel();
    const { socket } = connection;
    socket.off("data", onGone).off("end", onGone).off("close", onGone);
  }
}
