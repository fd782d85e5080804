/**
 * A real node for a test: kubelet, kube-proxy, containerd and runc, joined to a control plane of ours, so that pods
 * really run. It lives in namespaces of its own (machine.ts) and is gone when the test is, whatever ends it.
 *
 *     await using controlPlane = await startControlPlane();
 *     await using node = await startNode({ controlPlane });
 *     await node.addImage(busyboxImage({ name: "berg.test/web:1" }));
 *     await controlPlane.kubectl(["run", "web", "--image=berg.test/web:1", "--", "sleep", "100"]);
 */
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createClient } from "@berg/kube";
import { type ImageOptions, imageArchive } from "@berg/local-node";
import { parse, stringify } from "yaml";
import { provideBinaries } from "../control-plane/binaries.ts";
import type { Component } from "../control-plane/component.ts";
import type { ControlPlane } from "../control-plane/control-plane.ts";
import { startKeeper } from "../control-plane/keeper.ts";
import { containerd, pauseImage, socketOf } from "./containerd.ts";
import { startDns } from "./dns/server.ts";
import { busyboxImage } from "./image/busybox.ts";
import { kubeProxy } from "./kube-proxy.ts";
import { kubelet } from "./kubelet.ts";
import { Machine, machineCleanUp } from "./machine.ts";
import { allBinaries, commandPath } from "./missing.ts";
import { connectMachine, openDoorway } from "./network.ts";

export interface NodeOptions {
  /** With its scheduler and controller manager. */
  readonly controlPlane: ControlPlane;
  readonly name?: string;
  /** Where its directory is made. The system's directory for temporary files unless told otherwise. */
  readonly parentDirectory?: string;
  readonly signal?: AbortSignal;
}

export interface TestNode extends AsyncDisposable {
  readonly name: string;
  /** Where node ports are reached from this host. */
  readonly address: string;
  /** Logs and state. Removed by `stop`, unless BERG_KEEP_CONTROL_PLANE is set. */
  readonly directory: string;
  /** Makes an image known: no registry can be reached. */
  addImage(image: ImageOptions): Promise<void>;
  /** Runs a command in a container and gives its stdout; a command that fails rejects with what it said. */
  exec(pod: PodPlace, command: readonly string[]): Promise<string>;
  /** Runs a command on the node itself, beside the containers. */
  run(command: readonly string[], signal?: AbortSignal): Promise<string>;
  /** Ends every process and removes everything. May be called again. */
  stop(): Promise<void>;
}

export interface PodPlace {
  readonly namespace?: string;
  readonly pod: string;
  /** The pod's first, unless told otherwise. */
  readonly container?: string;
}

export async function startNode(options: NodeOptions): Promise<TestNode> {
  const { controlPlane, name = "node", signal } = options;
  const binaries = await provideBinaries(signal, allBinaries);
  const keep = Boolean(process.env.BERG_KEEP_CONTROL_PLANE);
  const directory = await mkdtemp(join(options.parentDirectory ?? tmpdir(), "berg-node-"));
  const machineName = basename(directory).replace("node-", "");
  const keeper = startKeeper(keep ? undefined : directory, machineCleanUp(machineName));
  const machine = new Machine({ name: machineName, directory, keeper });
  const inside: Component[] = [];
  const client = createClient({ connection: controlPlane.connection });
  await using outside = new AsyncDisposableStack();
  outside.defer(() => client.close());

  const start = async (component: Component) => {
    inside.push(component);
    await component.start(signal);
  };
  const addImage = async (image: ImageOptions) => {
    const file = join(directory, "image.tar");
    await writeFile(file, imageArchive(image));
    await machine.run(
      [commandPath("ctr"), `--address=${socketOf(directory)}`, "--namespace=k8s.io", "images", "import", file],
      signal,
    );
  };

  outside.defer(async () => {
    await machine.kill();
    await Promise.all(inside.map((component) => component.kill()));
    await keeper.close();
  });
  await mkdir(join(directory, "networks"));
  await machine.start(signal);
  const link = await connectMachine(machine, signal);
  const doorway = outside.use(await openDoorway(link.host, Number(new URL(controlPlane.server).port)));
  outside.use(await startDns(link.host, client));
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, await kubeconfigThrough(controlPlane, link.host, doorway.port), { mode: 0o600 });

  await start(await containerd(machine, directory));
  await addImage(busyboxImage({ name: pauseImage, command: ["sleep", "infinity"] }));
  const site = { directory, binaries, kubeconfig, name, link, client };
  await start(await kubelet(machine, site));
  await start(await kubeProxy(machine, site));

  const everything = outside.move();
  const stop = () => everything.disposeAsync();
  return {
    name,
    address: link.node,
    directory,
    addImage,
    exec: ({ namespace = "default", pod, container }, command) =>
      controlPlane.kubectl([
        ...["exec", `--namespace=${namespace}`, pod, "--quiet"],
        ...(container === undefined ? [] : [`--container=${container}`]),
        ...["--", ...command],
      ]),
    run: (command, runSignal) => machine.run(command, runSignal),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The admin's kubeconfig for whoever comes through the doorway; the server's certificate is for 127.0.0.1. */
async function kubeconfigThrough(controlPlane: ControlPlane, host: string, port: number): Promise<string> {
  const kubeconfig = parse(await readFile(controlPlane.kubeconfig, "utf8"));
  for (const { cluster } of kubeconfig.clusters) {
    cluster.server = `https://${host}:${port}`;
    cluster["tls-server-name"] = "127.0.0.1";
  }
  return stringify(kubeconfig);
}
