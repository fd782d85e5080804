/** Opens files below the handout directories, and nothing else: no symbolic links, no devices, no way out. */
import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { join } from "node:path";

export interface OpenFile {
  handle: FileHandle;
  size: number;
}

/** From the first directory that has it. Undefined where none has. */
export async function openBelow(
  directories: readonly string[],
  segments: readonly string[],
): Promise<OpenFile | undefined> {
  for (const directory of directories) {
    const file = await openIn(directory, segments);
    if (file) return file;
  }
  return undefined;
}

async function openIn(directory: string, segments: readonly string[]): Promise<OpenFile | undefined> {
  let handle: FileHandle | undefined;
  try {
    const path = join(await realpath(directory), ...segments);
    // Without O_NONBLOCK, opening a named pipe waits for its other end.
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const [opened, found] = [await handle.stat(), await lstat(path)];
    // O_NOFOLLOW concerns the last name only. The real path of what was opened shows a link on the way to it, also one
    // that was put there while the file was opened.
    const isThere = (await realpath(path)) === path && opened.ino === found.ino && opened.dev === found.dev;
    if (opened.isFile() && isThere) {
      const file = { handle, size: opened.size };
      handle = undefined;
      return file;
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  } finally {
    await handle?.close();
  }
  return undefined;
}

/** ELOOP: it is a symbolic link. ENXIO: a pipe or socket. */
function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return ["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "EACCES", "ENAMETOOLONG"].includes(code ?? "");
}
