import type { EngineInfo } from "@berg/local-engine";
import { expect, test } from "vitest";
import { findLimitations, type Surroundings } from "./limitations.ts";

const engine: EngineInfo = {
  name: "podman",
  version: "4.3.1",
  architecture: "x86_64",
  rootless: false,
  cpus: 2,
  memoryBytes: 1e9,
  kernel: "6.1",
  operatingSystem: "debian",
};
const machine: Surroundings = {
  platform: "linux",
  isRoot: true,
  whyNoNft: async () => undefined,
  canFilterBridges: async () => true,
};

test("Linux with a root engine has none", async () => {
  expect(await findLimitations(engine, machine)).toEqual({ prevents: [], weakens: [] });
});

const open = "pods reach this machine and each other, and Services have no addresses and names: ";

test.each<[string, Partial<EngineInfo>, Partial<Surroundings>, string]>([
  ["an engine of a user", { rootless: true }, {}, "podman runs without root; use its system service"],
  ["a process of a user", {}, { isRoot: false }, "packet rules are for root to set; run this as root"],
  [
    "no nft",
    {},
    { whyNoNft: async () => "cannot run nft: spawn nft ENOENT" },
    "cannot run nft: spawn nft ENOENT; install nftables",
  ],
  [
    "Docker Desktop",
    { operatingSystem: "Docker Desktop" },
    {},
    "containers run in a virtual machine, whose network is not in reach; use Linux with its own engine",
  ],
  [
    "a Mac",
    {},
    { platform: "darwin" },
    "containers run in a virtual machine, whose network is not in reach; use Linux with its own engine",
  ],
])("%s prevents isolation, and it says why and what to do", async (_, info, around, want) => {
  expect(await findLimitations({ ...engine, ...info }, { ...machine, ...around })).toEqual({
    prevents: [open + want],
    weakens: [],
  });
});

test("a kernel that does not show bridged packets to rules weakens it", async () => {
  const { prevents, weakens } = await findLimitations(engine, { ...machine, canFilterBridges: async () => false });
  expect(prevents).toEqual([]);
  expect(weakens).toEqual([expect.stringContaining("load the kernel module br_netfilter")]);
});
