/** Berg's own controllers, beside the control plane in the same process: that of instances, and the listener. */
import { addListener, readListenerSettings } from "@berg/healing";
import { addInstanceController, type Settings } from "@berg/instances";
import { type Connection, createClient, createMetrics, type Logger, Manager, systemClock, unlimited } from "@berg/kube";
import { clusterRecords } from "../run-listener.ts";

export interface Controllers extends AsyncDisposable {
  /** Rejects where they end by themselves. */
  readonly failed: Promise<never>;
}

/** One manager for both: they share their copies of what is in the cluster. */
export async function startControllers(
  connection: Connection,
  settings: Settings,
  namespace: string,
  log: Logger,
): Promise<Controllers> {
  const listenerSettings = readListenerSettings(process.env);
  const metrics = await createMetrics();
  const client = createClient({ connection, component: "controller", rate: unlimited, log, metrics: metrics.requests });
  const manager = new Manager({ component: "controller", client, log, metrics });
  // The API server is on this machine, and has its clock.
  addInstanceController(manager, { settings, namespace, metrics, serverClock: systemClock });
  // Never in a database here: a DATABASE_URL that happens to be set on somebody's own machine is meant for another program.
  const records = clusterRecords(manager);
  addListener(manager, { settings: listenerSettings, records, metrics });
  const stopping = new AbortController();
  const run = manager.run(stopping.signal);
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  run.catch(failure.reject);
  return {
    failed: failure.promise,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await run.catch(() => {});
      await records[Symbol.asyncDispose]();
    },
  };
}
