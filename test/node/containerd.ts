import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { Component } from "../control-plane/component.ts";
import type { Machine } from "./machine.ts";
import { commandPath, pluginDirectory } from "./missing.ts";
import { podNetwork } from "./network.ts";

/** The image of the container that holds a pod's namespaces. */
export const pauseImage = "berg.test/pause:1";

export const socketOf = (directory: string) => join(directory, "containerd.sock");

export async function containerd(machine: Machine, directory: string): Promise<Component> {
  const config = join(directory, "containerd.toml");
  const networks = join(directory, "networks");
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  await writeFile(join(networks, "pods.conflist"), podNetwork());
  await writeFile(
    config,
    `version = 2
root = "${directory}/containerd"
state = "/run/containerd"
[grpc]
  address = "${socketOf(directory)}"
[${cri}]
  sandbox_image = "${pauseImage}"
  # Raising a score takes a right that root lacks in many virtual machines.
  restrict_oom_score_adj = true
  stats_collect_period = 2
[${cri}.cni]
  bin_dir = "${pluginDirectory()}"
  conf_dir = "${networks}"
[${cri}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
`,
  );
  return machine.component({
    name: "containerd",
    binary: commandPath("containerd"),
    flags: ["--config", config],
    isReady: () =>
      new Promise((resolve) => {
        const socket = connect(socketOf(directory), () => resolve(true));
        socket.on("error", () => resolve(false)).on("connect", () => socket.destroy());
      }),
  });
}
