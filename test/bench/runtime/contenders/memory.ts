import { setTimeout as delay } from "node:timers/promises";

export interface Memory {
  /** What the machine has to hold for the process. */
  resident: number;
  /** What of it is objects in use. */
  heap: number;
}

/** After what can go is gone: V8 gives memory back in steps. Needs --expose-gc. */
export async function settledMemory(): Promise<Memory> {
  for (let round = 0; round < 8; round++) {
    globalThis.gc?.();
    await delay(100);
  }
  const { rss, heapUsed } = process.memoryUsage();
  return { resident: rss / 2 ** 20, heap: heapUsed / 2 ** 20 };
}
