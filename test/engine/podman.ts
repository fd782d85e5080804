/**
 * Podman's service, as root, with everything of its own but the machine's network: a test dials its containers. See
 * engine.ts for what can be done with it.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Component } from "../control-plane/component.ts";
import { startKeeper } from "../control-plane/keeper.ts";
import { answers } from "./answers.ts";
import type { TestEngine } from "./engine.ts";
import { missingPackages } from "./missing.ts";

/** Why there can be no Podman here, or nothing. */
export function missingPodman(): string | undefined {
  const commands = { podman: "podman", runc: "runc", conmon: "conmon", nft: "nftables", busybox: "busybox-static" };
  const helpers = ["netavark", "aardvark-dns"].filter((name) => !existsSync(`/usr/lib/podman/${name}`));
  return missingPackages("Podman", commands, helpers);
}

const hostAddress = "127.0.0.1";

export interface TestPodman extends TestEngine {
  /** For another podman command that shares its storage. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function startPodman(): Promise<TestPodman> {
  const missing = missingPodman();
  if (missing) throw new Error(missing);
  const keep = Boolean(process.env.BERG_KEEP_CONTROL_PLANE);
  const directory = await mkdtemp(join(tmpdir(), "berg-podman-"));
  const environment = await configure(directory);
  // Its monitors leave files where they are started.
  const podman = [`--chdir=${directory}`, ...Object.entries(environment).map((pair) => pair.join("=")), "podman"];
  const keeper = startKeeper(keep ? undefined : directory, cleanUp(directory, podman));
  const socket = join(directory, "podman.sock");
  const service = new Component({
    name: "podman",
    binary: "/usr/bin/env",
    logFile: join(directory, "podman.log"),
    keeper,
    flags: () => [...podman, "system", "service", "--time=0", `unix://${socket}`],
    isReady: (_port, signal) => answers(socket, signal),
  });
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= service.kill().then(() => keeper.close());
    return stopping;
  };
  try {
    await service.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { socket, directory, hostAddress, environment, service, stop, [Symbol.asyncDispose]: stop };
}

/** What makes a podman command use this directory and nothing of the machine's. */
async function configure(directory: string): Promise<Record<string, string>> {
  const [conf, registries, storage] = ["containers.conf", "registries.conf", "storage.conf"].map((file) =>
    join(directory, file),
  ) as [string, string, string];
  await mkdir(join(directory, "networks"));
  // runc, for crun refuses mixed cgroups.
  await writeFile(
    conf,
    `[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
tmp_dir = "${directory}/tmp"
[network]
network_backend = "netavark"
network_config_dir = "${directory}/networks"
`,
  );
  await writeFile(
    registries,
    `unqualified-search-registries = []\n[[registry]]\nlocation = "${hostAddress}"\ninsecure = true\n`,
  );
  await writeFile(
    storage,
    `[storage]\ndriver = "overlay"\ngraphroot = "${directory}/root"\nrunroot = "${directory}/run"\n`,
  );
  return {
    CONTAINERS_CONF: conf,
    CONTAINERS_REGISTRIES_CONF: registries,
    CONTAINERS_STORAGE_CONF: storage,
    // Else the machine's own sign-ins would be used.
    REGISTRY_AUTH_FILE: join(directory, "auth.json"),
  };
}

/**
 * For the keeper: containers and their networks outlive the service, and the monitor of a command stays for minutes
 * after it. Mounts go too, for the files do so after this.
 */
function cleanUp(directory: string, podman: readonly string[]): string {
  return `
env ${podman.join(" ")} rm --all --force --time 0
env ${podman.join(" ")} network ls --quiet | while read -r network; do
  env ${podman.join(" ")} network rm --force "$network"
done
for process in /proc/[0-9]*; do
  [ "$(cat "$process/comm")" = conmon ] && grep -q -- "${directory}/" "$process/cmdline" && kill -KILL "\${process#/proc/}"
done
for mount in $(cut -d ' ' -f 2 /proc/mounts | grep "^${directory}/" | sort -r); do umount -l "$mount"; done
rmdir /sys/fs/cgroup/libpod_parent/conmon /sys/fs/cgroup/*/libpod_parent/conmon
rmdir /sys/fs/cgroup/libpod_parent /sys/fs/cgroup/*/libpod_parent
`;
}
