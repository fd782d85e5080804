/**
 * Files that have no name any more and that a process still holds open: no walk through directories finds them, and they
 * use the disk until they are closed. What is not seen here: a file that is only mapped into memory, or on its way from
 * one process to another through a socket.
 */
import { readdir, readlink, stat, statfs } from "node:fs/promises";

/** The magic number of file systems that are in memory. */
const tmpfs = 0x01021994;

/** In bytes, of all processes that run in the PID namespace of this one. 0 where the host does not let us look. */
export async function deletedUse(pid: number, signal: AbortSignal): Promise<number> {
  const namespace = pid > 0 ? await namespaceOf(String(pid)) : undefined;
  if (!namespace) return 0;
  const counted = new Set<string>();
  let bytes = 0;
  for (const process of await readdir("/proc")) {
    if (!/^\d+$/.test(process) || (await namespaceOf(process)) !== namespace) continue;
    for (const path of await deletedOf(process)) {
      signal.throwIfAborted();
      const file = await stat(path).catch(() => undefined);
      if (!file?.isFile() || file.nlink > 0) continue;
      const key = `${file.dev}:${file.ino}`;
      if (counted.has(key)) continue;
      counted.add(key);
      const system = await statfs(path).catch(() => undefined);
      if (system?.type !== tmpfs) bytes += file.blocks * 512;
    }
  }
  return bytes;
}

function namespaceOf(pid: string): Promise<string | undefined> {
  return readlink(`/proc/${pid}/ns/pid`).catch(() => undefined);
}

async function deletedOf(pid: string): Promise<string[]> {
  const directory = `/proc/${pid}/fd`;
  const open = await readdir(directory).catch(() => []);
  const targets = await Promise.all(
    open.map(async (name) => ({
      path: `${directory}/${name}`,
      target: await readlink(`${directory}/${name}`).catch(() => ""),
    })),
  );
  return targets.filter(({ target }) => target.endsWith(" (deleted)")).map(({ path }) => path);
}
