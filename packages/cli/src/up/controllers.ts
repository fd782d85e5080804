/** Berg's own controllers in the process of the control plane: those of instances, of the listener and of the API. */
import type { RunningApi } from "@berg/api";
import { addListener, readListenerSettings } from "@berg/healing";
import { addInstanceController, type Settings } from "@berg/instances";
import {
  type Connection,
  createClient,
  createMetrics,
  type Logger,
  Manager,
  type Metrics,
  systemClock,
  unlimited,
} from "@berg/kube";
import { clusterRecords } from "../run-listener.ts";
import { type ElectedComponent, type Running, runElected, upIdentity } from "./elected.ts";

export interface ControllerOptions {
  connection: Connection;
  settings: Settings;
  namespace: string;
  api: RunningApi | undefined;
  log: Logger;
}

/** A manager for each: each has a lease of its own, and may lose it alone. */
export function startControllers({ connection, settings, namespace, api, log }: ControllerOptions): Running {
  const listenerSettings = readListenerSettings(process.env);
  const start = (component: ElectedComponent, add: AddControllers) =>
    runElected(component, (stop) => runManager(component, connection, add, log, stop), log);
  const controller = start("controller", (manager, metrics) => {
    // The API server is on this machine, and has its clock.
    addInstanceController(manager, { settings, namespace, metrics, log, serverClock: systemClock });
  });
  const listener = start("listener", (manager, metrics, parts) => {
    // Never in a database: a DATABASE_URL in the environment of a laptop is meant for another program.
    const records = parts.use(clusterRecords(manager));
    addListener(manager, { settings: listenerSettings, records, metrics });
  });
  const running = [controller, listener, ...(api ? [start("api", (manager) => api.attach(manager))] : [])];
  return {
    failed: Promise.race(running.map(({ failed }) => failed)),
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

type AddControllers = (manager: Manager, metrics: Metrics, parts: AsyncDisposableStack) => void;

async function runManager(
  component: ElectedComponent,
  connection: Connection,
  add: AddControllers,
  log: Logger,
  stop: AbortSignal,
): Promise<void> {
  const metrics = await createMetrics();
  await using parts = new AsyncDisposableStack();
  const client = createClient({ connection, component, rate: unlimited, log, metrics: metrics.requests });
  parts.defer(() => client.close());
  const leaseClient = createClient({ connection, component: `${component}-lease`, log });
  parts.defer(() => leaseClient.close());
  const election = { client: leaseClient, namespace: connection.namespace, exclusiveIdentity: upIdentity };
  const manager = new Manager({ component, client, log, metrics, election });
  add(manager, metrics, parts);
  await manager.run(stop);
}
