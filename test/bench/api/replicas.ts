/** Two replicas on PostgreSQL: how much more they read than one, and how late Kubernetes follows the database. */
import { missingPostgres } from "../../postgres/missing.ts";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure, median } from "../figure.ts";
import { runChild } from "../runtime/child.ts";
import { challengeName, namespace, type ReplicatedSite, startReplicatedSite } from "./site.ts";
import type { SyncLoadSettings } from "./sync-load.ts";
import type { Throughput, ThroughputSettings } from "./throughput-load.ts";

export const changesPerSecond = 50;
const longestLagMs = 500;
const readers = 16;
/** Reads the database each time. */
const path = "/api/instances/current";

export async function replicaFigures(options: BenchOptions): Promise<Figure[]> {
  const { quick, say } = options;
  const missing = missingPostgres();
  if (missing) {
    say(`leaving out PostgreSQL: ${missing}`);
    return [];
  }
  const changes = changesPerSecond * (quick ? 10 : 60);
  // Each is started and stopped once.
  await using site = await startReplicatedSite(changes / 2);
  return [await syncLag(site, changes, options), await reads(site, options)];
}

async function syncLag(site: ReplicatedSite, changes: number, { say }: BenchOptions): Promise<Figure> {
  say(`${changes} starts and stops on two replicas, ${changesPerSecond} a second`);
  const { targets, publicUrl, server, accounts } = site;
  const settings: SyncLoadSettings = {
    ...{ targets, publicUrl, server, accounts },
    ...{ namespace, challengeName, changesPerSecond },
  };
  const { lagP99Ms } = await runChild<{ lagP99Ms: number }>(new URL("./sync-load.ts", import.meta.url), settings);
  return compare({
    name: `start or stop to its ChallengeInstance, p99 at ${changesPerSecond}/s, two replicas on PostgreSQL, beside the limit`,
    unit: "ms",
    value: lagP99Ms,
    beside: longestLagMs,
    goal: { atMost: 1 },
  });
}

async function reads({ targets, accounts }: ReplicatedSite, { quick, say }: BenchOptions): Promise<Figure> {
  const size = quick ? { rounds: 3, requests: 2_000 } : { rounds: 9, requests: 10_000 };
  say(`${size.rounds} rounds of ${size.requests} reads on one replica and on two`);
  const cookies = accounts.slice(0, readers).map(({ cookie }) => cookie);
  const settings: ThroughputSettings = { ...size, one: [targets[0]], two: targets, cookies, path };
  const { one, two } = await runChild<Throughput>(new URL("./throughput-load.ts", import.meta.url), settings);
  return compare({
    name: "instances/current on two replicas on PostgreSQL, beside one",
    unit: "reads/s",
    value: median(two),
    beside: median(one),
    goal: { atLeast: 1 },
  });
}
