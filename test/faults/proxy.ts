/**
 * Stands between a client and a real API server, and does to their connection what bad days do: cuts it, leaves it
 * half open, garbles it, delivers it byte by byte, refuses. Everything that it is not told to spoil passes as it is.
 *
 * The client speaks plain HTTP to it, so that bytes can be counted and changed; it speaks TLS to the server.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import { Agent, request as tlsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "@berg/kube";
import { type RequestTarget, requestTarget, type Verb } from "./request-path.ts";

export interface Seen extends RequestTarget {
  at: number;
  method: string;
  path: string;
  userAgent: string;
  watch: boolean;
  /** What the server answered; undefined until it has, and where nothing was passed on. */
  code?: number;
  /** When it did. */
  answeredAt?: number;
  /** The UID without which a delete is not to be done. */
  uid?: string;
}

/** Writes to be met, one after the other: `{ resource: "deployments", when: "after" }` is met by the first of any kind. */
export interface Point {
  resource: string;
  /** Any but reads unless told. */
  verb?: Verb;
  /** The object itself unless told. */
  subresource?: string;
  name?: string;
  /** Whatever else tells it from others: `where: ({ namespace }) => namespace === "challenge-a"`. */
  where?: (seen: Seen) => boolean;
  /** Which of those that come from now on; the first unless told. */
  nth?: number;
  /** Before the server has it, or after the server has done it and before the client knows. */
  when: "before" | "after";
}

/** While it runs the request waits. What it returns is done in place of what would have followed. */
export type Intervention = (seen: Seen) => Answer | undefined | Promise<Answer | undefined>;

interface Awaited {
  point: Point;
  left: number;
  intervene: Intervention;
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
  /** Told of each request once it is whole, for whoever wants to repeat it word by word. */
  listen: (seen: Seen, body: Buffer, headers: IncomingHttpHeaders) => void = () => {};
  /** Delivers watch frames one byte at a time. */
  byteByByte = false;
  /** How late watch frames arrive. */
  watchDelayMs = 0;
  /** How late requests reach the server. */
  requestDelayMs = 0;
  readonly #confined = new Map<string, string>();
  readonly #streams = new Set<Stream>();
  readonly #awaited = new Set<Awaited>();
  #isSevered = false;
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

  /** Calls `intervene` once, when the point is reached. Returns its undo. */
  at(point: Point, intervene: Intervention): () => void {
    const awaited = { point, left: point.nth ?? 1, intervene };
    this.#awaited.add(awaited);
    return () => this.#awaited.delete(awaited);
  }

  /** Shows the client no more of these resources than one namespace has, though it asks for all. */
  confine(resources: readonly string[], namespace: string): void {
    for (const resource of resources) this.#confined.set(resource, namespace);
  }

  /** Ends every connection as a crash of the client does, and takes no further one. */
  sever(): void {
    this.#isSevered = true;
    this.#server.closeAllConnections();
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
    const { method = "", url: path = "/", headers } = request;
    const seen: Seen = {
      ...requestTarget(method, path, headers["content-type"]),
      at: performance.now(),
      method,
      path,
      userAgent: headers["user-agent"] ?? "",
      watch: /[?&]watch=true/.test(path),
    };
    if (this.#isSevered) return void request.socket.resetAndDestroy();
    this.requests.push(seen);
    const answer = this.answer(seen);
    if (answer) return give(answer, response);
    // A request that the client has given up before it was whole never reaches the server.
    const body = await readBody(request).catch(() => undefined);
    if (!body) return;
    if (this.requestDelayMs > 0) await delay(this.requestDelayMs);
    this.listen(seen, body, headers);
    if (seen.verb === "delete") Object.assign(seen, preconditionOf(body));
    if (seen.verb === "create" && seen.name === "") seen.name = nameIn(body);
    const instead = await this.#reached(seen, "before");
    if (instead) return give(instead, response);
    if (response.destroyed) return;
    await this.#forward(seen, request, body, response);
  }

  async #reached(seen: Seen, when: Point["when"]): Promise<Answer | undefined> {
    for (const awaited of this.#awaited) {
      if (awaited.point.when !== when || !isAt(seen, awaited.point) || --awaited.left > 0) continue;
      this.#awaited.delete(awaited);
      return awaited.intervene(seen);
    }
    return undefined;
  }

  async #forward(seen: Seen, request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const url = new URL(this.#pathOf(seen).replace(/^\//, ""), `${this.#target.server}/`);
    const options = url.protocol === "https:" ? { agent: this.#agent, ...(await this.#target.tls()) } : {};
    const send = url.protocol === "https:" ? tlsRequest : plainRequest;
    // A client sends no credentials over plain HTTP, unless it is told to by a connection of ours.
    const authorization = request.headers.authorization ?? (await this.#target.authorization());
    const headers = { ...request.headers, host: url.host, ...(authorization && { authorization }) };
    const upstream = send(url, { ...options, method: seen.method, headers });
    upstream.on("error", () => request.socket.destroy());
    upstream.on("response", async (incoming) => {
      seen.code = incoming.statusCode ?? 502;
      seen.answeredAt = performance.now();
      const instead = await this.#reached(seen, "after");
      if (instead) return give(instead, response);
      response.writeHead(seen.code, incoming.headers);
      if (seen.watch && seen.code === 200) this.#follow(incoming, response);
      else incoming.on("error", () => response.destroy()).pipe(response);
    });
    response.on("close", () => upstream.destroy());
    upstream.end(body);
  }

  #pathOf({ path, resource, namespace, name }: Seen): string {
    const only = this.#confined.get(resource);
    if (only === undefined || namespace !== "" || name !== "") return path;
    return path.replace(`/${resource}`, `/namespaces/${only}/${resource}`);
  }

  #follow(upstream: IncomingMessage, response: ServerResponse): void {
    const stream: Stream = { response, upstream, fault: undefined };
    this.#streams.add(stream);
    response.flushHeaders();
    response.on("close", () => this.#streams.delete(stream));
    upstream.on("data", (chunk: Buffer) => {
      if (stream.fault) stream.fault(chunk);
      else if (this.byteByByte) for (const byte of chunk) response.write(Buffer.of(byte));
      else if (this.watchDelayMs > 0) setTimeout(() => response.write(chunk), this.watchDelayMs);
      else response.write(chunk);
    });
    upstream.on("end", () => {
      if (!stream.fault) setTimeout(() => response.end(), this.watchDelayMs);
    });
    upstream.on("error", () => {
      if (!stream.fault) response.socket?.destroy();
    });
  }
}

function isAt(seen: Seen, { resource, verb, subresource = "", name, where }: Point): boolean {
  if (seen.resource !== resource || seen.subresource !== subresource) return false;
  if (name !== undefined && seen.name !== name) return false;
  if (where && !where(seen)) return false;
  return verb === undefined ? seen.method !== "GET" : seen.verb === verb;
}

function give(answer: Answer, response: ServerResponse): void {
  if (answer === "hang") return;
  if (answer === "reset") return void response.socket?.resetAndDestroy();
  response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
  response.end(JSON.stringify(answer.body ?? {}));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function preconditionOf(body: Buffer): { uid?: string } {
  const options = body.length === 0 ? {} : JSON.parse(body.toString("utf8"));
  const uid: string | undefined = options.preconditions?.uid;
  return uid === undefined ? {} : { uid };
}

/** The path of a create names the collection only. */
function nameIn(body: Buffer): string {
  try {
    return JSON.parse(body.toString("utf8")).metadata?.name ?? "";
  } catch {
    return "";
  }
}
