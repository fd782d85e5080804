/** A network gets a part of a pool that nothing else on this machine has. */
import { createHash } from "node:crypto";
import { networkInterfaces } from "node:os";
import { countParts, doOverlap, partOf, type Range, readRange, writeAddress, writeRange } from "./addresses.ts";
import { type Engine, EngineError } from "./engine.ts";

export interface Subnet {
  readonly subnet: string;
  /** The host's own address in it: the first. */
  readonly gateway: string;
}

export interface SubnetPool {
  readonly range: Range;
  /** Of each part. */
  readonly bits: number;
}

/** Subnets that something else on the host has, unknown to us. */
const mostAttempts = 8;

/** What `create` makes in the first part that the engine takes. `key`: see freeSubnets; `owner` is for the text. */
export async function createInFreeSubnet<T>(
  engine: Pick<Engine, "listNetworks">,
  pool: SubnetPool,
  { key, owner }: { key: string; owner: string },
  create: (subnet: Subnet) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  let failure: unknown;
  let attempt = 0;
  for (const subnet of freeSubnets(pool, await takenRanges(engine, signal), key)) {
    try {
      return await create(subnet);
    } catch (error) {
      // No answer at all, or our own stop: another subnet is of no use.
      if (!(error instanceof EngineError) || error.status === 0 || ++attempt === mostAttempts) throw error;
      failure = error;
    }
  }
  throw failure ?? new Error(`no network is left for ${owner}: all of ${writeRange(pool.range)} is taken`);
}

/**
 * Those that are free, in the order in which to try them. It starts at a place that follows from the key, so that two
 * programs on one host, which do not know of each other's plans, hardly ever choose the same.
 */
export function* freeSubnets({ range, bits }: SubnetPool, taken: readonly string[], key: string): Generator<Subnet> {
  const used = taken.flatMap((text) => readRange(text) ?? []);
  const count = countParts(range, bits);
  const start = createHash("sha256").update(key).digest().readUInt32BE() % count;
  for (let i = 0; i < count; i++) {
    const part = partOf(range, bits, (start + i) % count);
    if (used.some((other) => doOverlap(other, part))) continue;
    yield { subnet: writeRange(part), gateway: writeAddress(part.first + 1) };
  }
}

async function takenRanges(engine: Pick<Engine, "listNetworks">, signal?: AbortSignal): Promise<string[]> {
  const networks = await engine.listNetworks({}, signal);
  const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return [...networks.flatMap(({ subnets }) => subnets), ...interfaces.flatMap(({ cidr }) => cidr ?? [])];
}
