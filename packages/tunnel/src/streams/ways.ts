/**
 * The two ways of a stream through a proxy: outwards, from its own connection (`local`) to the data connection, and
 * inwards. Neither fetches more than the other end takes.
 */
import type { Socket } from "node:net";
import { writePiece } from "./pieces.ts";

/** Fewer bytes may be part of a buffer that others use as well, and are soon forgotten. */
const worthFreeing = 4096;

export interface OutwardWay {
  /** The data connection takes more. */
  drained(): void;
  /** Whether it has bytes that a pace holds back. */
  readonly isHeldBack: boolean;
}

export interface InwardWay {
  give(bytes: Buffer): void;
  /** All that is the stream's in this buffer was given. */
  took(buffer: Buffer): void;
  /** After all that was given. */
  end(): void;
  readonly isHeldBack: boolean;
}

/** Of the data connection, as long as it carries this stream. */
export interface Flow {
  pause(): void;
  resume(): void;
}

export class OpenOutwardWay implements OutwardWay {
  readonly isHeldBack = false;
  readonly #local: Socket;

  constructor(local: Socket, data: Socket) {
    this.#local = local;
    local.on("data", (bytes) => {
      if (send(bytes, data)) local.pause();
    });
    local.resume();
  }

  drained(): void {
    this.#local.resume();
  }
}

export class OpenInwardWay implements InwardWay {
  readonly isHeldBack = false;
  readonly #local: Socket;
  readonly #flow: Flow;

  constructor(local: Socket, flow: Flow) {
    this.#local = local;
    this.#flow = flow;
    local.on("drain", () => flow.resume());
  }

  give(bytes: Buffer): void {
    // A buffer may hold several pieces: they go to the kernel together.
    if (this.#local.writableCorked === 0) this.#local.cork();
    this.#local.write(bytes);
  }

  took(buffer: Buffer): void {
    this.#local.uncork();
    if (this.#local.writableLength === 0) free(buffer);
    if (isFull(this.#local)) this.#flow.pause();
  }

  end(): void {
    this.#local.uncork();
    this.#local.end();
  }
}

/** Whether the data connection has to be waited for: its `drain` will come. */
export function send(bytes: Buffer, data: Socket): boolean {
  writePiece(data, bytes);
  if (data.writableLength === 0) free(bytes);
  return isFull(data);
}

/**
 * What `write` returns is no help, as it calls a connection full that has passed on all it got: every read of 64 KiB
 * would cost a pause.
 */
export function isFull(socket: Socket): boolean {
  return socket.writableLength >= socket.writableHighWaterMark;
}

/**
 * The kernel has taken them, and nobody else knows them. Left to the garbage collector they would make it look through
 * the whole heap after each 50 MB of a stream, which can cost more than the stream itself.
 */
function free(bytes: Buffer): void {
  const { buffer } = bytes;
  const isItsOwn = bytes.length >= worthFreeing && buffer.byteLength === bytes.length;
  if (isItsOwn && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
