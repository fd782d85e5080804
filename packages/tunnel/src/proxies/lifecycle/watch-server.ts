/**
 * Watches one server proxy until it has ended, or is let go: its process, and what it tells of the pair. A server proxy
 * ends by itself when nobody watches it, so that a stream which breaks is opened again at once.
 */
import { type Clock, errorText, type Logger, type Random, sleep } from "@berg/kube";
import type { RunningServerProxy } from "../../server-proxy/launch.ts";
import type { ServerControl, ServerPrograms } from "./programs.ts";

export interface PairListener {
  ended(how: string): void;
  /** Undefined: they hear each other. */
  outOfTouch(why: string | undefined): void;
  serverUnreachable(tunnel: { id: number; name: string }, why: string): void;
  /** A stream has got through to it again. */
  serverReached(tunnelId: number): void;
}

export interface WatchedServer extends AsyncDisposable {
  readonly control: ServerControl;
}

const firstDelayMs = 100;
const longestDelayMs = 5_000;

export function watchServer(
  server: RunningServerProxy,
  listener: PairListener,
  around: { programs: Pick<ServerPrograms, "connect">; clock: Clock; random: Random; log: Logger },
): WatchedServer {
  const { programs } = around;
  const control = programs.connect(server.socket);
  const over = new AbortController();
  void server.exited.then(({ code, signal }) => {
    if (over.signal.aborted) return;
    over.abort();
    listener.ended(signal ? `signal ${signal}` : code === null ? "how is not known" : `exit code ${code}`);
  });
  const following = follow(control, listener, around, over.signal);
  return {
    control,
    async [Symbol.asyncDispose]() {
      over.abort();
      control[Symbol.dispose]();
      await following;
    },
  };
}

async function follow(
  control: ServerControl,
  listener: PairListener,
  { clock, random, log }: { clock: Clock; random: Random; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  let delayMs = firstDelayMs;
  while (!signal.aborted) {
    try {
      for await (const { what } of control.watch(signal)) {
        delayMs = firstDelayMs;
        if (what.case === "connected") listener.outOfTouch(undefined);
        if (what.case === "disconnected") listener.outOfTouch(what.value.message);
        if (what.case === "serverReached") listener.serverReached(what.value.tunnelId);
        if (what.case !== "serverUnreachable") continue;
        const { tunnelId: id, name, message } = what.value;
        listener.serverUnreachable({ id, name }, message);
      }
    } catch (error) {
      if (!signal.aborted) log.warn({ error: errorText(error) }, "a server proxy cannot be watched; trying again");
    }
    await sleep(clock, delayMs * (0.5 + random() / 2), signal).catch(() => {});
    delayMs = Math.min(longestDelayMs, delayMs * 2);
  }
}
