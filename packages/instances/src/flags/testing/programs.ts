/** Runs the programs that print flags, here or under an emulator of their processor. */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type Architecture, flagExecutable } from "../executable.ts";

/** What each processor is called by Node, by QEMU and by the tools of its own. */
export const processors = {
  "x86-64": { node: "x64", qemu: "qemu-x86_64", tools: "x86_64-linux-gnu-" },
  aarch64: { node: "arm64", qemu: "qemu-aarch64", tools: "aarch64-linux-gnu-" },
} as const;

export function isNative(architecture: Architecture): boolean {
  return process.platform === "linux" && process.arch === processors[architecture].node;
}

/** The first of these commands that is installed, or nothing. */
export function findCommand(...names: string[]): string | undefined {
  const directories = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => directories.map((directory) => join(directory, name))).find(isExecutable);
}

/** What to write before the program's path to run it; nothing where that is not possible here. */
export function emulatorOf(architecture: Architecture): string[] | undefined {
  if (isNative(architecture)) return [];
  const { qemu } = processors[architecture];
  const emulator = findCommand(qemu, `${qemu}-static`);
  return emulator === undefined ? undefined : [emulator];
}

/** A directory that every user may enter, as a container's are. */
export function openDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "berg-flags-"));
  chmodSync(directory, 0o711);
  return directory;
}

/** Writes the program for the flag, and answers its path. Emulators and tools have to read it, so by default all may. */
export function install(directory: string, flag: string, architecture: Architecture, mode = 0o755): string {
  const path = join(directory, "get_flag");
  // A file that stands there may be running still, and cannot be written then.
  rmSync(path, { force: true });
  writeFileSync(path, flagExecutable(flag, architecture));
  chmodSync(path, mode);
  return path;
}

export function run(command: readonly string[], options: object = {}): SpawnSyncReturns<Buffer> {
  const [file = "", ...args] = command;
  return spawnSync(file, args, { timeout: 20_000, ...options });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
