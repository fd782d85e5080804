/** `berg listener`, as it runs on a cluster: one of several, of which one leads. */
import {
  addListener,
  ClusterRecords,
  openDatabaseRecords,
  type RuntimeRecords,
  readDatabaseAddress,
  readListenerSettings,
} from "@berg/healing";
import {
  ConfigurationError,
  createClient,
  createMetrics,
  loadConnection,
  Manager,
  OwnWrites,
  runProcess,
  systemClock,
  unlimited,
} from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { createLog } from "./log.ts";
import { readInto, readProcessSettings } from "./process-settings.ts";

/** Runs until it is told to stop. What is wrong in the environment ends it at once, with code 2 and a line for each. */
export async function runListener(options: { kubeconfig?: string }): Promise<void> {
  const mistakes: string[] = [];
  const settings = readInto(mistakes, () => readListenerSettings(process.env));
  const database = readInto(mistakes, () => readDatabaseUrl(process.env));
  const own = readInto(mistakes, () => readProcessSettings(process.env));
  if (!settings || !own || mistakes.length > 0) {
    process.stderr.write(mistakes.map((mistake) => `${mistake}\n`).join(""));
    process.exitCode = 2;
    return;
  }

  const log = createLog(own.logLevel);
  await runProcess(log, async (stop) => {
    const connection = await loadConnection({ ...options, clock: systemClock, signal: stop });
    const namespace = process.env.POD_NAMESPACE || connection.namespace;
    const metrics = await createMetrics();
    // No limit of our own: the server knows its load better, and tells (429, priority and fairness).
    const client = createClient({ connection, component: "listener", rate: unlimited, log, metrics: metrics.requests });
    const lease = createClient({ connection, component: "listener-lease", log });
    const { healthPort, metricsPort } = own;
    const manager = new Manager({
      component: "listener",
      client,
      log,
      metrics,
      election: { client: lease, namespace },
      health: { healthPort, metricsPort },
    });
    await using records =
      database === undefined ? clusterRecords(manager) : await openDatabaseRecords({ database, log });
    addListener(manager, { settings, records, metrics });
    await manager.run(stop);
  });
}

/** In the ChallengeInstances themselves. */
export function clusterRecords(manager: Manager): RuntimeRecords {
  const instances = new OwnWrites(manager.informer(ChallengeInstances), systemClock);
  return new ClusterRecords({ client: manager.client, instances });
}

/** Undefined where there is none. What is wrong with it is told without quoting it: it may hold a password. */
function readDatabaseUrl(env: Record<string, string | undefined>): string | undefined {
  const database = env.DATABASE_URL?.trim();
  if (!database) return undefined;
  try {
    readDatabaseAddress(database);
  } catch (error) {
    throw new ConfigurationError(`cannot read DATABASE_URL: ${(error as Error).message}`);
  }
  return database;
}
