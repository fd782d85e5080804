import { StatusError } from "@berg/apimachinery";
import { type Clock, type Random, sleep } from "../clock.ts";
import type { Logger } from "../log.ts";
import type { TokenBucket } from "../token-bucket.ts";
import { readAnswer, readText, refusal, warningsOf } from "./answer.ts";
import type { RequestMetrics } from "./metrics.ts";
import { defaultRetries, retryDelay } from "./retry.ts";
import type { Head, Incoming, Outgoing, StreamReceiver, Transport } from "./transport.ts";

interface Parts {
  transport: Transport;
  bucket: TokenBucket;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: RequestMetrics;
  guard?: () => void;
}

const noAnswer = "<error>";

/**
 * Requests to one server: each waits for its turn, is sent again where that is safe, and is counted.
 *
 *     turn (rate limit) ──► try ──► 401: once more, with credentials read anew
 *       ▲                    │
 *       └──── (wait) ◄───────┴──── failed, and may be repeated: see retry.ts
 */
export class Requests {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Every guard counts: a second one does not lift the first. */
  guarded(guard: () => void): Requests {
    const outer = this.#parts.guard;
    const both = () => {
      outer?.();
      guard();
    };
    return new Requests({ ...this.#parts, guard: both });
  }

  /** Sends until it is answered, or until another try would be wrong or futile. */
  async json<T>(request: Outgoing, options: { idempotent?: boolean } = {}): Promise<T> {
    const { clock, random, metrics, log, transport } = this.#parts;
    const { method, path, signal } = request;
    const asked = { ...request, headers: { accept: "application/json", ...request.headers } };
    const idempotent = options.idempotent ?? method === "GET";
    for (let attempt = 1; ; attempt++) {
      try {
        return readAnswer<T>(await this.#send(asked));
      } catch (error) {
        const delay = retryDelay(defaultRetries, { error, attempt, idempotent }, random);
        if (delay === undefined) throw error;
        const code = error instanceof StatusError ? String(error.code) : noAnswer;
        metrics.retried({ method, host: transport.host, code });
        log.debug(
          { method, path: withoutQuery(path), attempt, code, delay: Math.round(delay) },
          "request is tried again",
        );
        await sleep(clock, delay, signal);
      }
    }
  }

  /** Sends once: who asks `/readyz` wants to know how it is now. */
  async text(request: Outgoing): Promise<string> {
    return readText(await this.#send(request));
  }

  /** Opens a stream once; who follows it knows best how to go on after its end. */
  async stream(request: Outgoing, receiver: StreamReceiver): Promise<void> {
    const answer = await this.#inTurn(request, (guarded, onAnswer) =>
      this.#parts.transport.stream(guarded, {
        onOpen: (head, flow) => {
          onAnswer(head);
          receiver.onOpen(head, flow);
        },
        onData: (chunk) => receiver.onData(chunk),
      }),
    );
    if (answer.status >= 300) throw refusal(answer);
  }

  #send(request: Outgoing): Promise<Incoming> {
    return this.#inTurn(request, (guarded) => this.#parts.transport.send(guarded));
  }

  async #inTurn(
    request: Outgoing,
    send: (request: Outgoing, onAnswer: (head: Head) => void) => Promise<Incoming>,
  ): Promise<Incoming> {
    const { bucket, clock, metrics, guard } = this.#parts;
    const asked = clock.monotonic();
    await bucket.wait(request.signal);
    metrics.rateLimited((clock.monotonic() - asked) / 1000);

    const guarded = { ...request, guard: request.method === "GET" ? undefined : guard };
    const answer = await this.#counted(request, (onAnswer) => send(guarded, onAnswer));
    // The token or certificate may just have been rotated. The transport has let go of the old one: ask once more.
    return answer.status === 401 ? this.#counted(request, (onAnswer) => send(guarded, onAnswer)) : answer;
  }

  /** One try, counted once: when it is answered (a stream: when it opens), or when it fails before that. */
  async #counted(
    { method, path }: Outgoing,
    send: (onAnswer: (head: Head) => void) => Promise<Incoming>,
  ): Promise<Incoming> {
    const { clock, metrics, transport, log } = this.#parts;
    const started = clock.monotonic();
    let counted = false;
    const count = (head?: Head) => {
      if (counted) return;
      counted = true;
      const code = head ? String(head.status) : noAnswer;
      metrics.finished({ method, host: transport.host, code }, (clock.monotonic() - started) / 1000);
      for (const warning of head ? warningsOf(head) : []) {
        log.warn({ method, path: withoutQuery(path), warning }, "the server warns");
      }
    };
    try {
      const answer = await send(count);
      count(answer);
      return answer;
    } finally {
      count();
    }
  }
}

function withoutQuery(path: string): string {
  return path.split("?", 1)[0] as string;
}
