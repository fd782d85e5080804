import { setTimeout as delay } from "node:timers/promises";

/** Asks until the answer is neither undefined nor false, and gives it. `what` goes into the error. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`in ${withinMs} ms it did not happen that ${what}`);
    await delay(20);
  }
}
