/**
 * A stream in one of the proxies: a connection of its own, to the client or to the server (`local`), and the data
 * connection that carries it. What comes from either goes to the other, no faster than it takes it. One side's end is the
 * end for the other side alone; the way back stays open, as `echo x | nc` and HTTP/1.0 need. A reset stays a reset, and
 * costs the data connection; after two ends that is free for another stream.
 *
 * By hand rather than with `pipe`, which ends nothing when a connection breaks and listens for more than is needed.
 */
import type { Socket } from "node:net";
import type { Carrier, Load } from "./carrier.ts";
import type { Pace } from "./pace.ts";
import { PacedInwardWay, PacedOutwardWay } from "./paced-ways.ts";
import { endOfWay } from "./pieces.ts";
import { ignoreError, reset } from "./sockets.ts";
import { type InwardWay, OpenInwardWay, OpenOutwardWay, type OutwardWay } from "./ways.ts";

export interface RelayLimits {
  /** 0 is never. */
  idleMs: number;
  paces: { outwards: Pace; inwards: Pace } | undefined;
}

/** How a stream leaves its data connection. */
export type Left = "free" | "broken";

export interface RelayOptions {
  local: Socket;
  carrier: Carrier;
  limits?: RelayLimits;
  /** What has come for it by the data connection. What has come by its own is put back (`unshift`). */
  already?: Buffer;
  /** Its own connection may still have to send what it holds. */
  onLeft(how: Left): void;
}

const nothing = Buffer.alloc(0);

export function relay(options: RelayOptions): void {
  const { local, carrier, limits, already = nothing } = options;
  const stream = new RelayedStream(options);
  endWhenIdle(local, limits?.idleMs ?? 0, () => stream.isHeldBack);
  carrier.carry(stream, already);
  stream.start();
}

class RelayedStream implements Load {
  readonly #options: RelayOptions;
  readonly #outwards: OutwardWay;
  readonly #inwards: InwardWay;
  #hasSentEnd = false;
  #hasHeardEnd = false;
  #hasLeft = false;

  constructor(options: RelayOptions) {
    const { local, carrier, limits } = options;
    const { socket } = carrier;
    const paces = limits?.paces;
    const flow = {
      pause: () => socket.pause(),
      // It may carry another one by then, which is not ours to wake.
      resume: () => {
        if (!this.#hasLeft) socket.resume();
      },
    };
    this.#options = options;
    local.on("error", ignoreError).on("close", () => this.#closed());
    this.#inwards = paces ? new PacedInwardWay(local, flow, paces.inwards) : new OpenInwardWay(local, flow);
    this.#outwards = paces ? new PacedOutwardWay(local, socket, paces.outwards) : new OpenOutwardWay(local, socket);
  }

  /** Once it is carried. */
  start(): void {
    const { local } = this.#options;
    // Where nothing came before it, an end does not wait for a listener.
    if (local.readableEnded) this.#sendEnd();
    else local.on("end", () => this.#sendEnd());
  }

  get isHeldBack(): boolean {
    return this.#inwards.isHeldBack || this.#outwards.isHeldBack;
  }

  give(bytes: Buffer): void {
    this.#inwards.give(bytes);
  }

  took(buffer: Buffer): void {
    this.#inwards.took(buffer);
  }

  ended(): void {
    this.#hasHeardEnd = true;
    this.#inwards.end();
    this.#leaveIfDone();
  }

  drained(): void {
    this.#outwards.drained();
  }

  broken(): void {
    this.#leave("broken");
    reset(this.#options.local);
  }

  #sendEnd(): void {
    this.#hasSentEnd = true;
    this.#options.carrier.socket.write(endOfWay);
    this.#leaveIfDone();
  }

  #leaveIfDone(): void {
    if (!this.#hasSentEnd || !this.#hasHeardEnd || this.#hasLeft) return;
    this.#options.carrier.release();
    this.#leave("free");
  }

  #closed(): void {
    // After an orderly end both ways it is free already, and may carry another one.
    if (!this.#hasLeft) reset(this.#options.carrier.socket);
  }

  #leave(how: Left): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#options.onLeft(how);
  }
}

/** All that comes or goes passes through it, so the other one need not be watched. */
function endWhenIdle(local: Socket, idleMs: number, isHeldBack: () => boolean): void {
  if (idleMs === 0) return;
  local.setTimeout(idleMs);
  local.on("timeout", () => {
    if (isHeldBack()) local.setTimeout(idleMs);
    else reset(local);
  });
}
