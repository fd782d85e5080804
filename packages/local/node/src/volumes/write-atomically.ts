/**
 * Writes a volume's files so that a reader sees all of the old ones or all of the new ones, never some of each: the
 * files stand in a directory of their own, `..data` points to it, and each name points into `..data`. kubelet's way;
 * programs look for `..data` to learn of changes.
 */
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import type { File, Payload } from "./payload.ts";

const dataLink = "..data";
const newLink = "..data_tmp";

export interface Ownership {
  /** Who owns what is for one user alone. */
  user?: number | undefined;
  /** The pod's fsGroup: its members may read all of it. */
  group?: number | undefined;
}

/** Gives whether anything changed. `version` names the directory, and was not used before. */
export async function writeAtomically(
  directory: string,
  payload: Payload,
  ownership: Ownership,
  version: string,
): Promise<boolean> {
  const current = await linkOf(join(directory, dataLink));
  if (current !== undefined && (await holds(join(directory, current), payload, ownership))) return false;

  const next = `..${version}`;
  await rm(join(directory, next), { recursive: true, force: true });
  await mkdir(join(directory, next), { mode: 0o755 });
  for (const [path, file] of payload) await writeOne(join(directory, next, path), file, ownership);
  await chmod(join(directory, next), ownership.group === undefined ? 0o755 : 0o2755);
  await rm(join(directory, newLink), { force: true });
  await symlink(next, join(directory, newLink));
  await rename(join(directory, newLink), join(directory, dataLink));
  await pointTo(directory, new Set([...payload.keys()].map((path) => path.split("/")[0] ?? path)));
  for (const name of await readdir(directory)) {
    const isOld = name.startsWith("..") && name !== dataLink && name !== next;
    if (isOld) await rm(join(directory, name), { recursive: true, force: true });
  }
  return true;
}

async function writeOne(path: string, { bytes, mode }: File, { user, group }: Ownership): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  await writeFile(path, bytes, { mode: 0o600 });
  if (user !== undefined || group !== undefined) await chown(path, user ?? 0, group ?? 0);
  await chmod(path, modeOf(mode, group));
}

/** With a group, what the owner may read its members may read as well: kubelet adds `r--r-----`. */
function modeOf(mode: number, group: number | undefined): number {
  return group === undefined ? mode : mode | 0o440;
}

async function pointTo(directory: string, names: ReadonlySet<string>): Promise<void> {
  for (const name of names) {
    const path = join(directory, name);
    const target = `${dataLink}/${name}`;
    if ((await linkOf(path)) === target) continue;
    await rm(path, { recursive: true, force: true });
    await symlink(target, path);
  }
  for (const name of await readdir(directory)) {
    if (!name.startsWith("..") && !names.has(name)) await rm(join(directory, name), { recursive: true, force: true });
  }
}

async function holds(directory: string, payload: Payload, { group }: Ownership): Promise<boolean> {
  try {
    const there = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = there.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    if (files.length !== payload.size) return false;
    for (const [path, file] of payload) {
      const found = join(directory, path);
      if (!files.includes(found)) return false;
      if (((await stat(found)).mode & 0o7777) !== modeOf(file.mode, group)) return false;
      if (!(await readFile(found)).equals(file.bytes)) return false;
    }
    return true;
  } catch {
    // Half written, by a process that was killed.
    return false;
  }
}

async function linkOf(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch {
    return undefined;
  }
}
