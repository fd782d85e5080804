/**
 * The tunnels of a pair that another process has started. The pair is asked for each tunnel of the spec once more, under
 * the id that it has: it answers as before where it is the same tunnel, and refuses where the spec has changed meanwhile.
 */
import type { Clock } from "@berg/kube";
import type { ContainerNetworkTunnelProxy } from "@berg/resources";
import type { ServerControl } from "../lifecycle/programs.ts";
import type { AppliedTunnel, Memory, ServerState } from "../memory.ts";
import { microTime } from "../micro-time.ts";
import { requestOf } from "./apply.ts";

export async function adoptTunnels(
  { spec, status }: ContainerNetworkTunnelProxy,
  control: Pick<ServerControl, "prepareTunnel" | "deleteTunnel" | "listTunnels">,
  clock: Clock,
  signal: AbortSignal,
): Promise<Pick<Memory, "tunnels" | "servers" | "lastTunnelId">> {
  const listed = await control.listTunnels(signal);
  const told = new Map(status?.tunnelStatuses?.map((one) => [one.name, one]));
  const tunnels = new Map<string, AppliedTunnel>();
  const servers = new Map<number, ServerState>();
  for (const { tunnelId: id, name, clientProxyAddresses, clientProxyPort, isEnding } of listed) {
    if (isEnding) continue;
    const wanted = spec.tunnels.find((one) => one.name === name);
    const isSame =
      wanted &&
      (await control.prepareTunnel(requestOf(id, wanted), signal).then(
        () => true,
        () => false,
      ));
    signal.throwIfAborted();
    const before = told.get(name);
    const isTold = before?.tunnelId === id && before.state === "Ready";
    tunnels.set(name, {
      id,
      configuration: isSame ? wanted : undefined,
      state: "Ready",
      errorMessage: "",
      addresses: clientProxyAddresses,
      port: clientProxyPort,
      timestamp: isTold ? before.timestamp : microTime(clock),
      failures: 0,
      retryAt: undefined,
    });
    // The pair tells where that is no longer so.
    if (isTold && before.errorMessage !== undefined)
      servers.set(id, { trouble: before.errorMessage, timestamp: before.timestamp });
  }
  const ids = [...listed.map(({ tunnelId }) => tunnelId), ...[...told.values()].map(({ tunnelId = 0 }) => tunnelId)];
  return { tunnels, servers, lastTunnelId: Math.max(0, ...ids) };
}
