/**
 * Clients for whom no data connection is ready. More are asked for, and whoever came first is served first. The bytes
 * that they send meanwhile stay with them, so one that goes away leaves nothing behind.
 */
import type { Socket } from "node:net";
import type { Clock, Timer } from "@berg/kube/process";
import type { TunnelListener } from "./tunnel-listener.ts";

/** A client, and by which tunnel it came. */
export interface Caller {
  readonly client: Socket;
  readonly listener: TunnelListener;
  /** What is left of the stream: its own connection, and the data connection that carries it. */
  parts: number;
}

/** Each holds 64 KiB of its client's bytes at most. */
const most = 1024;
const mostAhead = 64;

interface WaitingOptions {
  clock: Clock;
  waitMs: number;
  ask(count: number): void;
}

interface Waiting {
  caller: Caller;
  timer: Timer;
  onGone: () => void;
}

export class WaitingClients {
  readonly #options: WaitingOptions;
  readonly #waiting = new Set<Waiting>();
  /** Connections that were asked for and have not come. */
  #asked = 0;
  #hasSession = false;

  constructor(options: WaitingOptions) {
    this.#options = options;
  }

  add(caller: Caller): void {
    const { client, listener } = caller;
    if (this.#waiting.size >= most) {
      listener.refuse(client, `${most} clients wait already`);
      return;
    }
    const waiting: Waiting = {
      caller,
      timer: this.#options.clock.setTimer(this.#options.waitMs, () => {
        this.#forget(waiting);
        listener.refuse(client, "no data connection came in time");
      }),
      onGone: () => this.#forget(waiting),
    };
    this.#waiting.add(waiting);
    client.on("close", waiting.onGone);
    this.#ask();
  }

  /** A data connection has come that may have been asked for. */
  arrived(): void {
    this.#asked = Math.max(0, this.#asked - 1);
  }

  /** For a data connection that is free. */
  take(): Caller | undefined {
    for (const waiting of this.#waiting) {
      this.#forget(waiting);
      return waiting.caller;
    }
    return undefined;
  }

  /** What was asked for before may never come: all is asked for anew. */
  useSession(): void {
    this.#hasSession = true;
    this.#asked = 0;
    this.#ask();
  }

  endSession(): void {
    this.#hasSession = false;
  }

  #ask(): void {
    const missing = this.#waiting.size - this.#asked;
    if (!this.#hasSession || missing <= 0) return;
    // Where some wait already, more will: so a rush of a hundred asks a few times only.
    const count = Math.max(missing, Math.min(mostAhead, this.#asked));
    this.#asked += count;
    this.#options.ask(count);
  }

  #forget(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    waiting.timer.cancel();
    waiting.caller.client.off("close", waiting.onGone);
  }
}
