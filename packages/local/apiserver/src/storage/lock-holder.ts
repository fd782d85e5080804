/** Who has a file locked, for whoever finds it locked. The kernel alone knows for certain. */
import { readFileSync, statSync } from "node:fs";

/** `process 4061 (node main.ts up)`, or `another process` where that cannot be found out. */
export function lockHolder(file: string): string {
  try {
    const pid = pidIn(readFileSync("/proc/locks", "utf8"), statSync(file).ino);
    if (pid === undefined) return "another process";
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
    return `process ${pid}${command && ` (${command.slice(0, 200)})`}`;
  } catch {
    return "another process";
  }
}

/** A line is `1: POSIX  ADVISORY  WRITE 4061 fe:00:131 128 128`: its fifth word is who, the last number of its sixth what. */
export function pidIn(locks: string, inode: number): number | undefined {
  for (const line of locks.split("\n")) {
    const words = line.trim().split(/\s+/);
    // One that waits, and holds nothing, has an arrow as its second word, so that all others are elsewhere.
    if (words[5]?.split(":")[2] !== String(inode)) continue;
    const pid = Number(words[4]);
    // Of other containers the kernel tells no number.
    if (Number.isInteger(pid) && pid > 0) return pid;
  }
  return undefined;
}
