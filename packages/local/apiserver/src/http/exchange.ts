/** One request and its answer. */

import type { X509Certificate } from "node:crypto";
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Status } from "@berg/apimachinery";
import type { WebSocket } from "ws";
import { encodeValue } from "../output/answers.ts";
import { type Form, plainFormOf } from "../output/form.ts";
import { type Address, parseAddress } from "../requests/address.ts";
import type { Slot } from "./in-flight.ts";
import { limits } from "./limits.ts";
import { readBody } from "./read-body.ts";
import { offersProtocol, upgradeTo } from "./upgrades.ts";
import { Warnings } from "./warnings.ts";

const compress = promisify(gzip);

export class Exchange {
  readonly method: string;
  readonly address: Address;
  readonly headers: IncomingHttpHeaders;
  readonly warnings = new Warnings();
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #abort = new AbortController();
  #slot: Slot | undefined;

  /** Throws a refusal where the request line is nothing to go by. */
  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request;
    this.#response = response;
    this.method = request.method ?? "";
    this.headers = request.headers;
    this.address = parseAddress(request.url ?? "");
    response.on("close", () => response.writableFinished || this.abort());
  }

  /** Aborted when the client is gone, or when the server must come to an end. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  abort(): void {
    this.#abort.abort();
  }

  /** Of a client that showed one which our CA vouches for. */
  get certificate(): X509Certificate | undefined {
    const socket = this.#request.socket as TLSSocket;
    return socket.authorized ? socket.getPeerX509Certificate() : undefined;
  }

  /** Each value apart, where `headers` joins them. */
  get headersDistinct(): NodeJS.Dict<string[]> {
    return this.#request.headersDistinct;
  }

  /** Whose limits the body counts for. */
  readBodyIn(slot: Slot): void {
    this.#slot = slot;
  }

  body(): Promise<Buffer> {
    const read = (onBytes?: (bytes: number) => void) => readBody(this.#request, limits.bodyBytes, onBytes);
    return this.#slot ? this.#slot.readBody(read) : read();
  }

  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  async send(code: number, form: Form["media"] | (string & {}), bytes: Buffer, more: OutgoingHttpHeaders = {}) {
    const isGzip = bytes.length > limits.gzipBytes && takesGzip(this.headers);
    const content = isGzip ? await compress(bytes, { level: constants.Z_BEST_SPEED }) : bytes;
    if (this.#response.destroyed) return;
    this.#response.writeHead(code, {
      ...this.#usual(),
      "content-type": form,
      ...(isGzip && { "content-encoding": "gzip", vary: "Accept-Encoding" }),
      "content-length": content.length,
      ...more,
    });
    this.#response.end(this.method === "HEAD" ? undefined : content);
  }

  sendValue(code: number, value: unknown, form = plainFormOf(this.headers.accept)): Promise<void> {
    return this.send(code, form.media, encodeValue(value, this.pretty(form)));
  }

  sendText(code: number, text: string): Promise<void> {
    return this.send(code, "text/plain; charset=utf-8", Buffer.from(text), { "x-content-type-options": "nosniff" });
  }

  /** What a refusal, or the end of what was to be deleted, looks like. */
  async sendStatus(status: Status, form?: Form): Promise<void> {
    const seconds = status.details?.retryAfterSeconds;
    if (seconds !== undefined) this.#response.setHeader("retry-after", String(seconds));
    await this.sendValue(status.code ?? 200, status, form);
  }

  /** The answer of which the end is not in sight. */
  stream(contentType: string): ServerResponse {
    this.#response.writeHead(200, { ...this.#usual(), "content-type": contentType });
    this.#response.flushHeaders();
    return this.#response;
  }

  /** Whether the client wants a WebSocket for this. */
  canUpgrade(protocol: string): boolean {
    return offersProtocol(this.#request, protocol);
  }

  /** From now on the connection is the caller's. */
  upgrade(protocol: string): Promise<WebSocket> {
    return upgradeTo(protocol, this.#request, this.#response);
  }

  /** An answer cannot be taken back once it has begun: only cut off. */
  cut(): void {
    this.#response.destroy();
  }

  /** Browsers and command lines get to see something readable, others the shortest. */
  pretty(form: Form): Form {
    const wanted = this.address.query.get("pretty");
    const isPerson = /^(curl|Wget|Mozilla\/5\.0)/.test(this.headers["user-agent"] ?? "");
    const isPretty = wanted === null ? form.isPretty || isPerson : wanted !== "0" && wanted !== "false";
    return { ...form, isPretty };
  }

  #usual(): OutgoingHttpHeaders {
    const warnings = this.warnings.headers();
    return {
      "audit-id": randomUUID(),
      "cache-control": "no-cache, private",
      ...(warnings.length > 0 && { Warning: warnings }),
    };
  }
}

function takesGzip({ "accept-encoding": encodings = "" }: IncomingHttpHeaders): boolean {
  return String(encodings)
    .split(",")
    .some((encoding) => encoding.split(";")[0]?.trim() === "gzip");
}
