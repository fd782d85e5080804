/** What this machine cannot keep apart, in words for whoever runs it. */
import type { EngineInfo } from "@berg/local-engine";
import { canFilterBridges } from "./bridge.ts";
import { whyNoNft } from "./rules/nft.ts";

export interface Limitations {
  /** Why pods cannot be isolated at all, nor Services have addresses. */
  readonly prevents: readonly string[];
  /** What is not as on a cluster though pods are isolated. */
  readonly weakens: readonly string[];
}

/** What is looked at on the machine. */
export interface Surroundings {
  readonly platform: string;
  readonly isRoot: boolean;
  whyNoNft(): Promise<string | undefined>;
  canFilterBridges(): Promise<boolean>;
}

export const thisMachine: Surroundings = {
  platform: process.platform,
  isRoot: process.geteuid?.() === 0,
  whyNoNft,
  canFilterBridges,
};

export async function findLimitations(info: EngineInfo, machine: Surroundings = thisMachine): Promise<Limitations> {
  const reason = await whatPrevents(info, machine);
  if (reason !== undefined) return { prevents: [reason], weakens: [] };
  if (await machine.canFilterBridges()) return { prevents: [], weakens: [] };
  const text =
    "pods of one namespace reach each other whatever its NetworkPolicies say: load the kernel module br_netfilter";
  return { prevents: [], weakens: [text] };
}

async function whatPrevents(info: EngineInfo, machine: Surroundings): Promise<string | undefined> {
  const open = "pods reach this machine and each other, and Services have no addresses and names";
  if (machine.platform !== "linux" || /docker desktop/i.test(info.operatingSystem))
    return `${open}: containers run in a virtual machine, whose network is not in reach; use Linux with its own engine`;
  if (info.rootless) return `${open}: ${info.name} runs without root; use its system service`;
  if (!machine.isRoot) return `${open}: packet rules are for root to set; run this as root`;
  const why = await machine.whyNoNft();
  return why === undefined ? undefined : `${open}: ${why}; install nftables`;
}
