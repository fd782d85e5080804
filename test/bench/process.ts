import { readFile } from "node:fs/promises";

/** What the machine has to hold for a process. */
export async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** USER_HZ, which Linux shows to every process alike, whatever its kernel counts in. */
const ticksPerSecond = 100;

/** Of processor time, since it started. */
export async function cpuSeconds(pid: number): Promise<number> {
  // Behind the name, which may hold spaces: state is the first, utime and stime the 12th and 13th.
  const [, fields = ""] = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ");
  const [user, system] = fields.split(" ").slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / ticksPerSecond;
}
