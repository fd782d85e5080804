/**
 * One request and its answer, on undici's own handlers rather than its streams: a watch is the busiest path of the
 * runtime, and a handler sees each piece as it leaves the socket.
 */
import type { Dispatcher, Pool } from "undici";

export interface Outgoing {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal | undefined;
  /** Called right before the bytes go to the socket; what it throws ends the request unsent. */
  guard?: (() => void) | undefined;
  /** The answer may begin hours later: the log of a silent container has no first line yet. */
  unhurried?: boolean | undefined;
}

/** How an answer begins. */
export interface Head {
  status: number;
  headers: Record<string, string | string[] | undefined>;
}

/** A body that comes faster than it is used can be held back. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** Takes an answer as it comes. What a method throws ends the exchange with that error. */
export interface Receiver {
  onHead?(head: Head, flow: Flow): void;
  onData(chunk: Buffer): void;
}

/** The connection could not be made, or broke. `sent` says whether the server may have seen the request. */
export class ConnectionError extends Error {
  readonly sent: boolean;

  constructor(message: string, options: { sent: boolean; cause: unknown }) {
    super(message, { cause: options.cause });
    this.name = "ConnectionError";
    this.sent = options.sent;
  }
}

/** Resolves at the end of the answer, whatever its status. `request.path` stands below `base`. */
export function exchange(
  pool: Pool,
  target: { origin: string; base: string },
  request: Outgoing,
  receiver: Receiver,
): Promise<Head> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let head: Head | undefined;
    let over = false;

    // The first end counts. What is thrown by an abort, a guard or a receiver is passed on as it is.
    const end = (finish: () => void) => {
      if (over) return;
      over = true;
      signal?.removeEventListener("abort", onAbort);
      finish();
    };
    const fail = (error: unknown) =>
      end(() => {
        reject(error);
        controller?.abort(error instanceof Error ? error : new Error(String(error)));
      });
    const onAbort = () => fail(signal?.reason);
    const attempt = (action: () => void) => {
      if (over) return;
      try {
        action();
      } catch (error) {
        fail(error);
      }
    };

    if (signal?.aborted) return onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    pool.dispatch(
      {
        path: target.base + request.path,
        method: request.method,
        headers: request.headers ?? {},
        body: request.body ?? null,
        ...(request.unhurried && { headersTimeout: 0 }),
      },
      {
        // Its turn may come late: it waits for a connection to be made or to be free.
        onRequestStart(started) {
          attempt(() => request.guard?.());
          // A throw tells undici not to send, and leaves the connection to the next request; an abort would cut it.
          if (over) throw new Error("given up before it was sent");
          controller = started;
        },
        onResponseStart(flow, status, headers) {
          // An interim answer such as 103 announces the real one.
          if (status < 200) return;
          const begun = { status, headers };
          head = begun;
          attempt(() => receiver.onHead?.(begun, flow));
        },
        onResponseData: (_, chunk) => attempt(() => receiver.onData(chunk)),
        onResponseEnd: () => end(() => resolve(head as Head)),
        onResponseError: (_, cause) =>
          end(() => {
            const sent = controller !== undefined;
            reject(new ConnectionError(describe(cause, request, target.origin), { sent, cause }));
          }),
      },
    );
  });
}

function describe(cause: Error, request: Outgoing, origin: string): string {
  const path = request.path.split("?")[0];
  const why = cause.message || (cause as { code?: string }).code || cause.name;
  return `${request.method} ${origin}${path}: ${why}`;
}
