/** A listener in this process, beside whatever else a test runs on a cluster. */
import {
  type Clock,
  type Connection,
  createClient,
  createMetrics,
  Manager,
  type Metrics,
  OwnWrites,
  silentLogger,
  systemClock,
  unlimited,
} from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { addListener } from "../listener.ts";
import { ClusterRecords } from "../records/cluster/cluster-records.ts";
import type { RuntimeRecords } from "../records/runtime-records.ts";
import { readListenerSettings } from "../settings/listener.ts";

export interface RunningListener extends AsyncDisposable {
  readonly records: RuntimeRecords;
  readonly metrics: Metrics;
  /** Rejects where it ends by itself. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface ListenerTestOptions {
  env?: Record<string, string>;
  clock?: Clock;
  /** In the cluster unless given; then it stays open. */
  records?: RuntimeRecords;
}

export async function startListener(
  connection: Connection,
  { env = {}, clock = systemClock, records }: ListenerTestOptions = {},
): Promise<RunningListener> {
  const metrics = await createMetrics();
  const client = createClient({ connection, component: "listener", rate: unlimited, clock });
  const manager = new Manager({ component: "listener", client, log: silentLogger, metrics, clock });
  const kept =
    records ??
    new ClusterRecords({
      client: manager.client,
      instances: new OwnWrites(manager.informer(ChallengeInstances), clock),
    });
  addListener(manager, { settings: readListenerSettings(env), records: kept, metrics, clock });
  const stopping = new AbortController();
  const ended = manager.run(stopping.signal);
  ended.catch(() => {});
  const stop = async () => {
    stopping.abort();
    await ended;
    await client.close();
  };
  return { records: kept, metrics, ended, stop, [Symbol.asyncDispose]: stop };
}
