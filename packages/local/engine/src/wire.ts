/**
 * HTTP over the engine's unix socket. Each call has a connection of its own: that costs next to nothing on one
 * machine, and no call can be lost to a connection that the engine has just closed.
 */
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { Clock } from "@berg/kube";
import { EngineError } from "./engine.ts";

export interface Call {
  /** What the caller wants, for the text of an error: `start container web`. */
  what: string;
  method: "GET" | "POST" | "DELETE";
  path: string;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  archive?: Readable;
  headers?: Readonly<Record<string, string>>;
  /** For the whole answer; for its beginning where it is streamed. Forever unless told otherwise. */
  deadlineMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Answers over 299 that are no refusal, for they say that it is so already. */
  alsoGood?: readonly number[];
}

export interface Answer {
  status: number;
  body: unknown;
}

/** More than any inspection; less than what would hurt. */
const longestAnswer = 64 * 1024 * 1024;

export class Wire {
  readonly socketPath: string;
  readonly #clock: Clock;

  constructor(socketPath: string, clock: Clock) {
    this.socketPath = socketPath;
    this.#clock = clock;
  }

  /** One call, answered whole. */
  async send(call: Call): Promise<Answer> {
    return this.#within(call, async (sent) => {
      const response = await this.#answer(call, sent);
      const text = await wholeText(response, call.what);
      if (!text || response.statusCode === 204) return { status: response.statusCode ?? 0, body: undefined };
      return { status: response.statusCode ?? 0, body: parse(text, call.what) };
    });
  }

  /** A streamed answer, to be read or destroyed by the caller. */
  async open(call: Call): Promise<IncomingMessage> {
    return this.#within(call, (sent) => this.#answer(call, sent));
  }

  /** The connection itself, once the engine has agreed to speak something else than HTTP on it. */
  async upgrade(call: Call): Promise<Socket> {
    const headers = { ...call.headers, Connection: "Upgrade", Upgrade: "tcp" };
    return this.#within(
      call,
      async (sent) => {
        const upgraded = new Promise<Socket>((resolve) => {
          sent.on("upgrade", (_response, socket: Socket, head) => {
            if (head.length > 0) socket.unshift(head);
            resolve(socket);
          });
        });
        const refused = this.#answer(call, sent).then((response) => {
          response.destroy();
          throw new EngineError(`cannot ${call.what}: the engine would not stream`, response.statusCode ?? 0);
        });
        return Promise.race([upgraded, refused]);
      },
      headers,
    );
  }

  /** Sends it, and lets `receive` take the answer while the deadline and the signal allow. */
  async #within<T>(call: Call, receive: (sent: ClientRequest) => Promise<T>, headers = call.headers): Promise<T> {
    call.signal?.throwIfAborted();
    const body = call.json === undefined ? undefined : Buffer.from(JSON.stringify(call.json));
    const sent = request({
      socketPath: this.socketPath,
      agent: false,
      method: call.method,
      path: `${call.path}${queryOf(call.query)}`,
      headers: {
        Host: "engine",
        ...(body && { "Content-Type": "application/json", "Content-Length": body.length }),
        ...(call.archive && { "Content-Type": "application/x-tar" }),
        ...headers,
      },
      ...(call.signal && { signal: call.signal }),
    });
    // Whatever breaks the connection is an error of the answer, or of the call where there is none.
    const broken = new Promise<never>((_, reject) => sent.on("error", reject));
    let isLate = false;
    const timer =
      call.deadlineMs === undefined
        ? undefined
        : this.#clock.setTimer(call.deadlineMs, () => {
            isLate = true;
            sent.destroy(new Error("late"));
          });
    if (call.archive) upload(call.archive, sent);
    else sent.end(body);
    try {
      return await Promise.race([receive(sent), broken]);
    } catch (error) {
      sent.destroy();
      call.signal?.throwIfAborted();
      if (error instanceof EngineError) throw error;
      const why = isLate
        ? `the container engine at ${this.socketPath} did not answer within ${(call.deadlineMs ?? 0) / 1000} s`
        : unreachable(this.socketPath, error);
      throw new EngineError(`cannot ${call.what}: ${why}`, 0, error);
    } finally {
      timer?.cancel();
    }
  }

  async #answer(call: Call, sent: ClientRequest): Promise<IncomingMessage> {
    const response = await new Promise<IncomingMessage>((resolve) => sent.on("response", resolve));
    const status = response.statusCode ?? 0;
    if (status < 300 || call.alsoGood?.includes(status)) return response;
    const message = messageOf(await wholeText(response, call.what)) || `the engine answered ${status}`;
    throw new EngineError(`cannot ${call.what}: ${message}`, isConflict(message) ? 409 : status);
  }
}

/** An engine that refuses early stops reading; its answer says why, and not the broken pipe. */
function upload(archive: Readable, to: ClientRequest): void {
  archive.on("error", (error) => to.destroy(error));
  to.on("close", () => archive.destroy());
  archive.pipe(to);
}

async function wholeText(response: IncomingMessage, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longestAnswer) throw new EngineError(`cannot ${what}: the engine's answer has no end`, 0);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new EngineError(`cannot ${what}: the engine's answer is not JSON`, 0, cause);
  }
}

/** What an engine says when it refuses: `{"message": "…"}`, or plain text. */
function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message.trim() : "";
  } catch {
    return text.trim().slice(0, 1000);
  }
}

/** Podman answers 500 where Docker says that it is in the wrong state for this, or that the name is taken. */
function isConflict(message: string): boolean {
  return /container state improper|name .* is already in use/.test(message);
}

function unreachable(socketPath: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  const refused = [" (ENOENT)", " (ECONNREFUSED)", " (EACCES)"].includes(code);
  return refused
    ? `no container engine answers at ${socketPath}${code}`
    : `the connection to the container engine at ${socketPath} broke${code}`;
}

function queryOf(query: Call["query"]): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ""
    : `?${new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)]))}`;
}
