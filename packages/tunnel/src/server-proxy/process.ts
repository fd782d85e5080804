/**
 * Which process is which: numbers are used again, so that only a number and a start together name one. The start is
 * counted from the boot: the time of day may be set while a process runs.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { formatMicroTime } from "@berg/apimachinery";

// USER_HZ: the same on every Linux that Node runs on, whatever the kernel's own.
const ticksPerSecond = 100;

/** Of one process, and never of another. */
export interface ProcessName {
  readonly pid: number;
  /** As `startOf` says it. */
  readonly started: string;
}

/** When it started, for people: with microseconds, as the API writes it. Undefined where no such process runs. */
export function startTimeOf(pid: number): string | undefined {
  const at = process.platform === "linux" ? startOnLinux(pid) : startByPs(pid);
  return at === undefined ? undefined : formatMicroTime(at);
}

/** When it started, for comparison: which boot, and how long after it. Undefined where no such process runs. */
export function startOf(pid: number): string | undefined {
  if (process.platform !== "linux") return startTimeOf(pid);
  const ticks = startTicksOf(pid);
  return ticks === undefined ? undefined : `${read("/proc/sys/kernel/random/boot_id").trim()}/${ticks}`;
}

/** Whether the process that was started then runs still, and not another under its number. */
export function isRunning({ pid, started }: ProcessName): boolean {
  return startOf(pid) === started;
}

function startOnLinux(pid: number): number | undefined {
  const ticks = startTicksOf(pid);
  const boot = /^btime (\d+)$/m.exec(read("/proc/stat"))?.[1];
  return ticks === undefined ? undefined : Number(boot) * 1_000 + (ticks / ticksPerSecond) * 1_000;
}

function startTicksOf(pid: number): number | undefined {
  return startTicksIn(read(`/proc/${pid}/stat`));
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
