/**
 * Where clients of the garden connect: passes everything on to its API server, answers the subresources that CRDs cannot
 * have, keeps a record of what was asked, and spoils what it is told to.
 *
 * It speaks TLS and passes on the caller's own token, so that RBAC of the garden holds for whoever calls.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, type Server, request as send } from "node:https";
import type { AddressInfo } from "node:net";
import { type Connection, type Random, sleep, systemClock } from "@berg/kube";
import { issueCertificate, makeCa } from "@berg/local-certificates";
import { type RequestTarget, requestTarget } from "../faults/request-path.ts";
import { type FaultAnswer, faultFor, type GardenFaults, isGardeners, noFaults } from "./faults.ts";

export interface GardenRequest extends RequestTarget {
  method: string;
  path: string;
  /** ms since 1970. */
  at: number;
  userAgent: string;
  code?: number;
}

/** Answers in the server's place; undefined passes it on. */
export type Subresource = (
  asked: GardenRequest,
  body: Buffer,
  authorization: string,
) => Promise<FaultAnswer | undefined>;

export class Front {
  /** Every request that came, oldest first. */
  readonly requests: GardenRequest[] = [];
  faults: GardenFaults = noFaults();
  readonly ca: string;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #upstream: Connection;
  readonly #subresource: Subresource;
  readonly #random: Random;

  private constructor(server: Server, ca: string, upstream: Connection, subresource: Subresource, random: Random) {
    this.#server = server;
    this.ca = ca;
    this.#upstream = upstream;
    this.#subresource = subresource;
    this.#random = random;
  }

  static async start(upstream: Connection, subresource: Subresource, random: Random): Promise<Front> {
    const [from, until] = [systemClock.now() - 60_000, systemClock.now() + 24 * 3600 * 1000];
    const ca = makeCa("garden-ca", from, until);
    const subject = { commonName: "garden" };
    const { key, certificate } = issueCertificate(ca, { subject, usage: "server", names: ["127.0.0.1"], from, until });
    const server = createServer({ key, cert: certificate, keepAliveTimeout: 180_000 });
    const front = new Front(server, ca.certificate, upstream, subresource, random);
    server.on("request", (request, response) => {
      front.#handle(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return front;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    this.#agent.destroy();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "/", headers } = request;
    const asked: GardenRequest = {
      ...requestTarget(method, path, headers["content-type"]),
      method,
      path,
      at: systemClock.now(),
      userAgent: headers["user-agent"] ?? "",
    };
    this.requests.push(asked);
    const body = await readAll(request);
    if (this.faults.delayMs > 0 && isGardeners(path)) await sleep(systemClock, this.faults.delayMs);
    const instead =
      faultFor(this.faults, asked, this.#random) ?? (await this.#subresource(asked, body, headers.authorization ?? ""));
    if (instead) {
      asked.code = instead.status;
      response.writeHead(instead.status, { "content-type": "application/json", ...instead.headers });
      return void response.end(typeof instead.body === "string" ? instead.body : JSON.stringify(instead.body));
    }
    await this.#pass(asked, request, body, response);
  }

  async #pass(asked: GardenRequest, request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const url = new URL(`${this.#upstream.server}${asked.path}`);
    const tls = await this.#upstream.tls();
    const headers = { ...request.headers, host: url.host };
    const upstream = send(url, { agent: this.#agent, ...tls, method: asked.method, headers });
    upstream.on("error", () => request.socket.destroy());
    upstream.on("response", (incoming) => {
      asked.code = incoming.statusCode ?? 502;
      response.writeHead(asked.code, incoming.headers);
      // A watch that has nothing to say yet is open all the same.
      response.flushHeaders();
      incoming.on("error", () => response.destroy()).pipe(response);
    });
    response.on("close", () => upstream.destroy());
    upstream.end(body);
  }
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
