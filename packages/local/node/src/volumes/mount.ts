/**
 * Mounts that root alone can make: memory for an emptyDir, and one file or directory of a volume held fast. mount(8)
 * does it, since Node cannot.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

export function canMount(): boolean {
  return process.platform === "linux" && process.getuid?.() === 0;
}

export async function mountMemory(directory: string, bytes: number | undefined): Promise<void> {
  const options = ["mode=1777", ...(bytes === undefined ? [] : [`size=${bytes}`])].join(",");
  await run("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory]);
}

/** `from` is used as it is written, magic links included. */
export async function mountBind(from: string, to: string): Promise<void> {
  await run("mount", ["--no-canonicalize", "--bind", from, to]);
}

/** Everything mounted at or below the directory, the deepest first. */
export async function unmountBelow(directory: string): Promise<void> {
  for (const path of (await mountsBelow(directory)).reverse()) await run("umount", ["--lazy", path]);
}

export async function isMountPoint(path: string): Promise<boolean> {
  return (await mountsBelow(path)).includes(path);
}

async function mountsBelow(directory: string): Promise<string[]> {
  if (process.platform !== "linux") return [];
  const lines = (await readFile("/proc/self/mountinfo", "utf8")).split("\n");
  return lines
    .map((line) => unescaped(line.split(" ")[4] ?? ""))
    .filter((path) => path === directory || path.startsWith(`${directory}/`));
}

/** The kernel writes a space as `\040`. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
