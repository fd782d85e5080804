import { addInstanceController, readSettings } from "@berg/instances";
import { createClient, createMetrics, loadConnection, Manager, runProcess, systemClock, unlimited } from "@berg/kube";
import { createLog } from "./log.ts";
import { readInto, readProcessSettings } from "./process-settings.ts";

/** Runs until it is told to stop. What is wrong in the environment ends it at once, with code 2 and a line for each. */
export async function runController(options: { kubeconfig?: string }): Promise<void> {
  const mistakes: string[] = [];
  const settings = readInto(mistakes, () => readSettings(process.env));
  const own = readInto(mistakes, () => readProcessSettings(process.env));
  if (!settings || !own) {
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
    const client = createClient({
      connection,
      component: "controller",
      rate: unlimited,
      log,
      metrics: metrics.requests,
    });
    const lease = createClient({ connection, component: "controller-lease", log });
    const { healthPort, metricsPort } = own;
    const manager = new Manager({
      component: "controller",
      client,
      log,
      metrics,
      election: { client: lease, namespace },
      health: { healthPort, metricsPort },
    });
    addInstanceController(manager, { settings, namespace, metrics });
    await manager.run(stop);
  });
}
