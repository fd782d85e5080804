/** A manager that runs until it is told to stop, and what has to be closed after it. */
import type { Manager } from "@berg/kube";

export interface Running extends AsyncDisposable {
  /** Rejects where it ends by itself. */
  readonly failed: Promise<never>;
  /** Closes ports and connections. May be called again. */
  stop(): Promise<void>;
}

export function runUntilStopped(manager: Manager, close: () => Promise<unknown>): Running {
  const stopping = new AbortController();
  const run = manager.run(stopping.signal);
  const failure = Promise.withResolvers<never>();
  // Whoever does not ask is not told, and is not brought down by it either.
  failure.promise.catch(() => {});
  run.catch(failure.reject);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= (async () => {
      stopping.abort();
      await Promise.allSettled([run]);
      await close();
    })();
    return stopped;
  };
  return { failed: failure.promise, stop, [Symbol.asyncDispose]: stop };
}
