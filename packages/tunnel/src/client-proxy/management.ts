/**
 * The private network between the two proxies, as seen from the container. Control and data are listened for on this
 * one address. Linux takes what comes for any address of its own from any network, so that a container on the challenge
 * network could knock here with a route through ours: whoever does not come from the subnet is turned away as well.
 */
import { BlockList } from "node:net";
import { networkInterfaces } from "node:os";
import { type Clock, ConfigurationError, sleep } from "@berg/kube/process";
import { environment } from "../vocabulary.ts";
import type { Subnet } from "./environment.ts";

// Engines attach networks while the program starts, or a moment later.
const attachedMs = 15_000;
const lookAgainMs = 100;

export type IsInside = (address: string) => boolean;

export function membership({ address, prefix, family }: Subnet): IsInside {
  const members = new BlockList();
  members.addSubnet(address, prefix, family);
  return (candidate) => members.check(candidate, family);
}

/** Ours in the subnet, as soon as there is one; undefined where it is told to stop before. */
export async function managementAddress(subnet: Subnet, clock: Clock, stop: AbortSignal): Promise<string | undefined> {
  const isInside = membership(subnet);
  const until = clock.monotonic() + attachedMs;
  while (!stop.aborted) {
    const own = Object.values(networkInterfaces()).flatMap((those = []) => those.map(({ address }) => address));
    const found = own.find(isInside);
    if (found !== undefined) return found;
    if (clock.monotonic() > until)
      throw new ConfigurationError(
        `no address of this container is in the management network ${subnet.address}/${subnet.prefix} ` +
          `(${environment.management}): it has ${own.join(", ")}`,
      );
    await sleep(clock, lookAgainMs, stop).catch(() => {});
  }
  return undefined;
}
