/**
 * A data connection for the whole of its life: it carries one stream after the other, never two at once. To dial, prove
 * and close one costs both proxies more than a short stream does, so only what breaks off takes its connection with it.
 *
 * It is free again once both ways of its stream have ended. The server proxy says nothing before the next header, so
 * what comes after the end is that header, or a mistake.
 */
import type { Socket } from "node:net";
import { PieceReader } from "./pieces.ts";
import { ignoreError, reset } from "./sockets.ts";

/** Between two streams. */
export interface Between {
  /** It says something. */
  heard(bytes: Buffer): void;
  /** It is closed. */
  gone(): void;
}

/** A stream, while it is carried. */
export interface Load {
  /** Some of its bytes. They belong to a buffer that `took` may free. */
  give(bytes: Buffer): void;
  /** All bytes of this buffer were given. */
  took(buffer: Buffer): void;
  /** Nothing more comes this way. */
  ended(): void;
  /** The connection takes more. */
  drained(): void;
  /** The connection is gone, and the stream with it. */
  broken(): void;
}

export class Carrier {
  readonly socket: Socket;
  readonly #between: Between;
  readonly #pieces = new PieceReader();
  #load: Load | undefined;
  readonly #give = (bytes: Buffer) => this.#load?.give(bytes);

  constructor(socket: Socket, between: Between) {
    this.socket = socket;
    this.#between = between;
    socket
      .on("error", ignoreError)
      .on("data", (bytes) => this.#heard(bytes))
      .on("drain", () => this.#load?.drained())
      // Who means to go on ends a stream, not the connection: nobody is there any more.
      .on("end", () => socket.destroy())
      .on("close", () => (this.#load ? this.#load.broken() : this.#between.gone()));
  }

  /** From now on it carries this one. `already` has come for it. */
  carry(load: Load, already: Buffer): void {
    this.#load = load;
    if (already.length > 0) this.#heard(already);
    if (this.#load === load) this.socket.resume();
  }

  /** Both ways of its stream have ended. */
  release(): void {
    this.#load = undefined;
    this.socket.resume();
  }

  #heard(bytes: Buffer): void {
    const load = this.#load;
    if (!load) {
      this.#between.heard(bytes);
      return;
    }
    const end = this.#pieces.read(bytes, this.#give);
    if (end === undefined) {
      load.took(bytes);
      return;
    }
    load.ended();
    if (end === bytes.length) return;
    if (this.#load) reset(this.socket);
    else this.#between.heard(bytes.subarray(end));
  }
}
