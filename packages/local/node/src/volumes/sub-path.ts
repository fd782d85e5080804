/**
 * One file or directory of a volume, for a mount with a subPath. What is in a volume may be a container's own work: a
 * link that it leads out to the host must not be followed, not even one that is put there between our look and the
 * engine's. So the place is opened once, looked at through what was opened, and that is what gets mounted.
 */
import { constants } from "node:fs";
import { mkdir, open, readlink, realpath, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { canMount, isMountPoint, mountBind } from "./mount.ts";
import { VolumeError } from "./payload.ts";

/** Gives the path to bind. `holder` is a place of our own for it. */
export async function openSubPath(volume: string, subPath: string, holder: string): Promise<string> {
  const root = await realpath(volume);
  if (subPath.startsWith("/") || subPath.split("/").includes("..")) throw outside(subPath);
  await makeMissing(root, subPath);
  if (!canMount()) {
    // Without root there is nothing to hold it with; the engine looks again by itself.
    const real = await realpath(join(root, subPath));
    if (!isWithin(real, root)) throw outside(subPath);
    return real;
  }
  if (await isMountPoint(holder)) return holder;
  const handle = await open(join(root, subPath), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const link = `/proc/${process.pid}/fd/${handle.fd}`;
    if (!isWithin(await readlink(link), root)) throw outside(subPath);
    await mkdir(dirname(holder), { recursive: true, mode: 0o750 });
    if ((await handle.stat()).isDirectory()) await mkdir(holder, { recursive: true, mode: 0o750 });
    else await writeFile(holder, "");
    await mountBind(link, holder);
    return holder;
  } finally {
    await handle.close();
  }
}

/** kubelet makes the directory where there is nothing; in the volume alone, and never through a link. */
async function makeMissing(root: string, subPath: string): Promise<void> {
  let at = root;
  for (const name of subPath.split("/").filter((name) => name !== "")) {
    const next = join(at, name);
    const real = await realpath(next).catch(() => undefined);
    if (real === undefined) {
      await makeLike(at, next);
      at = next;
    } else if (isWithin(real, root)) at = real;
    else throw outside(subPath);
  }
}

/** As open as the directory that it is in, whatever our own process masks. */
async function makeLike(parent: string, path: string): Promise<void> {
  const { mode } = await stat(parent);
  await mkdir(path);
  await using made = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  await made.chmod(mode & 0o7777);
}

function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

function outside(subPath: string): VolumeError {
  return new VolumeError(`subPath "${subPath}" leads out of its volume`);
}
