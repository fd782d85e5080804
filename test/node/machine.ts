/**
 * The machine that a node runs on: this one, in namespaces of its own. Its processes, mounts, interfaces and packet
 * filters end with its first process, whatever ends that, and none of them is ever seen by, or taken for, the host's.
 * Two things have no namespace and need clean-up: its cgroups and the host's end of its network link.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Component, type ComponentOptions } from "../control-plane/component.ts";
import type { Keeper } from "../control-plane/keeper.ts";
import { isRunning } from "../control-plane/process-state.ts";
import { commandPath } from "./missing.ts";
import { run } from "./run.ts";

/** The kubelet wants these values, and would write them for the whole host; a file mounted over each keeps it content. */
const kernelSettings = {
  "vm/overcommit_memory": "1",
  "vm/panic_on_oom": "0",
  "kernel/panic": "10",
  "kernel/panic_on_oops": "1",
  "kernel/keys/root_maxkeys": "1000000",
  "kernel/keys/root_maxbytes": "25000000",
};

// The last line makes the first process adopt and bury what containers leave behind.
const firstProcess = `
set -e
directory=$1 cgroup=$2
shift 2
for place in run var/lib var/log; do
  mkdir -p "$directory/$place"
  mount --bind "$directory/$place" "/$place"
done
mkdir "$directory/kernel"
while [ $# -gt 0 ]; do
  file="$directory/kernel/$(echo "$1" | tr / .)"
  echo "$2" >"$file"
  mount --bind "$file" "/proc/sys/$1"
  shift 2
done
mount --make-rshared /
for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/*; do
  if [ -e "$hierarchy/cgroup.procs" ]; then mkdir "$hierarchy/$cgroup"; fi
done
ip link set lo up
touch "$directory/ready"
sleep infinity & wait
`;

/** For the keeper: what a machine leaves on the host. A cgroup can go once the last process in it is dead. */
export function machineCleanUp(name: string): string {
  return `
ip link delete ${name}
for attempt in $(seq 100); do
  left=
  for hierarchy in /sys/fs/cgroup /sys/fs/cgroup/*; do
    [ -d "$hierarchy/${name}" ] || continue
    find "$hierarchy/${name}" -depth -type d -exec rmdir {} +
    [ ! -d "$hierarchy/${name}" ] || left=yes
  done
  [ -n "$left" ] || break
  sleep 0.1
done
`;
}

export class Machine {
  /** What its cgroup and the host's end of its link are called: short enough for an interface. */
  readonly name: string;
  readonly #directory: string;
  readonly #keeper: Keeper;
  readonly #first: Component;

  constructor(options: { name: string; directory: string; keeper: Keeper }) {
    const { name, directory, keeper } = options;
    this.name = name;
    this.#directory = directory;
    this.#keeper = keeper;
    this.#first = new Component({
      name: "machine",
      binary: commandPath("unshare"),
      logFile: join(directory, "machine.log"),
      keeper,
      flags: () => [
        ...["--mount", "--net", "--pid", "--ipc", "--uts", "--mount-proc", "--kill-child"],
        ...["--", "env", `PATH=${path}`, "sh", "-c", firstProcess, "machine"],
        ...[directory, name],
        ...Object.entries(kernelSettings).flat(),
      ],
      isReady: async () => existsSync(join(directory, "ready")),
    });
  }

  /** The process whose namespaces are the machine's. */
  get pid(): number {
    if (this.#first.pid === undefined) throw new Error("the machine of this node does not run");
    return this.#first.pid;
  }

  start(signal?: AbortSignal): Promise<void> {
    return this.#first.start(signal);
  }

  /** Runs a command inside and gives its stdout. */
  run(command: readonly string[], signal?: AbortSignal): Promise<string> {
    return run([commandPath("nsenter"), ...this.#enter(command)], signal);
  }

  /** A process inside, to be started. It ends with the machine. */
  component(options: Pick<ComponentOptions, "name" | "binary" | "isReady"> & { flags: readonly string[] }): Component {
    const { name, binary, flags, isReady } = options;
    return new Component({
      name,
      binary: commandPath("nsenter"),
      logFile: join(this.#directory, `${name}.log`),
      keeper: this.#keeper,
      flags: () => this.#enter([binary, ...flags]),
      isReady,
    });
  }

  /** Ends everything inside at once, as a power cut would, and resolves when nothing of it runs. */
  async kill(): Promise<void> {
    const pid = this.#first.pid;
    if (pid === undefined) return;
    const inside = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"));
    await this.#first.kill();
    // The first process of a PID namespace is gone only after all others.
    while (inside && isRunning(inside)) await delay(20);
  }

  #enter(command: readonly string[]): string[] {
    const namespaces = `/proc/${this.pid}/ns`;
    return [
      ...["mnt", "net", "ipc", "uts"].map((kind) => `--${kind === "mnt" ? "mount" : kind}=${namespaces}/${kind}`),
      `--pid=${namespaces}/pid_for_children`,
      ...["--", "env", `PATH=${path}`],
      ...command,
    ];
  }
}

const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
