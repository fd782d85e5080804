/**
 * How many files and processes a container may have. Podman asks the kernel for more than a machine with limits of its own
 * gives to anybody, and there starts no container at all: so what this process may have is asked for, where that is less.
 */
import { readFile } from "node:fs/promises";
import type { HostConfig } from "./engine.ts";

/** What Podman asks for by itself. */
const byItself = { nofile: 1_048_576, nproc: 4_194_304 };

/** What the kernel says: `/proc/self/limits`, soft and hard; and `/proc/sys/kernel/pid_max`. */
export function ulimitsOf(limits: string, pidMax: string): Pick<HostConfig, "Ulimits"> {
  const hard = (line: string) => Number(new RegExp(`^${line} +\\S+ +(\\d+) `, "m").exec(limits)?.[1] ?? Infinity);
  // Podman lowers its own to as many as there can be.
  const processes = Math.min(hard("Max processes"), Number(pidMax) || Infinity);
  const Ulimits = [
    { Name: "nofile", Soft: hard("Max open files"), Hard: hard("Max open files") },
    { Name: "nproc", Soft: processes, Hard: processes },
  ].filter(({ Name, Hard }) => Hard < byItself[Name as keyof typeof byItself]);
  return Ulimits.length > 0 ? { Ulimits } : {};
}

/** None on a system that does not say. */
export async function ownUlimits(): Promise<Pick<HostConfig, "Ulimits">> {
  const read = (path: string) => readFile(path, "utf8").catch(() => "");
  return ulimitsOf(...(await Promise.all([read("/proc/self/limits"), read("/proc/sys/kernel/pid_max")])));
}
