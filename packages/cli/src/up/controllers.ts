/** Berg's own controllers, beside the control plane in the same process. */
import { addInstanceController, type Settings } from "@berg/instances";
import { type Connection, createClient, createMetrics, type Logger, Manager, unlimited } from "@berg/kube";

export interface Controllers extends AsyncDisposable {
  /** Rejects where they end by themselves. */
  readonly failed: Promise<never>;
}

export async function startControllers(
  connection: Connection,
  settings: Settings,
  namespace: string,
  log: Logger,
): Promise<Controllers> {
  const metrics = await createMetrics();
  const client = createClient({ connection, component: "controller", rate: unlimited, log, metrics: metrics.requests });
  const manager = new Manager({ component: "controller", client, log, metrics });
  addInstanceController(manager, { settings, namespace, metrics });
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
    },
  };
}
