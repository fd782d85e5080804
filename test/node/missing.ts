/** Whether a real node can run on this machine, and what it takes where it cannot. */
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { controlPlaneBinaries, findBinaries, nodeBinaries } from "../control-plane/binaries.ts";

export const allBinaries = [...controlPlaneBinaries, ...nodeBinaries];

/** Command → Debian package that has it. */
const commands = {
  containerd: "containerd",
  ctr: "containerd",
  runc: "runc",
  busybox: "busybox-static",
  ip: "iproute2",
  iptables: "iptables",
  nsenter: "util-linux",
  unshare: "util-linux",
} as const;
export type Command = keyof typeof commands;

/** Debian's place for network plug-ins, and everybody else's. */
const pluginDirectories = ["/usr/lib/cni", "/opt/cni/bin"];

/** Why no real node can run here, or nothing. `describe.skipIf(await missingNode())(…)` */
export async function missingNode(): Promise<string | undefined> {
  if (process.platform !== "linux") return "a node runs on Linux alone";
  if (process.getuid?.() !== 0) return "only root can run a node";
  const names = Object.keys(commands) as Command[];
  const packages = new Set<string>(names.filter((name) => !findCommand(name)).map((name) => commands[name]));
  if (!pluginDirectory()) packages.add("containernetworking-plugins");
  if (packages.size > 0) return `this machine lacks what a node needs: apt-get install ${[...packages].join(" ")}`;
  const binaries = await findBinaries(allBinaries);
  return binaries.kind === "missing" ? binaries.reason : undefined;
}

/** The path of a command that `missingNode` found. */
export function commandPath(name: Command): string {
  const path = findCommand(name);
  if (path === undefined) throw new Error(`cannot run a node: there is no ${name}; install ${commands[name]}`);
  return path;
}

export function pluginDirectory(): string | undefined {
  return pluginDirectories.find((directory) => existsSync(join(directory, "bridge")));
}

export function findCommand(name: string): string | undefined {
  // A user's PATH may lack the directories for root's commands.
  const directories = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/sbin"];
  return directories
    .map((directory) => join(directory, name))
    .find((file) => isExecutable(file) && (name !== "busybox" || isStatic(file)));
}

/** Whether an ELF file names no interpreter: only such a busybox runs in an image that has nothing else. */
function isStatic(file: string): boolean {
  const elf = readFileSync(file);
  const [start, size, count] = [Number(elf.readBigUInt64LE(32)), elf.readUInt16LE(54), elf.readUInt16LE(56)];
  return !Array.from({ length: count }, (_, index) => elf.readUInt32LE(start + index * size)).includes(3);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
