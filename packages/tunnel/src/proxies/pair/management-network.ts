/**
 * The network on which the two proxies of a pair talk: one of its own for each pair, with nobody on it but the host and
 * the client proxy, and no way out. Containers on the challenge's network cannot reach it.
 */
import { networkInterfaces } from "node:os";
import { EngineError, managementBridgePrefix } from "@berg/local-engine";
import { engineLabels } from "../../vocabulary.ts";
import { freeSubnets } from "./subnets.ts";
import { type PairSurroundings, pairLabels } from "./surroundings.ts";

/** What is made for one start of a pair is called after it: see surroundings.ts. */
export interface StartName {
  /** Of the object. */
  readonly uid: string;
  readonly name: string;
  /** Of the start: six letters and digits. */
  readonly id: string;
}

export interface ManagementNetwork {
  readonly name: string;
  readonly subnet: string;
}

/** Subnets that something else on the host has, unknown to us. */
const mostAttempts = 8;

export async function makeManagementNetwork(
  around: Pick<PairSurroundings, "engine" | "node">,
  { uid, name: proxyName, id }: StartName,
  signal: AbortSignal,
): Promise<ManagementNetwork> {
  const { engine } = around;
  const name = `berg-tunnel-${uid}-${id}`;
  const labels = { ...pairLabels(around, uid), [engineLabels.proxyName]: proxyName };
  // Linux takes 15 characters.
  const bridge = `${managementBridgePrefix}${uid.slice(0, 3)}${id}`;
  let failure: unknown;
  let attempt = 0;
  for (const { subnet, gateway } of freeSubnets(await takenRanges(engine, signal), uid)) {
    try {
      await engine.createNetwork({ name, labels, subnet, gateway, bridge, internal: true }, signal);
      return { name, subnet };
    } catch (error) {
      // No answer at all, or our own stop: another subnet is of no use.
      if (!(error instanceof EngineError) || error.status === 0 || ++attempt === mostAttempts) throw error;
      failure = error;
    }
  }
  throw failure ?? new Error("no subnet is left for the proxies to talk on: all of 10.203.0.0/16 is taken");
}

async function takenRanges(engine: PairSurroundings["engine"], signal: AbortSignal): Promise<string[]> {
  const networks = await engine.listNetworks({}, signal);
  const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return [...networks.flatMap(({ subnets }) => subnets), ...interfaces.flatMap(({ cidr }) => cidr ?? [])];
}
