/**
 * The client proxy's door for data connections. Whoever comes must prove, by a preamble, to be the server proxy of the
 * present session; until then it gets nothing: no answer, little time, few places.
 */
import { createServer, type Server, type Socket } from "node:net";
import type { Clock, Logger, Timer } from "@berg/kube/process";
import type { Session } from "./contract.ts";
import { FirstBytes } from "./first-bytes.ts";
import { listen } from "./listen.ts";
import { type Connection, preambleLength, readPreamble, type SessionKey, sessionKey } from "./preamble.ts";
import { SeldomLog } from "./seldom.ts";
import { ignoreError, reset, socketOptions } from "./sockets.ts";
import { UsedNumbers } from "./used-numbers.ts";

/** For a preamble, from first to last byte. */
const provesItselfWithinMs = 5_000;

interface ArrivalsOptions {
  clock: Clock;
  log: Logger;
  most: number;
  /** Whether somebody at this address may come at all. */
  isInside(address: string): boolean;
  /** It has proved itself. */
  onConnection(socket: Socket, connection: Connection): void;
}

export class Arrivals {
  readonly #options: ArrivalsOptions;
  readonly #warnings: SeldomLog;
  readonly #server: Server;
  /** Those that have not proved themselves yet, the oldest first, and when their time is over. */
  readonly #strangers = new Map<Socket, Timer>();
  #session: SessionKey | undefined;
  #used = new UsedNumbers();

  constructor(options: ArrivalsOptions) {
    this.#options = options;
    this.#warnings = new SeldomLog(options.clock, options.log);
    this.#server = createServer(socketOptions, (socket) => this.#admit(socket));
  }

  async start(address: string, port: number): Promise<number> {
    return listen(this.#server, address, port);
  }

  /** From now on nothing else counts. */
  useSession(session: Session): void {
    this.#session = sessionKey(session);
    this.#used = new UsedNumbers();
  }

  isPresent(session: SessionKey): boolean {
    return session === this.#session;
  }

  async stop(): Promise<void> {
    for (const socket of this.#strangers.keys()) reset(socket);
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #admit(socket: Socket): void {
    socket.on("error", ignoreError);
    if (!this.#options.isInside(socket.remoteAddress ?? "")) {
      this.#refuse(socket, "it does not come from the management network");
      return;
    }
    const late = () => this.#refuse(socket, "its preamble took too long");
    this.#strangers.set(socket, this.#options.clock.setTimer(provesItselfWithinMs, late));
    const preamble = new FirstBytes(preambleLength);
    const onData = (piece: Buffer) => {
      const whole = preamble.add(piece);
      if (!whole) return;
      socket.off("data", onData).off("end", onEnd).off("close", onClose);
      this.#judge(socket, whole.first, whole.rest);
    };
    const onEnd = () => reset(socket);
    const onClose = () => this.#forget(socket);
    socket.on("data", onData).on("end", onEnd).on("close", onClose);
    const [oldest] = this.#strangers.keys();
    if (this.#strangers.size > this.#options.most && oldest) this.#refuse(oldest, "too many came after it");
  }

  #judge(socket: Socket, preamble: Buffer, rest: Buffer): void {
    const session = this.#session;
    const number = readPreamble(preamble, session);
    if (typeof number === "string" || !session) this.#refuse(socket, String(number));
    // The server proxy has nothing to say before it knows which stream this is.
    else if (rest.length > 0) this.#refuse(socket, "it says more than a preamble");
    else if (!this.#used.take(number)) this.#refuse(socket, "its preamble was used before");
    else {
      this.#forget(socket);
      this.#options.onConnection(socket, { session, number });
    }
  }

  #refuse(socket: Socket, why: string): void {
    this.#warnings.warn({ from: socket.remoteAddress, why }, "a data connection is refused");
    this.#forget(socket);
    reset(socket);
  }

  #forget(socket: Socket): void {
    this.#strangers.get(socket)?.cancel();
    this.#strangers.delete(socket);
  }
}
