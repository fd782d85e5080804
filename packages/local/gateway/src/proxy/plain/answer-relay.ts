/** One answer on its way: bytes of an endpoint in, bytes for the client out. */
import { responseHeaders, writtenHead } from "../headers.ts";
import { type PlainAnswer, readAnswer } from "./answer.ts";
import { type Body, bodyOf } from "./body.ts";

/** The endpoint said what cannot be passed on. */
export class BrokenAnswer extends Error {
  constructor() {
    super("an answer cannot be understood");
    this.name = "BrokenAnswer";
  }
}

export interface RelayOptions {
  /** Of the request. */
  readonly method: string;
  readonly headerBytes: number;
  /** How many 1xx responses may come before the answer. */
  readonly interimResponses: number;
  /** What the client is told about its own connection. */
  readonly keepAliveMs: number;
  /** For answers that do not say when they were made. */
  now(): number;
}

const nothing = Buffer.alloc(0);

export class AnswerRelay {
  readonly #options: RelayOptions;
  /** Of a head that is not all there. */
  #waiting: Buffer = nothing;
  #body: Body | undefined;
  #answer: PlainAnswer | undefined;
  #saidTooMuch = false;
  #interim = 0;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Whether the client has been told anything. */
  get started(): boolean {
    return this.#answer !== undefined;
  }

  get done(): boolean {
    return this.#body?.done ?? false;
  }

  /** Whether another request may be sent where this answer, once it is done, came from. */
  get keepsConnection(): boolean {
    return Boolean(this.#answer?.keepsConnection) && !this.#saidTooMuch;
  }

  /** What these bytes mean for the client. Throws where nobody could say. */
  take(bytes: Buffer): Buffer {
    if (this.#body) return this.#partOf(this.#body, bytes);
    let left = this.#waiting.length > 0 ? Buffer.concat([this.#waiting, bytes]) : bytes;
    let answer = readAnswer(left, this.#options);
    // A 1xx is not passed on: the answer is still to come. An endpoint that sends them without end would keep this
    // thread, which all players share, busy for ever.
    while (typeof answer !== "string" && answer.status < 200) {
      // Nobody asked to go on with another protocol.
      if (answer.status === 101 || ++this.#interim > this.#options.interimResponses) throw new BrokenAnswer();
      left = left.subarray(answer.bodyAt);
      answer = readAnswer(left, this.#options);
    }
    if (answer === "incomplete" && left.length <= this.#options.headerBytes) {
      this.#waiting = left;
      return nothing;
    }
    if (typeof answer === "string") throw new BrokenAnswer();
    this.#waiting = nothing;
    const rest = left.subarray(answer.bodyAt);
    this.#answer = answer;
    this.#body = bodyOf(answer.framing);
    const head = writtenHead(`HTTP/1.1 ${answer.status} ${answer.reason}`, this.#headersOf(answer));
    return rest.length > 0 ? Buffer.concat([head, this.#partOf(this.#body, rest)]) : head;
  }

  /** The endpoint has closed its side. What is left to say; throws where that is not how an answer ends. */
  end(): Buffer {
    if (this.#answer?.framing !== "until-close") throw new BrokenAnswer();
    return Buffer.from("0\r\n\r\n");
  }

  #headersOf({ headers, framing }: PlainAnswer): string[] {
    const kept = responseHeaders(headers);
    if (framing === "until-close" || (framing !== "none" && "chunked" in framing)) {
      kept.push("Transfer-Encoding", "chunked");
    }
    if (!kept.some((name, at) => at % 2 === 0 && name.toLowerCase() === "date")) {
      kept.push("Date", new Date(this.#options.now()).toUTCString());
    }
    const seconds = Math.floor(this.#options.keepAliveMs / 1000);
    kept.push("Connection", "keep-alive", "Keep-Alive", `timeout=${seconds}`);
    return kept;
  }

  #partOf(body: Body, bytes: Buffer): Buffer {
    const taken = body.take(bytes);
    if (taken < bytes.length) this.#saidTooMuch = true;
    const part = taken < bytes.length ? bytes.subarray(0, taken) : bytes;
    if (this.#answer?.framing !== "until-close" || part.length === 0) return part;
    // The end of a connection would tell the client less than a last chunk does.
    return Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]);
  }
}
