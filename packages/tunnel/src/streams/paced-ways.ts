/**
 * The two ways of a stream where bytes have their price. They are fetched before they may go on, a read or two of them:
 * only who has some stands in line, so that a silent stream is in nobody's way, and an end or a reset behind them is seen.
 */
import type { Socket } from "node:net";
import type { Pace } from "./pace.ts";
import { type Flow, type InwardWay, isFull, type OutwardWay, send } from "./ways.ts";

export class PacedOutwardWay implements OutwardWay {
  readonly #local: Socket;
  readonly #data: Socket;
  readonly #pace: Pace;
  #isFull = false;

  constructor(local: Socket, data: Socket, pace: Pace) {
    this.#local = local;
    this.#data = data;
    this.#pace = pace;
    local.on("readable", () => this.#goOn());
    local.on("close", () => pace.leave(this.#turn));
  }

  get isHeldBack(): boolean {
    return this.#pace.isInLine(this.#turn);
  }

  drained(): void {
    this.#isFull = false;
    this.#goOn();
  }

  #goOn(): void {
    // Fetches more, or lets the end come.
    if (this.#local.readableLength === 0) this.#local.read(0);
    else if (!this.#isFull) this.#pace.queue(this.#turn);
  }

  readonly #turn = (most: number): number => {
    const bytes: Buffer | null = this.#local.read(Math.min(most, this.#local.readableLength));
    if (!bytes) return 0;
    // Once sent they may be gone.
    const { length } = bytes;
    this.#isFull = send(bytes, this.#data);
    isNotIdle(this.#local);
    this.#goOn();
    return length;
  };
}

export class PacedInwardWay implements InwardWay {
  readonly #local: Socket;
  readonly #flow: Flow;
  readonly #pace: Pace;
  #held: Buffer[] = [];
  #hasEnd = false;

  constructor(local: Socket, flow: Flow, pace: Pace) {
    this.#local = local;
    this.#flow = flow;
    this.#pace = pace;
    local.on("drain", () => this.#goOn());
    local.on("close", () => pace.leave(this.#turn));
  }

  get isHeldBack(): boolean {
    return this.#pace.isInLine(this.#turn);
  }

  give(bytes: Buffer): void {
    this.#held.push(bytes);
  }

  took(): void {
    if (this.#held.length > 0) this.#flow.pause();
    this.#goOn();
  }

  end(): void {
    this.#hasEnd = true;
    this.#goOn();
  }

  #goOn(): void {
    if (isFull(this.#local)) return;
    if (this.#held.length > 0) this.#pace.queue(this.#turn);
    else if (this.#hasEnd) this.#local.end();
    else this.#flow.resume();
  }

  readonly #turn = (most: number): number => {
    const [first] = this.#held;
    if (!first || this.#local.destroyed) return 0;
    const bytes = first.subarray(0, most);
    if (bytes.length === first.length) this.#held.shift();
    else this.#held[0] = first.subarray(most);
    this.#local.write(bytes);
    isNotIdle(this.#local);
    this.#goOn();
    return bytes.length;
  };
}

/** Its bytes may have come long ago, and it is not idle since then. */
function isNotIdle(local: Socket): void {
  if (local.timeout) local.setTimeout(local.timeout);
}
