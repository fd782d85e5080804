/**
 * The network on which the two proxies of a pair talk: one of its own for each pair, with nobody on it but the host and
 * the client proxy, and no way out. Containers on the challenge's network cannot reach it.
 */
import { createInFreeSubnet, managementBridgePrefix, type Range, readRange, type Subnet } from "@berg/local-engine";
import { engineLabels, managementPool } from "../../vocabulary.ts";
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

const pool = { range: readRange(managementPool.range) as Range, bits: managementPool.bits };

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
  const create = async ({ subnet, gateway }: Subnet) => {
    await engine.createNetwork({ name, labels, subnet, gateway, bridge, internal: true }, signal);
    return { name, subnet };
  };
  return createInFreeSubnet(engine, pool, { key: uid, owner: `the tunnel proxy ${proxyName}` }, create, signal);
}
