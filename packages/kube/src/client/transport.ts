/**
 * Bytes to and from one API server. Calls and watches have connections of their own, so that neither a thousand open
 * watches nor a burst of calls can hold up the other.
 */
import { Pool } from "undici";
import { abortable } from "../abort.ts";
import type { Connection } from "../config/connection.ts";
import { connectorTo } from "./connector.ts";
import { ConnectionError, exchange, type Flow, type Head, type Outgoing, type Receiver } from "./exchange.ts";

export { ConnectionError, type Flow, type Head, type Outgoing } from "./exchange.ts";

export interface Incoming extends Head {
  body: Buffer;
}

/** Takes a streamed answer as it comes. What a method throws ends the stream with that error. */
export interface StreamReceiver {
  /** The server has accepted. Where it refuses, nothing here is called and the stream resolves with the refusal. */
  onOpen(head: Head, flow: Flow): void;
  onData(chunk: Buffer): void;
}

const answerTimeoutMs = 60_000;
const callLimits = { headersTimeout: answerTimeoutMs, bodyTimeout: answerTimeoutMs, connections: 64 };
// A quiet watch may stay silent for longer than any fixed time; the reflector's watchdog decides when it is dead.
const watchLimits = { headersTimeout: answerTimeoutMs, bodyTimeout: 0, connections: null as number | null };
const unlimitedAnswer = -1;

interface Pools {
  calls: Pool;
  watches: Pool;
}

export class Transport {
  readonly host: string;
  readonly #connection: Connection;
  readonly #userAgent: string;
  readonly #onHead: (head: Head) => void;
  readonly #largestAnswer: number;
  readonly #target: { origin: string; base: string };
  /** What new requests use. */
  #pools: Pools;
  /** Those and the ones before them, as long as something is under way there. */
  readonly #open = new Set<Pools>();
  #closed = false;

  /** `onHead` is told of every answer as it begins; one to a call that is longer than `largestAnswer` bytes is cut. */
  constructor(
    connection: Connection,
    userAgent: string,
    onHead: (head: Head) => void = () => {},
    largestAnswer = unlimitedAnswer,
  ) {
    const url = new URL(connection.server);
    this.host = url.host;
    this.#connection = connection;
    this.#userAgent = userAgent;
    this.#onHead = onHead;
    this.#largestAnswer = largestAnswer;
    this.#target = { origin: url.origin, base: url.pathname.replace(/\/$/, "") };
    this.#pools = this.#connect();
  }

  /** One call, answered whole, whatever its status. */
  async send(request: Outgoing): Promise<Incoming> {
    const chunks: Buffer[] = [];
    const head = await this.#exchange("calls", request, { onData: (chunk) => chunks.push(chunk) });
    return { ...head, body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) };
  }

  /** A streamed answer: pieces go to the receiver; resolves at its end. A refusal resolves with its body instead. */
  async stream(request: Outgoing, receiver: StreamReceiver): Promise<Incoming> {
    const refusal: Buffer[] = [];
    let open = false;
    const head = await this.#exchange("watches", request, {
      onHead: (head, flow) => {
        open = head.status < 300;
        if (open) receiver.onOpen(head, flow);
      },
      onData: (chunk) => (open ? receiver.onData(chunk) : refusal.push(chunk)),
    });
    return { ...head, body: Buffer.concat(refusal) };
  }

  /** Ends what is under way, with an error, and closes every connection. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#open].flatMap(({ calls, watches }) => [calls.destroy(), watches.destroy()]));
  }

  async #exchange(use: keyof Pools, request: Outgoing, receiver: Receiver): Promise<Head> {
    const authorization = await abortable(this.#connection.authorization(request.signal), request.signal);
    if (this.#closed) throw new ClientClosed();
    const headers = { "user-agent": this.#userAgent, ...request.headers, ...(authorization && { authorization }) };
    const pools = this.#pools;
    const onHead = (head: Head, flow: Flow) => {
      this.#onHead(head);
      receiver.onHead?.(head, flow);
    };
    try {
      const head = await exchange(pools[use], this.#target, { ...request, headers }, { ...receiver, onHead });
      if (head.status === 401) this.#refused(authorization, pools);
      return head;
    } catch (error) {
      throw this.#closed && error instanceof ConnectionError ? new ClientClosed() : error;
    }
  }

  /** The next request reads the credentials anew, and goes over a connection that was made with them. */
  #refused(authorization: string | undefined, pools: Pools): void {
    this.#connection.refused(authorization);
    // A crowd that is refused at once makes new connections once.
    if (pools === this.#pools) this.#pools = this.#connect(pools);
  }

  #connect(before?: Pools): Pools {
    const calls = this.#pool({ ...callLimits, maxResponseSize: this.#largestAnswer });
    const pools = { calls, watches: this.#pool(watchLimits) };
    this.#open.add(pools);
    if (before) {
      // What is still under way on the old ones may finish there.
      void Promise.allSettled([before.calls.close(), before.watches.close()]).then(() => this.#open.delete(before));
    }
    return pools;
  }

  #pool(limits: typeof watchLimits & { maxResponseSize?: number }): Pool {
    const connect = connectorTo(this.#connection);
    return new Pool(this.#target.origin, { ...limits, allowH2: false, connect, keepAliveTimeout: 30_000 });
  }
}

/** Not a ConnectionError: another try would be in vain. */
class ClientClosed extends Error {
  constructor() {
    super("the client is closed");
    this.name = "ClientClosed";
  }
}
