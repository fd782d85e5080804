/** The files that an image is built from: what of a directory goes to the engine, and what has changed in it. */
import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { ConfigurationError } from "@berg/kube";
import { type TarEntry, tar } from "@berg/local-engine";
import { parseIgnore } from "./ignore.ts";
import { dockerfiles } from "./sources.ts";

export interface Context {
  archive: Buffer;
  /** By path, a digest of what is there. */
  digests: ReadonlyMap<string, string>;
}

/** Held in memory for a moment. Whoever has more beside a Dockerfile did not mean it to be there. */
const mostBytes = 512 * 1024 * 1024;

/** What is never part of an image, and changes all the time. */
export function isIgnored(path: string): boolean {
  return path.split(sep).some((part) => part === ".git" || part === ".berg");
}

/** What `.dockerignore` names, sockets and devices are left out. */
export async function readContext(directory: string, alsoIgnored: readonly string[] = []): Promise<Context> {
  const entries: TarEntry[] = [];
  const ignoreFile = await entryOf(join(directory, ".dockerignore"), ".dockerignore");
  const isLeftOut = parseIgnore(ignoreFile?.kind === "file" ? Buffer.from(ignoreFile.bytes).toString() : "");
  let bytesRead = 0;
  const read = async (folder: string): Promise<void> => {
    const found = await readdir(folder, { withFileTypes: true });
    for (const item of found.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const file = join(folder, item.name);
      const path = relative(directory, file);
      if (isIgnored(path) || alsoIgnored.includes(file)) continue;
      const isOut = isLeftOut(path.replaceAll(sep, "/")) && !dockerfiles.includes(path);
      const entry = isOut ? undefined : await entryOf(file, path);
      if (entry?.kind === "file") bytesRead += entry.bytes.length;
      if (bytesRead > mostBytes) {
        const remedy = "Name what is no part of the image in .dockerignore.";
        throw new ConfigurationError(`cannot build from ${directory}: its files have over 512 MiB. ${remedy}`);
      }
      if (entry) entries.push(entry);
      // Also where it is left out: a file in it may be an exception.
      if (item.isDirectory()) await read(file);
    }
  };
  await read(directory);
  return { archive: tar(entries), digests: new Map(entries.map((entry) => [entry.path, digestOf(entry)])) };
}

/** Undefined where it is gone by now, or nothing that an archive can hold. */
async function entryOf(file: string, path: string): Promise<TarEntry | undefined> {
  try {
    const status = await lstat(file);
    const mode = status.mode & 0o777;
    if (status.isFile()) return { kind: "file", path, mode, bytes: await readFile(file) };
    if (status.isDirectory()) return { kind: "directory", path, mode };
    return status.isSymbolicLink() ? { kind: "link", path, mode: 0o777, target: await readlink(file) } : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ConfigurationError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

function digestOf(entry: TarEntry): string {
  const hash = createHash("sha256").update(`${entry.kind} ${entry.mode}\n`);
  if (entry.kind === "file") hash.update(entry.bytes);
  if (entry.kind === "link") hash.update(entry.target);
  return hash.digest("hex");
}

/** Paths that are new, gone or not what they were. */
export function changedPaths(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).toSorted();
}
