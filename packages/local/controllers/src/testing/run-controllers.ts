/** Controllers of this package at work on a control plane, for the length of a test. */
import {
  type Client,
  type Connection,
  createClient,
  createMetrics,
  Manager,
  silentLogger,
  unlimited,
} from "@berg/kube";

export interface Running extends AsyncDisposable {
  /** For the test itself; the controllers have one of their own. */
  readonly client: Client;
}

export async function runControllers(connection: Connection, add: (manager: Manager) => void): Promise<Running> {
  const client = createClient({ connection, rate: unlimited });
  const own = createClient({ connection, rate: unlimited, component: "controllers" });
  const manager = new Manager({ component: "test", client: own, log: silentLogger, metrics: await createMetrics() });
  add(manager);
  const stop = new AbortController();
  const run = manager.run(stop.signal);
  run.catch(() => {});
  return {
    client,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await run;
      await Promise.all([client.close(), own.close()]);
    },
  };
}
