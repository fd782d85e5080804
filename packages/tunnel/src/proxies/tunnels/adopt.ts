/**
 * The tunnels of a pair that another process has started. The pair is asked for each tunnel of the spec once more, under
 * the id that it has: it answers as before where it is the same tunnel, and refuses where the spec has changed meanwhile.
 */
import { type Clock, microTimestamp } from "@berg/kube";
import type { ContainerNetworkTunnelProxy } from "@berg/resources";
import type { AppliedTunnel, Memory } from "../memory.ts";
import type { ServerControl } from "../pair/programs.ts";
import { requestOf } from "./apply.ts";

export async function adoptTunnels(
  { spec, status }: ContainerNetworkTunnelProxy,
  control: Pick<ServerControl, "prepareTunnel" | "deleteTunnel" | "listTunnels">,
  clock: Clock,
  signal: AbortSignal,
): Promise<Pick<Memory, "tunnels" | "lastTunnelId">> {
  const listed = await control.listTunnels(signal);
  const told = new Map(status?.tunnelStatuses?.map((one) => [one.name, one]));
  const tunnels = new Map<string, AppliedTunnel>();
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
      timestamp: isTold ? before.timestamp : microTimestamp(clock),
      failures: 0,
      retryAt: undefined,
    });
  }
  const ids = [...listed.map(({ tunnelId }) => tunnelId), ...[...told.values()].map(({ tunnelId = 0 }) => tunnelId)];
  return { tunnels, lastTunnelId: Math.max(0, ...ids) };
}
