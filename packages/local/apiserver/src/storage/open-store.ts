/** Opens a store, with all that was in it when it was last open. */
import type { Clock } from "@berg/kube";
import { type Disk, DiskError, type DiskObject, noDisk } from "./disk.ts";
import type { HistoryLimits } from "./history.ts";
import { SqliteDisk } from "./sqlite-disk.ts";
import { MvccStore } from "./store.ts";
import type { AnyStored, Store } from "./table.ts";

export interface StoreOptions {
  /** A SQLite file, made where there is none; `:memory:` keeps nothing. */
  file: string;
  clock: Clock;
  /** How much of the past can be watched and listed. */
  history?: Partial<HistoryLimits>;
}

// Twice as long as etcd keeps it for kube-apiserver, so that a laptop that slept for a moment need not list everything.
const defaultLimits: HistoryLimits = { fewest: 1_000, most: 50_000, keptForMs: 10 * 60_000 };

/**
 *     await using store = await openStore({ file: ".berg/store.db", clock: systemClock });
 *     await store.table("pods").put(pod);
 */
export function openStore({ file, clock, history }: StoreOptions): Promise<Store> {
  return openStoreOn(file === ":memory:" ? noDisk : new SqliteDisk(file), clock, { ...defaultLimits, ...history });
}

export async function openStoreOn(disk: Disk, clock: Clock, limits: HistoryLimits): Promise<Store> {
  const revision = await disk.open();
  const store = new MvccStore(clock, disk, revision, limits);
  try {
    for await (const objects of disk.load()) {
      for (const object of objects) store.table(object.table).load(parse(object));
    }
  } catch (error) {
    await disk.close(revision);
    throw error;
  }
  return store;
}

function parse({ table, key, text }: DiskObject): AnyStored {
  try {
    return JSON.parse(text) as AnyStored;
  } catch {
    // Without what the parser says: it quotes the text, which may be a Secret.
    throw new DiskError(`cannot read the store: what it holds as ${table} ${key} is not JSON`);
  }
}
