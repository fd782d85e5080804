/**
 * `berg tunnel`: the controllers of networks and tunnels on a cluster, with the engine of the machine that it runs on.
 * One of several works; see lead.ts.
 */
import { join, resolve } from "node:path";
import {
  ConfigurationError,
  createClient,
  createMetrics,
  type Logger,
  loadConnection,
  Manager,
  type Metrics,
  runProcess,
  systemClock,
} from "@berg/kube";
import { findEngine } from "@berg/local-engine";
import { createLog } from "../log.ts";
import { type ProcessSettings, readInto, readProcessSettings, refuse } from "../process-settings.ts";
import { nodeName } from "../up/node.ts";
import { lead } from "./lead.ts";
import { requireKinds } from "./required-kinds.ts";
import { runTunnels } from "./start-tunnels.ts";
import type { TunnelCommandOptions } from "./tunnel.ts";

/** Runs until it is told to stop. What is wrong in the environment ends it at once, with code 2 and a line for each. */
export async function runTunnel(options: TunnelCommandOptions): Promise<void> {
  const mistakes: string[] = [];
  const own = readInto(mistakes, () => readProcessSettings(process.env));
  if (!own) return refuse(mistakes);
  const log = createLog(own.logLevel);
  await runProcess(log, (stop) => runUntil(stop, options, own, log));
}

async function runUntil(
  stop: AbortSignal,
  { kubeconfig, dataDir, runtime }: TunnelCommandOptions,
  own: ProcessSettings,
  log: Logger,
): Promise<void> {
  const connection = await loadConnection({
    ...(kubeconfig !== undefined && { kubeconfig }),
    clock: systemClock,
    signal: stop,
  });
  const found = await findEngine(runtime, process.env, { clock: systemClock, signal: stop });
  if ("reason" in found) throw new ConfigurationError(`cannot run the proxies of tunnels: ${found.reason}`);
  await using _engine = found;
  const directory = resolve(dataDir);
  const metrics = await createMetrics();
  const client = createClient({ connection, component: "tunnel-lease", log });
  const namespace = process.env.POD_NAMESPACE || connection.namespace;
  await using parts = new AsyncDisposableStack();
  parts.defer(() => client.close());
  const serving = parts.use(serveFigures(own, metrics, client, log));
  // One that does not answer yet is asked again when it has given the lease.
  await requireKinds(client, stop).catch((error: unknown) => {
    if (error instanceof ConfigurationError) throw error;
  });
  const leading = lead({ lease: "berg-tunnel", namespace, client, metrics, log, stop }, async ({ fence, lost }) => {
    await requireKinds(client, lost);
    const around = { connection, engine: found.engine, fence, metrics, log };
    const node = nodeName(directory);
    log.info({ directory }, "networks and tunnels are looked after");
    await runTunnels({ ...around, node, directory: join(directory, "tunnel") }, { stop, lost });
  });
  await Promise.race([leading, serving.failed]);
}

/** Health and metrics. Not on all addresses: on this machine there are networks of containers that nobody trusts. */
function serveFigures(own: ProcessSettings, metrics: Metrics, client: Manager["client"], log: Logger) {
  const { healthPort, metricsPort } = own;
  const health = { host: "127.0.0.1", healthPort, metricsPort };
  const stopping = new AbortController();
  const run = new Manager({ component: "tunnel", client, log, metrics, health }).run(stopping.signal);
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  run.catch(failed.reject);
  return {
    failed: failed.promise,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await run.catch(() => {});
    },
  };
}
