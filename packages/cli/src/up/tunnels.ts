/** The controllers of tunnels in `berg up`, under the lease of `berg tunnel`. */
import { createClient, createMetrics } from "@berg/kube";
import { lead } from "../tunnel/lead.ts";
import { runTunnels, type TunnelsOptions } from "../tunnel/start-tunnels.ts";
import { type Running, runElected, upIdentity } from "./elected.ts";

export function startElectedTunnels(options: Omit<TunnelsOptions, "fence" | "metrics">): Running {
  const { connection, log } = options;
  const { namespace } = connection;
  return runElected("tunnel", (stop) => runTerm(stop), log);

  async function runTerm(stop: AbortSignal): Promise<void> {
    const metrics = await createMetrics();
    await using parts = new AsyncDisposableStack();
    const client = createClient({ connection, component: "tunnel-lease", log });
    parts.defer(() => client.close());
    const election = { lease: "berg-tunnel", namespace, client, exclusiveIdentity: upIdentity, metrics, log, stop };
    await lead(election, ({ fence, lost }) => runTunnels({ ...options, fence, metrics }, { stop, lost }));
  }
}
