/** The folders below one, as they are now: what is to be watched where the system watches one folder at a time. */
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { isIgnored } from "./context.ts";

/** Whoever has more beside a challenge did not mean it to be there; and the kernel gives only so many watches. */
const mostFolders = 5000;

/** With the one itself, by path; each with what tells it from another of the same name. `except` is left out. */
export function foldersBelow(top: string, except: string): Map<string, number> {
  const found = new Map<string, number>();
  const waiting = [top];
  for (let folder = waiting.pop(); folder !== undefined && found.size < mostFolders; folder = waiting.pop()) {
    const inode = statSync(folder, { throwIfNoEntry: false })?.ino;
    if (inode === undefined) continue;
    found.set(folder, inode);
    for (const item of itemsOf(folder)) {
      const path = join(folder, item.name);
      if (item.isDirectory() && path !== except && !isIgnored(relative(top, path))) waiting.push(path);
    }
  }
  return found;
}

/** None where it has gone meanwhile, or nobody may look. */
function itemsOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
