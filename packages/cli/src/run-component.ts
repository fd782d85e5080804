/** What `berg controller`, `berg listener`, `berg janitor` and `berg clusters` have in common when they run on a cluster. */
import {
  createClient,
  createMetrics,
  type Logger,
  loadConnection,
  Manager,
  type Metrics,
  podIdentity,
  runProcess,
  ServerClock,
  systemClock,
  unlimited,
} from "@berg/kube";
import { createLog } from "./log.ts";
import type { ProcessSettings } from "./process-settings.ts";

export interface Component extends ProcessSettings {
  name: "controller" | "listener" | "janitor" | "clusters";
  kubeconfig?: string | undefined;
  /** Of several, one works: the one that holds the lease. */
  isElected: boolean;
}

export interface Place {
  manager: Manager;
  metrics: Metrics;
  /** The API server's time, by which the times are to be read that it wrote. */
  clock: ServerClock;
  /** The one that this process runs in. */
  namespace: string;
  log: Logger;
  /** Aborted when this process is told to stop. */
  stop: AbortSignal;
  /** What is put here is closed when the manager has ended. */
  held: AsyncDisposableStack;
}

/** Runs what `add` puts into the manager until it is told to stop. */
export async function runComponent(
  { name, kubeconfig, isElected, logLevel, healthPort, metricsPort }: Component,
  add: (place: Place) => void | Promise<void>,
): Promise<void> {
  const log = createLog(logLevel);
  await runProcess(log, async (stop) => {
    const options = { ...(kubeconfig !== undefined && { kubeconfig }), clock: systemClock, signal: stop };
    const connection = await loadConnection(options);
    const namespace = process.env.POD_NAMESPACE || connection.namespace;
    const metrics = await createMetrics();
    const clock = new ServerClock(systemClock, log);
    // No limit of our own: the server knows its load better, and tells (429, priority and fairness).
    const client = createClient({
      connection,
      component: name,
      rate: unlimited,
      log,
      metrics: metrics.requests,
      serverClock: clock,
    });
    const manager = new Manager({
      component: name,
      client,
      log,
      metrics,
      // A client of its own: however much work waits, the lease is renewed.
      ...(isElected && {
        election: {
          client: createClient({ connection, component: `${name}-lease`, log }),
          namespace,
          exclusiveIdentity: podIdentity({ podUid: process.env.POD_UID, healthPort }),
        },
      }),
      health: { healthPort, metricsPort },
    });
    await using held = new AsyncDisposableStack();
    await add({ manager, metrics, clock, namespace, log, stop, held });
    await manager.run(stop);
  });
}
