/** What of Berg is on the machine, wherever it could be. Nothing of it is left once `berg up` has stopped. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Machine } from "./machine.ts";

export interface Found {
  containers: string[];
  networks: string[];
  tables: string[];
  interfaces: string[];
  mounts: string[];
  processes: string[];
}

export const nothing: Found = { containers: [], networks: [], tables: [], interfaces: [], mounts: [], processes: [] };

/** `bridges`: interfaces that were there before, and would be looked for in vain among the networks. */
export async function findOurs(machine: Machine, bridges: readonly string[] = []): Promise<Found> {
  const { engine } = machine;
  const tables = execFileSync("nft", ["list", "tables"], { encoding: "utf8" }).split("\n");
  return {
    containers: (await engine.listContainers({})).map(({ name }) => name).sort(),
    networks: (await ourNetworks(machine)).map(({ name }) => name).sort(),
    tables: tables.filter((line) => line === `table inet ${machine.table()}`),
    interfaces: bridges.filter((bridge) => existsSync(`/sys/class/net/${bridge}`)),
    mounts: readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .filter((line) => line.includes(machine.dataDir)),
    processes: processesOf(machine),
  };
}

export async function findBridges(machine: Machine): Promise<string[]> {
  return (await ourNetworks(machine)).map(({ bridge }) => bridge);
}

/** Podman has one of its own, too. */
async function ourNetworks({ engine }: Machine) {
  return (await engine.listNetworks({})).filter(({ labels }) => labels["berg.local/node"]);
}

/** What has its data or that of its engine on the command line, but for the engine itself and the keepers. */
function processesOf({ podman, dataDir }: Machine): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      const isOurs = words.includes(`${podman.directory}/`) || words.includes(dataDir);
      return isOurs && !/berg-keeper|system service/.test(words) ? [words.slice(0, 200)] : [];
    } catch {
      return [];
    }
  });
}
