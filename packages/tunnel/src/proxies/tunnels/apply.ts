/** Asks of the pair what the plan says. What one tunnel comes to harms no other. */
import { type Clock, errorText, microTimestamp, type Random } from "@berg/kube";
import type { TunnelConfiguration } from "@berg/resources";
import type { AppliedTunnel } from "../memory.ts";
import type { ServerControl, TunnelRequest } from "../pair/programs.ts";
import type { TunnelPlan } from "./plan.ts";

type Tunnels = ReadonlyMap<string, AppliedTunnel>;
interface Around {
  readonly control: Pick<ServerControl, "prepareTunnel" | "deleteTunnel">;
  readonly clock: Clock;
  readonly random: Random;
}

const atOnce = 16;
const firstDelayMs = 250;
const longestDelayMs = 60_000;

/** What the tunnels are after it; those that were not reached when it was aborted are as they were. */
export async function applyTunnels(
  { deletions, preparations }: TunnelPlan,
  before: Tunnels,
  around: Around,
  signal: AbortSignal,
): Promise<Map<string, AppliedTunnel>> {
  const { control } = around;
  const tunnels = new Map(before);
  await inParallel(deletions, signal, async ({ name, id }) => {
    try {
      await control.deleteTunnel(id, signal);
      tunnels.delete(name);
    } catch (error) {
      const old = tunnels.get(name);
      if (old) tunnels.set(name, { ...failed(old, error, "cannot be closed: ", around), isUndeleted: true });
    }
  });
  await inParallel(preparations, signal, async ({ id, configuration }) => {
    const { name } = configuration;
    const old = tunnels.get(name);
    // The old one holds its name until it is gone.
    if (old?.isUndeleted) return;
    try {
      const { clientProxyAddresses: addresses, clientProxyPort: port } = await control.prepareTunnel(
        requestOf(id, configuration),
        signal,
      );
      const timestamp = microTimestamp(around.clock);
      const base = { id, configuration, errorMessage: "", addresses, port, timestamp, failures: 0 };
      tunnels.set(name, { ...base, state: "Ready", retryAt: undefined });
    } catch (error) {
      tunnels.set(name, { ...failed(old ?? { id, failures: 0 }, error, "", around), id, configuration });
    }
  });
  return tunnels;
}

/** The time of a failure is that of the first of its kind: the next ones are no news. */
function failed(
  old: Pick<AppliedTunnel, "id" | "failures"> & Partial<AppliedTunnel>,
  error: unknown,
  prefix: string,
  { clock, random }: Around,
): AppliedTunnel {
  const errorMessage = prefix + errorText(error);
  const isNews = old.state !== "Failed" || old.errorMessage !== errorMessage;
  const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** old.failures) * (0.75 + random() / 4);
  return {
    id: old.id,
    configuration: old.configuration,
    state: "Failed",
    errorMessage,
    addresses: [],
    port: 0,
    timestamp: isNews || old.timestamp === undefined ? microTimestamp(clock) : old.timestamp,
    failures: old.failures + 1,
    retryAt: clock.monotonic() + delayMs,
  };
}

export function requestOf(tunnelId: number, configuration: TunnelConfiguration): TunnelRequest {
  const { name, serverAddress, serverPort, clientProxyAddress, clientProxyPort, limits } = configuration;
  return {
    tunnelId,
    name,
    serverAddress,
    serverPort,
    clientProxyAddress,
    clientProxyPort,
    limits: {
      streams: limits.maxStreams,
      bytesPerSecond: BigInt(limits.bytesPerSecond ?? 0),
      idleSeconds: limits.idleSeconds ?? 0,
    },
  };
}

/** Begins nothing more once it is aborted. */
async function inParallel<T>(items: readonly T[], signal: AbortSignal, work: (item: T) => Promise<void>) {
  const rest = items[Symbol.iterator]();
  const worker = async () => {
    for (const item of rest) {
      if (signal.aborted) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
