/** The status that an object has in each state, made from the one that it had. Pure. */
import {
  type ContainerNetworkTunnelProxy,
  type ContainerNetworkTunnelProxyStatus,
  tunnelProxyStatusLimits as limits,
} from "@berg/resources";
import { cut, observed } from "../status-parts.ts";
import { texts } from "../vocabulary.ts";
import type { Memory, PairFacts } from "./memory.ts";
import { endedStatuses, isAnotherSet, tunnelStatuses } from "./tunnels/statuses.ts";

type Status = ContainerNetworkTunnelProxyStatus;
/** What every status is made of. */
interface Before {
  readonly object: ContainerNetworkTunnelProxy;
  /** RFC 3339 with microseconds. */
  readonly time: string;
}

/** Before there is a pair. What an earlier pair said of itself is not true of the next. */
export function withoutPair({ object }: Before, state: "Pending" | "BuildingImage" | "Starting", why: string): Status {
  const { tunnelConfigurationVersion } = object.status ?? {};
  return {
    ...observed(object),
    state,
    message: cut(why, limits.message),
    ...(tunnelConfigurationVersion !== undefined && { tunnelConfigurationVersion }),
  };
}

/** The log files stay for whoever asks why, until the object goes. */
export function failed({ object, time }: Before, why: string): Status {
  const { status } = object;
  const { serverProxyStdOutFile, serverProxyStdErrFile, tunnelConfigurationVersion } = status ?? {};
  return {
    ...observed(object),
    state: "Failed",
    message: cut(why, limits.message),
    ...(status?.tunnelStatuses && { tunnelStatuses: endedStatuses(status.tunnelStatuses, texts.pairFailed, time) }),
    ...(tunnelConfigurationVersion !== undefined && { tunnelConfigurationVersion }),
    ...(serverProxyStdOutFile !== undefined && { serverProxyStdOutFile }),
    ...(serverProxyStdErrFile !== undefined && { serverProxyStdErrFile }),
  };
}

/** `isSettled`: whether the tunnels are those of the spec that the object has now. */
export function running({ object }: Before, pair: PairFacts, memory: Memory, isSettled: boolean): Status {
  const before = object.status;
  const statuses = tunnelStatuses(object.spec.tunnels, memory);
  const { tunnelConfigurationVersion: version = 0 } = before ?? {};
  // What was said before there was a pair did not speak of its tunnels.
  const observedGeneration = before?.state === "Running" ? before.observedGeneration : undefined;
  const isNew = isAnotherSet(before?.tunnelStatuses ?? [], statuses);
  return {
    ...(isSettled ? observed(object) : observedGeneration !== undefined && { observedGeneration }),
    state: "Running",
    message: cut(memory.outOfTouch === undefined ? texts.running : texts.outOfTouch(memory.outOfTouch), limits.message),
    tunnelStatuses: statuses,
    tunnelConfigurationVersion: isNew ? version + 1 : version,
    clientProxyContainerId: pair.containerId,
    serverProxyProcessId: pair.processId,
    serverProxyStartupTimestamp: pair.processStartTime,
    serverProxyStdOutFile: pair.stdoutFile,
    serverProxyStdErrFile: pair.stderrFile,
    clientProxyControlPort: pair.controlPort,
    clientProxyDataPort: pair.dataPort,
  };
}

export function withMessage({ object }: Before, message: string): Status {
  return { ...object.status, state: object.status?.state ?? "Pending", message: cut(message, limits.message) };
}
