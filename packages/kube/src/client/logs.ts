import { Pods } from "../kinds.ts";
import type { LogOptions } from "./client.ts";
import { objectPath, queryOf } from "./paths.ts";
import type { Flow, Outgoing, StreamReceiver } from "./transport.ts";

// A container can write faster than its reader reads; beyond this the server has to wait.
const mostBufferedCharacters = 1024 * 1024;

/** A log as it comes, in pieces of whole characters. Leaving the loop early ends the request. */
export async function* followLog(
  stream: (request: Outgoing, receiver: StreamReceiver) => Promise<void>,
  namespace: string,
  pod: string,
  options: LogOptions,
): AsyncGenerator<string> {
  const { signal, ...query } = options;
  const path = objectPath(Pods, namespace, pod, "log") + queryOf(query);
  const left = new AbortController();
  const decoder = new TextDecoder();
  let text = "";
  let finished = false;
  let wake = () => {};
  let flow: Flow | undefined;

  const ended = stream(
    {
      method: "GET",
      path,
      signal: signal ? AbortSignal.any([signal, left.signal]) : left.signal,
      unhurried: options.follow,
    },
    {
      onOpen(_, opened) {
        flow = opened;
      },
      onData(chunk) {
        text += decoder.decode(chunk, { stream: true });
        if (text.length > mostBufferedCharacters) flow?.pause();
        wake();
      },
    },
  ).finally(() => {
    finished = true;
    wake();
  });
  // Awaited below; until then a failure must not count as unhandled.
  ended.catch(() => {});

  try {
    while (!finished || text !== "") {
      if (text === "") {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const piece = text;
      text = "";
      flow?.resume();
      yield piece;
    }
    await ended;
  } finally {
    left.abort();
  }
}
