/** `berg listener`, as it runs on a cluster: one of several, of which one leads. */
import {
  addListener,
  ClusterRecords,
  openDatabaseRecords,
  type RuntimeRecords,
  readDatabaseAddress,
  readListenerSettings,
} from "@berg/healing";
import { ConfigurationError, type Manager, OwnWrites, systemClock } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { readInto, readProcessSettings, refuse } from "./process-settings.ts";
import { runComponent } from "./run-component.ts";

/** Runs until it is told to stop. What is wrong in the environment ends it at once, with code 2 and a line for each. */
export async function runListener({ kubeconfig }: { kubeconfig?: string }): Promise<void> {
  const mistakes: string[] = [];
  const settings = readInto(mistakes, () => readListenerSettings(process.env));
  const database = readInto(mistakes, () => readDatabaseUrl(process.env));
  const own = readInto(mistakes, () => readProcessSettings(process.env));
  if (!settings || !own || mistakes.length > 0) return refuse(mistakes);
  const component = { name: "listener", kubeconfig, isElected: true, ...own } as const;
  await runComponent(component, async ({ manager, metrics, log, held }) => {
    const records = database === undefined ? clusterRecords(manager) : await openDatabaseRecords({ database, log });
    addListener(manager, { settings, records: held.use(records), metrics });
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
