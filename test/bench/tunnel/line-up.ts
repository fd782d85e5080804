/** Who is compared, all before the same server. */
import { startChild } from "../runtime/child.ts";
import type { Contender, Start } from "./contender.ts";
import { startChisel } from "./contenders/chisel.ts";
import { startPlainRelay } from "./contenders/plain-relay.ts";
import { startClusterWithPod, startPortForward } from "./contenders/port-forward.ts";
import { startTunnel } from "./contenders/tunnel.ts";
import type { RunningServer, ServerSettings } from "./server.ts";
import type { Name } from "./standings.ts";

export interface LineUp extends AsyncDisposable {
  readonly start: Record<Name, Start>;
  /** Ours, with so many descriptors for each proxy. */
  startTunnelWith(descriptors: number): Promise<Contender>;
}

export async function startLineUp(): Promise<LineUp> {
  await using parts = new AsyncDisposableStack();
  const host = "127.0.0.1";
  const settings: ServerSettings = { host, port: 0 };
  const server = parts.use(await startChild<RunningServer>(new URL("./server.ts", import.meta.url), settings));
  const site = { host, port: server.report.port };
  const cluster = parts.use(await startClusterWithPod());
  const running = parts.move();
  return {
    start: {
      tunnel: () => startTunnel(site),
      direct: async () => ({ site, pids: [], [Symbol.asyncDispose]: async () => {} }),
      relay: () => startPlainRelay(site),
      chisel: () => startChisel(site),
      portForward: () => startPortForward(cluster),
    },
    startTunnelWith: (descriptors) => startTunnel(site, descriptors),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
