/**
 * One client's connection while all that it sends are plain requests: each goes on in one write, and each answer that
 * came in one piece comes back in one. At the first request that is not plain, or that is answered by us, the connection
 * is handed over with all bytes of that request to Node's server, which costs a lot more and knows the rest of HTTP.
 *
 *     idle → request, perhaps with a body → answer → idle
 *
 * It has one connection to an endpoint, shared with nobody: what one player leaves in the buffers of a server that mixes
 * up requests must not meet another's.
 */
import type { Socket } from "node:net";
import type { Clock } from "@berg/kube";
import { pageTexts } from "../../vocabulary.ts";
import { NoEndpoint } from "../connect.ts";
import type { Surroundings } from "../destination.ts";
import type { Endpoint } from "../endpoints.ts";
import { headerOf, missingLength, writtenHead } from "../headers.ts";
import { lastWords } from "../last-words.ts";
import type { Limits } from "../limits.ts";
import { type Entrance, onwardOf } from "../onward.ts";
import { type Page, startingPage, textPage, writtenPage } from "../pages.ts";
import { AnswerRelay } from "./answer-relay.ts";
import { type PlainRequest, readPlainRequest } from "./request.ts";
import { Upstream } from "./upstream.ts";

export interface LaneOptions extends Surroundings {
  limits: Limits;
  clock: Clock;
  /** Gives the connection to somebody who knows more. */
  handOver(): void;
}

/** What is under way. */
interface Exchange {
  readonly request: PlainRequest;
  readonly answer: AnswerRelay;
  /** Bytes of its body that have not come yet. */
  bodyLeft: number;
  /** Whether it went by a connection that had served another: that may have been closed while it was on its way. */
  reused: boolean;
}

export class PlainLane {
  readonly #client: Socket;
  readonly #entrance: Entrance;
  readonly #options: LaneOptions;
  readonly #leaving = new AbortController();
  readonly #upstream: Upstream;
  #exchange: Exchange | undefined;
  /** Whether the client has closed its side. */
  #ended = false;

  constructor(client: Socket, entrance: Entrance, options: LaneOptions) {
    this.#client = client;
    this.#entrance = entrance;
    this.#options = options;
    const { random, limits } = options;
    const connecting = { random, connectMs: limits.connectMs, signal: this.#leaving.signal };
    this.#upstream = new Upstream(connecting, {
      said: (bytes) => this.#onAnswer(bytes),
      ended: (isBroken) => this.#onAnswerEnd(isBroken),
      drained: () => void (this.#exchange?.bodyLeft && client.resume()),
    });
    client.on("data", this.#onData).on("drain", this.#onDrain).on("end", this.#onEnd);
    client.on("error", this.#close).on("timeout", this.#close).on("close", this.#close);
    client.setTimeout(limits.headerMs);
  }

  readonly #onData = (bytes: Buffer) => {
    const { bodyLeft } = this.#exchange ?? {};
    if (bodyLeft === undefined) this.#begin(bytes);
    else if (bodyLeft > 0) this.#goOn(this.#exchange as Exchange, bytes);
    else this.#keepForLater(bytes);
  };

  readonly #onDrain = () => this.#upstream.resume();

  /** It may wait for the answer. */
  readonly #onEnd = () => {
    this.#ended = true;
    if (!this.#exchange) this.#client.end();
    else if (this.#exchange.bodyLeft > 0) this.#close();
  };

  readonly #close = () => {
    this.#leaving.abort(new NoEndpoint());
    this.#client.destroy();
    this.#upstream.drop();
  };

  #begin(bytes: Buffer): void {
    const { limits, clock } = this.#options;
    const request = readPlainRequest(bytes, limits);
    const onward = request && onwardOf(request, this.#entrance, this.#options);
    if (!onward || "status" in onward) return void this.#giveAway(bytes);
    const { headerBytes, interimResponses, keepAliveMs } = limits;
    const how = { headerBytes, interimResponses, keepAliveMs, now: clock.now };
    const answer = new AnswerRelay({ method: request.method, ...how });
    const end = Math.min(bytes.length, request.bodyAt + request.bodyLength);
    const bodyLeft = request.bodyAt + request.bodyLength - end;
    this.#exchange = { request, answer, bodyLeft, reused: false };
    this.#client.setTimeout(limits.idleMs);
    const headers = [...onward.headers, ...missingLength(request.method, request.rawHeaders)];
    const head = writtenHead(`${onward.method} ${onward.path} HTTP/1.1`, headers);
    const message = end > request.bodyAt ? Buffer.concat([head, bytes.subarray(request.bodyAt, end)]) : head;
    if (end < bytes.length) this.#keepForLater(bytes.subarray(end));
    this.#send(this.#exchange, onward.endpoints, message);
  }

  #goOn(exchange: Exchange, bytes: Buffer): void {
    const part = bytes.subarray(0, exchange.bodyLeft);
    exchange.bodyLeft -= part.length;
    if (!this.#upstream.write(part)) this.#client.pause();
    if (part.length < bytes.length) this.#keepForLater(bytes.subarray(part.length));
  }

  /** Until the answer to what came before it is done. */
  #keepForLater(bytes: Buffer): void {
    this.#client.pause();
    this.#client.unshift(bytes);
  }

