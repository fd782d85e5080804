/** Two ways to ask for many things: as fast as they get done, or as fast as people come. */
import { setTimeout as delay } from "node:timers/promises";

/** `count` times, always `limit` of them under way. */
export async function inFlight(count: number, limit: number, doOne: () => Promise<unknown>): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left-- > 0) await doOne();
  };
  await Promise.all(Array.from({ length: Math.min(limit, count) }, lane));
}

/** Starts one after the other at a fixed rate, however long each takes; resolves when all are done. */
export async function atRate(perSecond: number, count: number, doOne: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  const all: Promise<unknown>[] = [];
  for (let index = 0; index < count; index++) {
    await delay(Math.max(0, started + (index * 1000) / perSecond - performance.now()));
    all.push(doOne());
  }
  await Promise.all(all);
}

/** The value that this share of all does not exceed: `quantile(delays, 0.99)`. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError("cannot take a quantile of nothing");
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number;
}
