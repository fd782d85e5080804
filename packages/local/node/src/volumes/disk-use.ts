/** How much of the disk is used below a directory, as du says it: blocks, and a file of two names once. */
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

/** What is gone while it looks does not count. */
export async function diskUse(directory: string, signal: AbortSignal): Promise<number> {
  const seen = new Set<string>();
  const left = [directory];
  let bytes = 0;
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    signal.throwIfAborted();
    const found = await lstat(path).catch(() => undefined);
    if (!found) continue;
    const key = `${found.dev}:${found.ino}`;
    if (found.nlink > 1 && !found.isDirectory() && seen.has(key)) continue;
    seen.add(key);
    bytes += found.blocks * 512;
    if (!found.isDirectory()) continue;
    const entries = await opendir(path).catch(() => undefined);
    if (entries) for await (const entry of entries) left.push(join(path, entry.name));
  }
  return bytes;
}
