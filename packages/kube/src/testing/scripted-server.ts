import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Status } from "@berg/apimachinery";
import type { Connection } from "../config/connection.ts";

/** A request as it arrived. */
export interface Seen {
  method: string;
  /** Path and query, as they stood on the wire. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** How the server behaves for one request. One that returns without ending the response leaves the caller waiting. */
export type Answer = (response: ServerResponse, request: Seen) => void | Promise<void>;

/**
 * A real server on this machine whose every answer the test writes. The nth request gets the nth answer, and the last
 * answer stays.
 *
 *     await using server = await ScriptedServer.start(refuse(503), json({ kind: "Pod" }));
 *     const client = createClient({ connection: server.connection() });
 */
export class ScriptedServer implements AsyncDisposable {
  readonly seen: Seen[] = [];
  /** Connections that are open now. */
  readonly sockets = new Set<Socket>();
  /** How many there have been. */
  connections = 0;
  readonly #server: Server;
  readonly #protocol: "http" | "https";
  readonly #answers: Answer[];
  readonly #waiting: { count: number; arrived: () => void }[] = [];

  private constructor(answers: Answer[], tls?: { key: string; cert: string }) {
    this.#answers = answers;
    this.#protocol = tls ? "https" : "http";
    this.#server = tls ? createTlsServer(tls) : createServer();
    this.#server.on("connection", (socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
    this.#server.on("request", async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString("utf8");
      const { method = "", url = "", headers } = request;
      const seen = { method, url, headers, body };
      this.seen.push(seen);
      const answer = this.#answers[Math.min(this.seen.length, this.#answers.length) - 1] as Answer;
      for (const { count, arrived } of this.#waiting) if (this.seen.length >= count) arrived();
      await answer(response, seen);
    });
  }

  static async start(...answers: Answer[]): Promise<ScriptedServer> {
    return new ScriptedServer(answers).#listen();
  }

  static async startTls(tls: { key: string; cert: string }, ...answers: Answer[]): Promise<ScriptedServer> {
    return new ScriptedServer(answers, tls).#listen();
  }

  get url(): string {
    return `${this.#protocol}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when so many requests have come in all. */
  async arrived(count: number): Promise<void> {
    if (this.seen.length >= count) return;
    await new Promise<void>((arrived) => this.#waiting.push({ count, arrived }));
  }

  connection(changes: Partial<Connection> = {}): Connection {
    return {
      server: this.url,
      namespace: "default",
      tls: async () => ({ rejectUnauthorized: true }),
      authorization: async () => undefined,
      refused() {},
      ...changes,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((closed) => {
      this.#server.close(() => closed());
      this.#server.closeAllConnections();
    });
  }

  async #listen(): Promise<this> {
    await new Promise<void>((listening) => this.#server.listen(0, "127.0.0.1", listening));
    return this;
  }
}

// ANSWERS

export function json(
  body: object,
  head: { status?: number; headers?: Record<string, string | string[]> } = {},
): Answer {
  return text(JSON.stringify(body), {
    ...head,
    headers: { "content-type": "application/json", ...head.headers },
  });
}

export function text(
  body: string,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string | string[]> } = {},
): Answer {
  return (response) => {
    response.writeHead(status, headers).end(body);
  };
}

/** A refusal in the server's own words. */
export function refuse(code: number, more: Partial<Status> = {}, headers: Record<string, string> = {}): Answer {
  const status = {
    apiVersion: "v1",
    kind: "Status",
    status: "Failure",
    code,
    message: `refused with ${code}`,
    ...more,
  };
  return json(status, { status: code, headers });
}

/** Never answers. */
export const silence: Answer = () => {};

/** The connection breaks, as when the server dies, after the request has arrived. */
export const reset: Answer = (response) => {
  response.socket?.resetAndDestroy();
};
