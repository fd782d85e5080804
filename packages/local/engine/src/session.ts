/**
 * Calls in the version that the engine speaks. It is asked at the first call, and again after it could not be reached:
 * what comes back may be another. So is what it is: Podman runs several programs for each such answer, up to a second
 * of work, and what it says is the same until it is another.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "@berg/kube";
import { abortable } from "./abortable.ts";
import { type InfoAnswer, infoOf } from "./answers.ts";
import { EngineError, type EngineInfo } from "./engine.ts";
import { OomLog } from "./oom.ts";
import { type Dialect, dialectOf, podmanDialect, type VersionAnswer } from "./version.ts";
import { type Answer, type Call, Wire } from "./wire.ts";

/** Reading takes no time; writing may wait for others' writing, on a slow disk. */
const readingMs = 30_000;
const writingMs = 120_000;

/** `prefix`: in place of the version's, for another API than Docker's. */
export type SessionCall = Call & { prefix?: string | undefined };

export class Session {
  readonly clock: Clock;
  readonly oomLog = new OomLog();
  readonly #wire: Wire;
  #dialect: Promise<Dialect> | undefined;
  #info: EngineInfo | undefined;

  constructor(socketPath: string, clock: Clock) {
    this.clock = clock;
    this.#wire = new Wire(socketPath, clock);
  }

  /** Answered whole, within the usual time unless told otherwise. */
  send(call: SessionCall): Promise<Answer> {
    const deadlineMs = call.method === "GET" ? readingMs : writingMs;
    return this.#spoken({ deadlineMs, ...call }, (spoken) => this.#wire.send(spoken));
  }

  /** Undefined where the engine has no such thing. */
  async find(call: SessionCall): Promise<unknown> {
    const { status, body } = await this.send({ ...call, alsoGood: [404] });
    return status === 404 ? undefined : body;
  }

  /** A streamed answer, to be read or destroyed by the caller. */
  open(call: SessionCall): Promise<IncomingMessage> {
    return this.#spoken(call, (spoken) => this.#wire.open(spoken));
  }

  /** The connection itself, for both directions. */
  upgrade(call: SessionCall): Promise<Socket> {
    return this.#spoken(call, (spoken) => this.#wire.upgrade(spoken));
  }

  dialect(what: string, signal?: AbortSignal): Promise<Dialect> {
    // Shared by calls that may be aborted one by one, so it ends by its deadline alone.
    this.#dialect ??= this.#askDialect({ what, method: "GET", path: "/_ping", deadlineMs: readingMs });
    const asked = this.#dialect;
    asked.catch(() => {
      if (this.#dialect === asked) this.#dialect = undefined;
    });
    return abortable(asked, signal);
  }

  async #askDialect(ping: Call): Promise<Dialect> {
    const answer = await this.#wire.open(ping);
    answer.resume();
    const podman = podmanDialect(answer.headers);
    if (podman) return podman;
    const { body } = await this.#wire.send({ ...ping, path: "/version" });
    return dialectOf((body ?? {}) as VersionAnswer);
  }

  /** Also tells whether it is there. */
  async info(signal?: AbortSignal): Promise<EngineInfo> {
    const what = "ask the container engine what it is";
    if (this.#info) {
      const known = this.#info;
      (await this.open({ what, method: "GET", path: "/_ping", prefix: "", deadlineMs: readingMs, signal })).resume();
      return known;
    }
    const { name } = await this.dialect(what, signal);
    const { body } = await this.send({ what, method: "GET", path: "/info", signal });
    this.#info = infoOf(body as InfoAnswer, name);
    return this.#info;
  }

  async #spoken<T>({ prefix, ...call }: SessionCall, send: (call: Call) => Promise<T>): Promise<T> {
    try {
      const before = prefix ?? (await this.dialect(call.what, call.signal)).prefix;
      return await send({ ...call, path: `${before}${call.path}` });
    } catch (error) {
      if (error instanceof EngineError && error.status === 0) {
        this.#dialect = undefined;
        this.#info = undefined;
      }
      throw error;
    }
  }
}
