/**
 * One timer for all sockets: finds those that are dead, and ends identities whose session has expired. Each second one
 * slot of the wheel is pinged, so that thousands of pings do not leave in the same moment.
 */
import type { Clock, Timer } from "@berg/kube";
import type { Connection, LiveHub } from "./live-hub.ts";

const tickMs = 1_000;
/** Longer than that without an answer, and a connection is dead; the network itself would notice after a quarter of an hour. */
const slotCount = 30;

export class Heartbeat {
  readonly #clock: Clock;
  readonly #hub: LiveHub;
  readonly #onExpired: (connection: Connection) => void;
  readonly #slots: readonly Set<Connection>[] = Array.from({ length: slotCount }, () => new Set<Connection>());
  #ticks = 0;
  #added = 0;
  #timer: Timer | undefined;

  /** `onExpired` is called once the identity of a connection is dropped. */
  constructor(clock: Clock, hub: LiveHub, onExpired: (connection: Connection) => void) {
    this.#clock = clock;
    this.#hub = hub;
    this.#onExpired = onExpired;
  }

  add(connection: Connection): void {
    const slot = this.#slots[this.#added++ % slotCount];
    slot?.add(connection);
    connection.socket.once("close", () => slot?.delete(connection));
    this.#timer ??= this.#clock.setTimer(tickMs, () => this.#tick());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #tick(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (const connection of this.#hub.connections) {
      const { identity } = connection;
      if (identity?.expiresAt === undefined || identity.expiresAt > now) continue;
      this.#hub.identify(connection, undefined);
      this.#onExpired(connection);
    }
    for (const connection of this.#slots[this.#ticks++ % slotCount] ?? []) beat(connection);
    // Without sockets it rests, until one is added.
    if (this.#hub.size > 0) this.#timer = this.#clock.setTimer(tickMs, () => this.#tick());
  }
}

function beat(connection: Connection): void {
  if (!connection.isAlive) {
    connection.socket.terminate();
    return;
  }
  connection.isAlive = false;
  connection.socket.ping();
}
