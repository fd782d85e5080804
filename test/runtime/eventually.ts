import { setTimeout as delay } from "node:timers/promises";

/** Waits until it holds. `what` goes into the error: `eventually("the watch is open", () => proxy.openWatches === 1)`. */
export async function eventually(
  what: string,
  holds: () => unknown,
  withinMs = 60_000,
  pollIntervalMs = 20,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`in ${withinMs} ms it did not happen that ${what}`);
    await delay(pollIntervalMs);
  }
}
