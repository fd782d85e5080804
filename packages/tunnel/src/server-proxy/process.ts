/** Which process is which: numbers are used again, so that only a number and a start time together name one. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { formatMicroTime } from "@berg/apimachinery";

// USER_HZ: the same on every Linux that Node runs on, whatever the kernel's own.
const ticksPerSecond = 100;
// The time of the boot is the clock's less the uptime, and so may move by a little.
const toleranceMs = 2_000;

/** With microseconds, as the API writes it; undefined where no such process runs. */
export function startTimeOf(pid: number): string | undefined {
  const at = process.platform === "linux" ? startOnLinux(pid) : startByPs(pid);
  return at === undefined ? undefined : formatMicroTime(at);
}

/** Whether the process that was started then runs still, and not another under its number. */
export function isRunning(pid: number, startTime: string): boolean {
  const now = startTimeOf(pid);
  return now !== undefined && Math.abs(Date.parse(now) - Date.parse(startTime)) <= toleranceMs;
}

function startOnLinux(pid: number): number | undefined {
  const ticks = startTicksIn(read(`/proc/${pid}/stat`));
  const boot = /^btime (\d+)$/m.exec(read("/proc/stat"))?.[1];
  return ticks === undefined ? undefined : Number(boot) * 1_000 + (ticks / ticksPerSecond) * 1_000;
}

/**
 * Since the boot; undefined for one that has ended, and at most waits for its parent to hear of it.
 * `4061 (a name (with) anything) S 1 …`: after the last parenthesis come the third field, its state, and on.
 */
export function startTicksIn(stat: string): number | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[19] === undefined || fields[0] === "Z" ? undefined : Number(fields[19]);
}

function startByPs(pid: number): number | undefined {
  try {
    const text = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { env: { LC_ALL: "C" }, stdio: "pipe" });
    return Date.parse(text.toString().trim());
  } catch {
    return undefined;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
