/** What people are told when a status changes. Pure. */
import type { ContainerNetworkTunnelProxyStatus, TunnelProxyState } from "@berg/resources";
import { eventReasons } from "../vocabulary.ts";

export interface Told {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

type Status = ContainerNetworkTunnelProxyStatus;

const reasonOf: Record<Exclude<TunnelProxyState, "">, string> = {
  Pending: eventReasons.waiting,
  BuildingImage: eventReasons.buildingImage,
  Starting: eventReasons.starting,
  Running: eventReasons.running,
  Failed: eventReasons.failed,
};

export function eventsOf(before: Status | undefined, after: Status): Told[] {
  const told: Told[] = [];
  const { state, message = "" } = after;
  const isWaiting = state === "Pending" && before?.message !== message;
  if (state !== "" && (state !== before?.state || isWaiting))
    told.push({ type: state === "Failed" ? "Warning" : "Normal", reason: reasonOf[state], message });
  // When the pair fails its tunnels do; one event says so.
  if (state !== "Running") return told;
  const errors = new Map(before?.tunnelStatuses?.map((tunnel) => [tunnel.name, tunnel.errorMessage]));
  for (const { name, state, errorMessage } of after.tunnelStatuses ?? []) {
    // Of one that is Ready it speaks of its server, which has an event of its own.
    if (state !== "Failed" || errors.get(name) === errorMessage) continue;
    const text = `The tunnel ${name} cannot be used, and is tried again: ${errorMessage}`;
    told.push({ type: "Warning", reason: eventReasons.tunnelFailed, message: text });
  }
  return told;
}
