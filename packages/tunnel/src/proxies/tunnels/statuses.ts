/** The tunnels of a pair as its status shows them. Pure. */
import { type TunnelConfiguration, type TunnelStatus, tunnelProxyStatusLimits } from "@berg/resources";
import type { AppliedTunnel } from "../memory.ts";

/** In the order of the spec. */
export function tunnelStatuses(
  wanted: readonly TunnelConfiguration[],
  applied: ReadonlyMap<string, AppliedTunnel>,
): TunnelStatus[] {
  return wanted.flatMap(({ name }) => {
    const tunnel = applied.get(name);
    return tunnel ? [statusOf(name, tunnel)] : [];
  });
}

function statusOf(name: string, tunnel: AppliedTunnel): TunnelStatus {
  const { id, state, errorMessage, addresses, port, timestamp } = tunnel;
  if (state === "Failed")
    return { name, tunnelId: id, state, errorMessage: cut(errorMessage, "errorMessage"), timestamp };
  return {
    name,
    tunnelId: id,
    state,
    timestamp,
    clientProxyAddresses: addresses.slice(0, tunnelProxyStatusLimits.clientProxyAddresses),
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
      errorMessage: cut(why, "errorMessage"),
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

/** A status with a text that is too long is refused as a whole. */
export function cut(text: string, field: keyof typeof tunnelProxyStatusLimits): string {
  const most = tunnelProxyStatusLimits[field];
  // By code points, so that none is cut in two; the limit counts them too.
  const points = [...text];
  return points.length > most ? `${points.slice(0, most - 1).join("")}…` : text;
}
