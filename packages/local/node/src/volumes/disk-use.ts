/** How much of the disk is used below a directory: blocks as du counts them, and a file of two names once. */
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

/**
 * What each file counts for at least. An empty one has no blocks, and still takes one of the inodes, of which a file
 * system has a fixed number: whoever makes millions of them fills it too.
 */
export const leastFileBytes = 4096;

/** What is gone while it looks does not count. Stops once more than `enough` is found. */
export async function diskUse(
  directory: string,
  signal: AbortSignal,
  enough = Number.POSITIVE_INFINITY,
): Promise<number> {
  const seen = new Set<string>();
  const left = [directory];
  let bytes = 0;
  for (let path = left.pop(); path !== undefined && bytes <= enough; path = left.pop()) {
    signal.throwIfAborted();
    const found = await lstat(path).catch(() => undefined);
    if (!found) continue;
    const isShared = found.nlink > 1 && !found.isDirectory();
    const key = `${found.dev}:${found.ino}`;
    if (isShared && seen.has(key)) continue;
    if (isShared) seen.add(key);
    bytes += Math.max(found.blocks * 512, leastFileBytes);
    if (!found.isDirectory()) continue;
    const entries = await opendir(path).catch(() => undefined);
    if (!entries) continue;
    for await (const entry of entries) {
      left.push(join(path, entry.name));
      if (left.length * leastFileBytes > enough) break;
    }
  }
  // Those that were not looked at any more are files too.
  return bytes + left.length * leastFileBytes;
}
