/** Asks of the pair what the plan says. What one tunnel comes to harms no other. */
import { type Clock, errorText, type Random } from "@berg/kube";
import type { TunnelConfiguration } from "@berg/resources";
import { ServerProxyError } from "../../server-proxy/client.ts";
import type { ServerControl, TunnelRequest } from "../lifecycle/programs.ts";
import type { AppliedTunnel, Memory } from "../memory.ts";
import { microTime } from "../micro-time.ts";
import type { TunnelPlan } from "./plan.ts";

type Tunnels = Pick<Memory, "tunnels" | "lastTunnelId">;
interface Around {
  readonly control: Pick<ServerControl, "prepareTunnel" | "deleteTunnel">;
  readonly clock: Clock;
  readonly random: Random;
}

const atOnce = 16;
const firstDelayMs = 250;
const longestDelayMs = 60_000;
/** Of ids for one tunnel: each is further away than the one before, so that it passes any number of taken ones. */
const mostIds = 16;

/** What the tunnels are after it; those that were not reached when it was aborted are as they were. */
export async function applyTunnels(
  { deletions, preparations }: TunnelPlan,
  before: Tunnels,
  around: Around,
  signal: AbortSignal,
): Promise<Tunnels> {
  const { control } = around;
  const tunnels = new Map(before.tunnels);
  let lastTunnelId = Math.max(before.lastTunnelId, ...preparations.map(({ id }) => id));
  await inParallel(deletions, signal, async ({ name, id }) => {
    try {
      await control.deleteTunnel(id, signal);
      tunnels.delete(name);
    } catch (error) {
      const old = tunnels.get(name);
      if (old) tunnels.set(name, { ...failed(old, error, "cannot be closed: ", around), isUndeleted: true });
    }
  });
  await inParallel(preparations, signal, async ({ id: plannedId, configuration }) => {
    const { name } = configuration;
    const old = tunnels.get(name);
    // The old one holds its name until it is gone.
    if (old?.isUndeleted) return;
    let id = plannedId;
    const prepare = async () => {
      for (let tries = 1; ; tries++) {
        try {
          return await control.prepareTunnel(requestOf(id, configuration), signal);
        } catch (error) {
          if (!isIdTaken(error) || tries === mostIds) throw error;
          lastTunnelId += 2 ** (tries - 1);
          id = lastTunnelId;
        }
      }
    };
    try {
      const { clientProxyAddresses: addresses, clientProxyPort: port } = await prepare();
      const timestamp = microTime(around.clock);
      const base = { id, configuration, errorMessage: "", addresses, port, timestamp, failures: 0 };
      tunnels.set(name, { ...base, state: "Ready", retryAt: undefined });
    } catch (error) {
      tunnels.set(name, { ...failed(old ?? { id, failures: 0 }, error, "", around), id, configuration });
    }
  });
  return { tunnels, lastTunnelId };
}

/** A pair knows ids that this process does not: those of tunnels which an earlier one has deleted are not used again. */
function isIdTaken(error: unknown): boolean {
  return error instanceof ServerProxyError && error.code === "AlreadyExists";
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
    timestamp: isNews || old.timestamp === undefined ? microTime(clock) : old.timestamp,
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
