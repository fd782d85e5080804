/** `berg tunnel`: the controllers of networks and tunnels on a cluster, with the engine of the machine that it runs on. */
import { join, resolve } from "node:path";
import { ConfigurationError, loadConnection, runProcess, systemClock } from "@berg/kube";
import { findEngine } from "@berg/local-engine";
import { createLog } from "../log.ts";
import { readProcessSettings } from "../process-settings.ts";
import { nodeName } from "../up/node.ts";
import { startTunnels } from "./start-tunnels.ts";
import type { TunnelCommandOptions } from "./tunnel.ts";

export async function runTunnel({ kubeconfig, dataDir, runtime }: TunnelCommandOptions): Promise<void> {
  const log = createLog(readProcessSettings(process.env).logLevel);
  await runProcess(log, async (stop) => {
    const options = { ...(kubeconfig !== undefined && { kubeconfig }), clock: systemClock, signal: stop };
    const connection = await loadConnection(options);
    const found = await findEngine(runtime, process.env, { clock: systemClock, signal: stop });
    if ("reason" in found) throw new ConfigurationError(`cannot run the proxies of tunnels: ${found.reason}`);
    await using _engine = found;
    const directory = resolve(dataDir);
    const around = { connection, engine: found.engine, log };
    await using tunnels = await startTunnels({
      ...around,
      node: nodeName(directory),
      directory: join(directory, "tunnel"),
    });
    log.info({ directory }, "networks and tunnels are looked after");
    const stopped = new Promise<void>((done) => stop.addEventListener("abort", () => done(), { once: true }));
    await Promise.race([stopped, tunnels.failed]);
  });
}
