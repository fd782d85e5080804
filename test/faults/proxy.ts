/**
 * Stands between a client and a real API server, and does to their connection what bad days do: cuts it, leaves it
 * half open, garbles it, delivers it byte by byte, refuses. Everything that it is not told to spoil passes as it is.
 *
 * The client speaks plain HTTP to it, so that bytes can be counted and changed; it speaks TLS to the server.
 */
import {
  createServer,
  type IncomingMessage,
  request as plainRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import { Agent, request as tlsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import type { Connection } from "@berg/kube";

export interface Seen {
  at: number;
  method: string;
  path: string;
  userAgent: string;
  watch: boolean;
}

/** What to do with a request instead of passing it on. */
export type Answer = { status: number; body?: object; headers?: Record<string, string> } | "reset" | "hang";

interface Stream {
  response: ServerResponse;
  upstream: IncomingMessage;
  /** Takes what the server sent, instead of the client, while a fault lasts. */
  fault: ((chunk: Buffer) => void) | undefined;
}

export class FaultProxy {
  /** Every request that has arrived, oldest first. */
  readonly requests: Seen[] = [];
  /** Decides on each request before it is passed on; undefined passes it. */
  answer: (seen: Seen) => Answer | undefined = () => undefined;
  /** Delivers watch frames one byte at a time. */
  byteByByte = false;
  readonly #streams = new Set<Stream>();
  readonly #server: Server;
  readonly #target: Connection;
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(server: Server, target: Connection) {
    this.#server = server;
    this.#target = target;
  }

  static async start(target: Connection): Promise<FaultProxy> {
    // As long as the API server's: connections that an idle client finds closed would hide what it does with open ones.
    const server = createServer({ keepAliveTimeout: 180_000 });
    const proxy = new FaultProxy(server, target);
    server.on("request", (request, response) => void proxy.#pass(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get connection(): Connection {
    const { port } = this.#server.address() as AddressInfo;
    return {
      server: `http://127.0.0.1:${port}`,
      namespace: this.#target.namespace,
      tls: async () => ({ rejectUnauthorized: true }),
      authorization: (signal) => this.#target.authorization(signal),
      refused: (authorization) => this.#target.refused(authorization),
    };
  }

  get openWatches(): number {
    return this.#streams.size;
  }

  /** Ends every open watch as a broken cable would: no last chunk, no goodbye. */
  cutWatches(): void {
    for (const { response } of this.#streams) response.socket?.resetAndDestroy();
  }

  /** Lets no byte through on the watches that are open now, and closes nothing. New ones are not affected. */
  freezeWatches(): void {
    for (const stream of this.#streams) stream.fault = () => {};
  }

  /** Spoils the next frame of each open watch in its middle, and passes everything after it. */
  garbleWatches(): void {
    for (const stream of this.#streams) {
      stream.fault = (chunk) => {
        const spoilt = Buffer.from(chunk);
        spoilt.fill("?", Math.floor(chunk.length / 2), Math.floor(chunk.length / 2) + 8);
        stream.response.write(spoilt);
        stream.fault = undefined;
      };
    }
  }

  /** Passes half of the next frame of each open watch, then ends the answer in order. */
  truncateWatches(): void {
    for (const stream of this.#streams) {
      stream.fault = (chunk) => {
        stream.response.end(chunk.subarray(0, chunk.length / 2));
        stream.fault = () => {};
      };
    }
  }

  async stop(): Promise<void> {
    for (const { upstream } of this.#streams) upstream.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    this.#agent.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen: Seen = {
      at: performance.now(),
      method: request.method ?? "",
      path: request.url ?? "",
      userAgent: request.headers["user-agent"] ?? "",
      watch: /[?&]watch=true/.test(request.url ?? ""),
    };
    this.requests.push(seen);
    const answer = this.answer(seen);
    if (answer === "hang") return;
    if (answer === "reset") return void request.socket.resetAndDestroy();
    if (answer) {
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      response.end(JSON.stringify(answer.body ?? {}));
      return;
    }
    const url = new URL((request.url ?? "/").replace(/^\//, ""), `${this.#target.server}/`);
    const options = url.protocol === "https:" ? { agent: this.#agent, ...(await this.#target.tls()) } : {};
    const send = url.protocol === "https:" ? tlsRequest : plainRequest;
    const upstream = send(url, { ...options, method: seen.method, headers: { ...request.headers, host: url.host } });
    upstream.on("error", () => request.socket.destroy());
    upstream.on("response", (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, incoming.headers);
      if (seen.watch && incoming.statusCode === 200) this.#follow(incoming, response);
      else incoming.on("error", () => response.destroy()).pipe(response);
    });
    response.on("close", () => upstream.destroy());
    request.pipe(upstream);
  }

  #follow(upstream: IncomingMessage, response: ServerResponse): void {
    const stream: Stream = { response, upstream, fault: undefined };
    this.#streams.add(stream);
    response.flushHeaders();
    response.on("close", () => this.#streams.delete(stream));
    upstream.on("data", (chunk: Buffer) => {
      if (stream.fault) stream.fault(chunk);
      else if (this.byteByByte) for (const byte of chunk) response.write(Buffer.of(byte));
      else response.write(chunk);
    });
    upstream.on("end", () => {
      if (!stream.fault) response.end();
    });
    upstream.on("error", () => {
      if (!stream.fault) response.socket?.destroy();
    });
  }
}
