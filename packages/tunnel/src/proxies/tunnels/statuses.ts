/** The tunnels of a pair as its status shows them. Pure. */
import { tunnelProxyStatusLimits as limits, type TunnelConfiguration, type TunnelStatus } from "@berg/resources";
import { cut } from "../../status-parts.ts";
import type { AppliedTunnel, Memory, ServerState } from "../memory.ts";

/** In the order of the spec. */
export function tunnelStatuses(
  wanted: readonly TunnelConfiguration[],
  { tunnels: applied, servers }: Pick<Memory, "tunnels" | "servers">,
): TunnelStatus[] {
  return wanted.flatMap(({ name }) => {
    const tunnel = applied.get(name);
    return tunnel ? [statusOf(name, tunnel, servers.get(tunnel.id))] : [];
  });
}

function statusOf(name: string, tunnel: AppliedTunnel, server: ServerState | undefined): TunnelStatus {
  const { id, state, errorMessage, addresses, port, timestamp } = tunnel;
  if (state === "Failed")
    return { name, tunnelId: id, state, errorMessage: cut(errorMessage, limits.errorMessage), timestamp };
  return {
    name,
    tunnelId: id,
    state,
    // It can be entered, and leads nowhere.
    ...(server?.trouble !== undefined && { errorMessage: cut(server.trouble, limits.errorMessage) }),
    // The later of the two: they are written alike.
    timestamp: server && server.timestamp > timestamp ? server.timestamp : timestamp,
    clientProxyAddresses: addresses.slice(0, limits.clientProxyAddresses),
    clientProxyPort: port,
  };
}

/** What they say when the pair has ended. One that had failed before keeps its own reason. */
export function endedStatuses(statuses: readonly TunnelStatus[], why: string, now: string): TunnelStatus[] {
  return statuses.map((status) => {
    if (status.state === "Failed") return status;
    const { name, tunnelId } = status;
    return {
      name,
      ...(tunnelId !== undefined && { tunnelId }),
      state: "Failed",
      errorMessage: cut(why, limits.errorMessage),
      timestamp: now,
    };
  });
}

/** Whether clients find something else than before: another tunnel, or one that has become usable, or unusable. */
export function isAnotherSet(before: readonly TunnelStatus[], after: readonly TunnelStatus[]): boolean {
  const said = (statuses: readonly TunnelStatus[]) =>
    statuses.map(({ name, tunnelId, state }) => `${name} ${tunnelId} ${state}`).sort();
  const [one, other] = [said(before), said(after)];
  return one.length !== other.length || one.some((text, at) => text !== other[at]);
}
