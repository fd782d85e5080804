/** What this machine says of itself. */
import { readFile, statfs } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import type { Machine } from "./node-object.ts";

export async function readMachine(dataDir: string): Promise<Machine> {
  const { blocks, bsize } = await statfs(dataDir);
  return {
    ip: ownAddress(),
    storageBytes: blocks * bsize,
    machineId: await firstLine("/etc/machine-id"),
    bootId: await firstLine("/proc/sys/kernel/random/boot_id"),
  };
}

/** The first that others could reach it by; a machine without a network has itself. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
}

async function firstLine(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n")[0] ?? "";
}
