/** The controllers of ContainerNetworks and of tunnels, with the container engine of this machine. */
import { join } from "node:path";
import {
  aborted,
  ConfigurationError,
  type Connection,
  createClient,
  createMetrics,
  type Logger,
  Manager,
  type Metrics,
  systemClock,
  unlimited,
} from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import { addNetworkControllers, type Guests, startTunnelController, takeLockNow } from "@berg/tunnel";
import { version } from "../version.ts";

export interface TunnelsOptions {
  connection: Connection;
  engine: Engine;
  /** Marks what is ours on the engine: one for each data directory. */
  node: string;
  directory: string;
  /** Where somebody filters the traffic of networks. */
  guests?: Guests;
  /** Throws where nothing may be written: another process leads. */
  fence?: () => void;
  /** Where somebody serves them. */
  metrics?: Metrics;
  log: Logger;
}

export interface Tunnels extends AsyncDisposable {
  /** Rejects where they end by themselves. */
  readonly failed: Promise<never>;
  /** As its disposal; with `keepPairs` the proxies go on, for whoever comes within a minute. */
  stop(how?: { keepPairs?: boolean }): Promise<void>;
}

/** Runs them until `stop` or `lost`. Where the lease is lost, the proxies go on for the process that leads now. */
export async function runTunnels(
  options: TunnelsOptions,
  { stop, lost }: { stop: AbortSignal; lost: AbortSignal },
): Promise<void> {
  await using tunnels = await startTunnels(options);
  await Promise.race([aborted(stop), aborted(lost), tunnels.failed]);
  if (lost.aborted) await tunnels.stop({ keepPairs: true });
}

async function startTunnels(options: TunnelsOptions): Promise<Tunnels> {
  const { connection, engine, node, directory, fence, log } = options;
  await using parts = new AsyncDisposableStack();
  // What two of them make on the engine has the same marks: each would remove what it does not know of the other.
  const lock = await takeLockNow(join(directory, "controller.lock"));
  if (!lock) {
    const remedy = "Stop it, or use another --data-dir";
    throw new ConfigurationError(`another process looks after the tunnels of ${directory}. ${remedy}`);
  }
  parts.use(lock);
  const metrics = options.metrics ?? (await createMetrics());
  const free = createClient({ connection, component: "tunnel", rate: unlimited, log, metrics: metrics.requests });
  parts.defer(() => free.close());
  const client = fence ? free.guarded(fence) : free;
  const manager = new Manager({ component: "networks", client, log, metrics });
  addNetworkControllers(manager, { engine, node, clock: systemClock, log });
  const stopping = new AbortController();
  const run = manager.run(stopping.signal);
  run.catch(() => {});
  parts.defer(async () => {
    stopping.abort();
    await run.catch(() => {});
  });
  const controller = parts.use(await startTunnelController({ ...options, client, version, metrics }));
  const networksFailed = new Promise<never>((_, reject) => void run.catch(reject));
  const failed = Promise.race([controller.failed, networksFailed]);
  failed.catch(() => {});
  const running = parts.move();
  const stop: Tunnels["stop"] = async (how) => {
    await controller.stop(how);
    await running.disposeAsync();
  };
  return { failed, stop, [Symbol.asyncDispose]: () => stop() };
}
