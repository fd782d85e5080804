/**
 * The server proxy's side of the pool: it dials data connections of one session before anybody needs them, so that some
 * always wait. After a rush it keeps more of them, and fewer again once they are left over.
 *
 * It never closes one that waits: the client proxy may have given it to a client at that moment. What waits for too
 * long the client proxy closes, and here it is replaced only if it is still wanted.
 */
import type { Socket } from "node:net";
import type { Clock, Logger, Timer } from "@berg/kube/process";
import { Carrier } from "./carrier.ts";
import type { Endpoint } from "./contract.ts";
import { dial } from "./dial.ts";
import { FirstBytes } from "./first-bytes.ts";
import {
  type Connection,
  headerLength,
  printPreamble,
  readHeader,
  type SessionKey,
  type StreamName,
  StreamTokens,
} from "./preamble.ts";
import type { Left } from "./relay.ts";
import { reset } from "./sockets.ts";

/** However many are asked for. */
const most = 256;
const firstBackoffMs = 100;
const longestBackoffMs = 5_000;
/** One that the client proxy closes sooner was not welcome. */
const isYoungMs = 5_000;
const lookEveryMs = 10_000;

interface ReadyOptions {
  session: SessionKey;
  endpoint: Endpoint;
  /** At rest. */
  size: number;
  clock: Clock;
  log: Logger;
  onDialled(socket: Socket): void;
  onStream(stream: GivenStream): void;
}

/** A data connection that was given a client. It is paused. */
export interface GivenStream {
  carrier: Carrier;
  name: StreamName;
  /** What came after the header. */
  already: Buffer;
  /** To be called where it was carried. */
  onLeft(how: Left): void;
}

export class ReadyConnections {
  readonly #options: ReadyOptions;
  readonly #dialling = new Set<Socket>();
  /** Those that the client proxy has, and may give to a client. */
  readonly #waiting = new Set<Socket>();
  #wanted: number;
  #lastNumber = 0;
  #failures = 0;
  /** The fewest that waited since we looked last: so many were not needed. */
  #leftOver = 0;
  #backoff: Timer | undefined;
  #look: Timer | undefined;
  #isStopped = false;

  constructor(options: ReadyOptions) {
    this.#options = options;
    this.#wanted = options.size;
    this.#fill();
  }

  /** So many clients wait. */
  want(count: number): void {
    this.#wanted = Math.min(most, this.#wanted + count);
    this.#look ??= this.#options.clock.setTimer(lookEveryMs, () => this.#shrink());
    this.#fill();
  }

  /** No more are dialled. Those that wait still carry the streams that they are given. */
  stop(): void {
    this.#isStopped = true;
    this.#backoff?.cancel();
    this.#look?.cancel();
  }

  #fill(): void {
    while (!this.#isStopped && !this.#backoff && this.#dialling.size + this.#waiting.size < this.#wanted) this.#dial();
  }

  #dial(): void {
    const { session, endpoint } = this.#options;
    const number = ++this.#lastNumber;
    const onConnected = () => {
      this.#dialling.delete(socket);
      this.#wait(socket, { session, number });
    };
    const onFailed = (why: string) => {
      this.#dialling.delete(socket);
      this.#failed(why);
    };
    const socket = dial(endpoint, onConnected, onFailed);
    this.#dialling.add(socket);
    this.#options.onDialled(socket);
  }

  #wait(socket: Socket, connection: Connection): void {
    const { clock } = this.#options;
    const since = clock.monotonic();
    let header = new FirstBytes(headerLength);
    const tokens = new StreamTokens(connection);
    let isProved = false;
    const heard = (piece: Buffer) => {
      const whole = header.add(piece);
      if (!whole) return;
      this.#leave(socket.pause());
      const name = readHeader(whole.first, tokens);
      if (!name) {
        reset(socket);
        this.#failed("its header is not from the client proxy");
        return;
      }
      isProved = true;
      header = new FirstBytes(headerLength);
      this.#use({ carrier, name, already: whole.rest, onLeft });
    };
    const onLeft = (how: Left) => {
      if (how === "free") this.#waiting.add(socket);
    };
    const gone = () => {
      if (!this.#waiting.has(socket)) return;
      this.#leave(socket);
      if (!isProved && clock.monotonic() - since < isYoungMs) this.#failed("the client proxy does not take it");
      else this.#fill();
    };
    this.#waiting.add(socket);
    const carrier = new Carrier(socket, { heard, gone });
    socket.write(printPreamble(connection));
  }

  #use(stream: GivenStream): void {
    this.#failures = 0;
    this.#endBackoff();
    this.#options.onStream(stream);
    this.#fill();
  }

  #leave(socket: Socket): void {
    this.#waiting.delete(socket);
    this.#leftOver = Math.min(this.#leftOver, this.#waiting.size);
  }

  #failed(why: string): void {
    if (this.#isStopped || this.#backoff) return;
    const delayMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** this.#failures++);
    this.#options.log.warn({ why, delayMs }, "a data connection failed");
    this.#backoff = this.#options.clock.setTimer(delayMs, () => this.#endBackoff());
  }

  #endBackoff(): void {
    this.#backoff?.cancel();
    this.#backoff = undefined;
    this.#fill();
  }

  #shrink(): void {
    const { size, clock } = this.#options;
    this.#wanted = Math.max(size, this.#wanted - Math.ceil(this.#leftOver / 2));
    this.#leftOver = this.#waiting.size;
    this.#look = this.#wanted > size ? clock.setTimer(lookEveryMs, () => this.#shrink()) : undefined;
  }
}
