/** `berg listener`, as it runs on a cluster: one of several, of which one leads. */
import {
  addListener,
  ClusterRecords,
  LateRecords,
  openDatabaseRecords,
  type RuntimeRecords,
  readDatabaseAddress,
  readListenerSettings,
} from "@berg/healing";
import { ConfigurationError, type Manager, OwnWrites, systemClock } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { readInto, readProcessSettings, refuse } from "./process-settings.ts";
import { type Place, runComponent } from "./run-component.ts";

/** Runs until it is told to stop. What is wrong in the environment ends it at once, with code 2 and a line for each. */
export async function runListener({ kubeconfig }: { kubeconfig?: string }): Promise<void> {
  const mistakes: string[] = [];
  const settings = readInto(mistakes, () => readListenerSettings(process.env));
  const database = readInto(mistakes, () => readDatabaseUrl(process.env));
  const own = readInto(mistakes, () => readProcessSettings(process.env));
  if (!settings || !own || mistakes.length > 0) return refuse(mistakes);
  const component = { name: "listener", kubeconfig, isElected: true, ...own } as const;
  await runComponent(component, (place) => {
    const { manager, metrics, clock, held } = place;
    const records = database === undefined ? clusterRecords(manager) : databaseRecords(database, place);
    addListener(manager, { settings, records: held.use(records), metrics, clock });
  });
}

/** In the ChallengeInstances themselves. */
export function clusterRecords(manager: Manager): RuntimeRecords {
  const instances = new OwnWrites(manager.informer(ChallengeInstances), systemClock);
  return new ClusterRecords({ client: manager.client, instances });
}

/** The rest of the listener does not wait for them: without them, too, it finds what is stuck and sweeps ghosts. */
function databaseRecords(database: string, { manager, clock, log, stop }: Place): RuntimeRecords {
  const records = new LateRecords(() => openDatabaseRecords({ database, log }), { clock, log, stop });
  manager.addReadyNote("database", () => (records.isOpen ? "open" : "waiting for the database, see the log"));
  return records;
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
