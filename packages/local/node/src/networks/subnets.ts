/** Which part of the pool the next namespace gets. */
import { countParts, doOverlap, partOf, type Range, readRange, writeAddress, writeRange } from "./addresses.ts";
import { hashNumber } from "./names.ts";

export interface Subnet {
  readonly subnet: string;
  /** The host's own address in it: the first. */
  readonly gateway: string;
}

/** 253 pods. */
const subnetBits = 24;

export function readPool(text: string): Range {
  const pool = readRange(text);
  if (!pool || pool.bits > subnetBits)
    throw new Error(
      `${JSON.stringify(text)} is not a range for pods: use an IPv4 range of /24 or more, as 10.202.0.0/16`,
    );
  return pool;
}

/**
 * Those that are free, in the order in which to try them. It starts at a place that follows from the namespace, so that
 * two nodes on one host, which do not know of each other's plans, hardly ever choose the same.
 */
export function* freeSubnets(pool: Range, taken: readonly string[], key: string): Generator<Subnet> {
  const used = taken.flatMap((text) => readRange(text) ?? []);
  const count = countParts(pool, subnetBits);
  const start = hashNumber(key) % count;
  for (let i = 0; i < count; i++) {
    const part = partOf(pool, subnetBits, (start + i) % count);
    if (used.some((range) => doOverlap(range, part))) continue;
    yield { subnet: writeRange(part), gateway: writeAddress(part.first + 1) };
  }
}
