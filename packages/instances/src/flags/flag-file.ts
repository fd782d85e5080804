/** The two ways to hand over a flag in a file: its text, or a program that prints it. */
import { posix } from "node:path";
import { type DynamicFlag, type FileMode, fileModeBits } from "@berg/resources";
import { type Architecture, flagExecutable } from "./executable.ts";
import { flagBytes } from "./flag-bytes.ts";
import { type FlagOwner, flagPath } from "./flag-path.ts";

/** Where a volume that holds the file is mounted, and what is in it. */
export interface FlagFile {
  path: string;
  /** The name of the file, in the volume as in the container. */
  subPath: string;
  mode: number;
  bytes: Buffer;
}

/** For everybody to read. */
const contentMode = 0o444;
/** For everybody to run and nobody to read. */
const executableMode = 0o111;

export function contentFile(wish: NonNullable<DynamicFlag["content"]>, owner: FlagOwner): FlagFile {
  return flagFile(wish, contentMode, owner, Buffer.concat([flagBytes(owner.flag), Buffer.from("\n")]));
}

export function executableFile(
  wish: NonNullable<DynamicFlag["executable"]>,
  owner: FlagOwner,
  architecture: Architecture,
): FlagFile {
  return flagFile(wish, executableMode, owner, flagExecutable(owner.flag, architecture));
}

function flagFile(
  wish: { path: string; mode?: FileMode },
  defaultMode: number,
  owner: FlagOwner,
  bytes: Buffer,
): FlagFile {
  const path = flagPath(wish.path, owner);
  const mode = wish.mode === undefined ? defaultMode : fileModeBits(wish.mode);
  return { path, subPath: posix.basename(path), mode, bytes };
}
