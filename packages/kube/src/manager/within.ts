import type { Clock } from "../clock.ts";

/** Gives work a signal that is aborted after so long. It is up to the work to end then. */
export async function within<T>(clock: Clock, limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = clock.setTimer(limitMs, () => late.abort(new Error(`it took longer than ${limitMs} ms`)));
  try {
    return await work(late.signal);
  } finally {
    timer.cancel();
  }
}