  #send(exchange: Exchange, endpoints: readonly Endpoint[], message: Buffer): void {
    exchange.reused = this.#upstream.leadsTo(endpoints);
    if (exchange.reused) return void this.#upstream.write(message);
    this.#client.pause();
    this.#upstream.connect(endpoints).then(
      () => {
        this.#upstream.write(message);
        this.#client.resume();
      },
      () => this.#fail(exchange, startingPage(headerOf(exchange.request.rawHeaders, "accept"))),
    );
  }

  #onAnswer(bytes: Buffer): void {
    // Where nobody asked, nobody listens.
    if (this.#exchange) this.#pass(this.#exchange, (answer) => answer.take(bytes));
    else this.#upstream.drop();
  }

  /** Orderly or not: only an answer that ends with its connection may end like this. */
  #onAnswerEnd(isBroken: boolean): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    if (isBroken) this.#fail(exchange, textPage(502, pageTexts.badGateway));
    else if (this.#pass(exchange, (answer) => answer.end())) this.#finish(exchange);
  }

  /** Returns whether it could be understood. */
  #pass(exchange: Exchange, read: (answer: AnswerRelay) => Buffer): boolean {
    try {
      const part = read(exchange.answer);
      if (part.length > 0 && !this.#client.write(part)) this.#upstream.pause();
    } catch {
      this.#fail(exchange, textPage(502, pageTexts.badGateway));
      return false;
    }
    if (exchange.answer.done) this.#finish(exchange);
    return true;
  }

  #finish({ answer, bodyLeft }: Exchange): void {
    // Answered before it was all said: what comes next could not be told from the rest of it.
    const isLast = bodyLeft > 0 || this.#ended;
    // The pod may close its side now: the answer is whole, and perhaps still on its way to the client.
    this.#exchange = undefined;
    if (isLast || !answer.keepsConnection) this.#upstream.drop();
    if (isLast) return void this.#sayLast();
    this.#client.setTimeout(this.#options.limits.keepAliveMs);
    if (this.#client.isPaused()) this.#client.resume();
  }

  /**
   * In the middle of an answer, or on a connection that had served another, the client sees its own connection end, as
   * without us, and knows by the rules of HTTP whether to ask again. We do not know what was done.
   */
  #fail({ answer, reused, request }: Exchange, page: Page): void {
    this.#upstream.drop();
    if (answer.started || reused) this.#close();
    else this.#sayLast(writtenPage(page, request.method));
  }

  #sayLast(last = ""): void {
    this.#client.off("data", this.#onData).off("end", this.#onEnd);
    lastWords(this.#client, this.#options).end(last);
  }

  #giveAway(bytes: Buffer): void {
    const client = this.#client;
    client.off("data", this.#onData).off("drain", this.#onDrain).off("end", this.#onEnd);
    client.off("error", this.#close).off("timeout", this.#close).off("close", this.#close);
    client.setTimeout(0).pause();
    this.#upstream.drop();
    client.unshift(bytes);
    this.#options.handOver();
    client.resume();
  }
}
