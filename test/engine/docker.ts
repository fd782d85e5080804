/**
 * Docker, with its containerd, on a machine of its own (test/node/machine.ts): it would set rules for the host's whole
 * network, and a test needs no more of it than its socket. See engine.ts for what can be done with it.
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { startKeeper } from "../control-plane/keeper.ts";
import { Machine, machineCleanUp } from "../node/machine.ts";
import { connectMachine } from "../node/network.ts";
import { answers } from "./answers.ts";
import type { TestEngine } from "./engine.ts";
import { missingPackages } from "./missing.ts";

/** Why there can be no Docker here, or nothing. */
export function missingDocker(): string | undefined {
  return missingPackages("Docker", {
    dockerd: "docker.io",
    containerd: "containerd",
    runc: "runc",
    iptables: "iptables",
    ip: "iproute2",
    unshare: "util-linux",
    busybox: "busybox-static",
  });
}

export async function startDocker(): Promise<TestEngine> {
  const missing = missingDocker();
  if (missing) throw new Error(missing);
  const keep = Boolean(process.env.BERG_KEEP_CONTROL_PLANE);
  const directory = await mkdtemp(join(tmpdir(), "berg-dock-"));
  const name = basename(directory).replace("dock-", "");
  const keeper = startKeeper(keep ? undefined : directory, machineCleanUp(name));
  const machine = new Machine({ name, directory, keeper });
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= machine.kill().then(() => keeper.close());
    return stopping;
  };
  try {
    await machine.start();
    const { host: hostAddress } = await connectMachine(machine);
    const socket = join(directory, "docker.sock");
    const dockerd = machine.component({
      name: "dockerd",
      binary: "dockerd",
      flags: [
        `--data-root=${directory}/data`,
        `--host=unix://${socket}`,
        `--cgroup-parent=/${name}`,
        `--insecure-registry=${hostAddress}/32`,
      ],
      isReady: (_port, signal) => answers(socket, signal),
    });
    await dockerd.start();
    const service = {
      start: (signal?: AbortSignal) => dockerd.start(signal),
      // What was started outside only stands for what runs inside, and ends with it.
      async kill() {
        await machine.run(["sh", "-c", "pid=$(cat /run/docker.pid) && rm /run/docker.pid && kill -KILL $pid"]);
        await dockerd.kill();
      },
    };
    return { socket, directory, hostAddress, service, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
