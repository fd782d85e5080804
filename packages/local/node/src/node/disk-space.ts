/** Whether the disk runs short: then no new pod comes to this node until there is room again. */
import { statfs } from "node:fs/promises";

/** Of one file system. */
export interface Space {
  readonly directory: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** Both 0 where the file system has no fixed number of them. */
  readonly freeInodes: number;
  readonly totalInodes: number;
}

/**
 * kubelet asks for a tenth of the disk, which is much on a large one: whatever is less of the two is kept free. A twentieth
 * of the inodes is kubelet's own.
 */
const least = { share: 0.1, bytes: 2 * 1024 ** 3, inodeShare: 0.05 };
/** How much more there has to be before pods may come again: else they would come and go at the threshold. */
const recovery = 1.5;

/** What runs short and where; undefined where nothing does. `wasShort`: whether it did the last time. */
export function shortageOf(spaces: readonly Space[], wasShort: boolean): string | undefined {
  const factor = wasShort ? recovery : 1;
  for (const { directory, freeBytes, totalBytes, freeInodes, totalInodes } of spaces) {
    const bytes = Math.min(totalBytes * least.share, least.bytes) * factor;
    if (freeBytes < bytes) return texts.bytes(directory, bytes);
    const inodes = totalInodes * least.inodeShare * factor;
    if (freeInodes < inodes) return texts.inodes(directory, inodes);
  }
  return undefined;
}

/** Without what is free at the moment: each new text is a write. */
const texts = {
  bytes: (directory: string, bytes: number) => `less than ${Math.ceil(bytes / 1024 ** 2)} MiB are free in ${directory}`,
  inodes: (directory: string, inodes: number) => `${directory} has room for less than ${Math.ceil(inodes)} more files`,
};

/** Of those of the directories that can be asked: an engine's may be out of our sight. */
export async function readSpaces(directories: readonly string[]): Promise<Space[]> {
  const spaces = await Promise.all(
    directories.map(async (directory) => {
      const found = await statfs(directory).catch(() => undefined);
      if (!found) return [];
      const { bavail, bsize, blocks, ffree, files } = found;
      const bytes = { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
      return [{ directory, ...bytes, freeInodes: ffree, totalInodes: files }];
    }),
  );
  return spaces.flat();
}
