/** What tests of pairs on a real engine stand on: a network, a pod on it, a server on this host, and controllers. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, silentLogger, unlimited } from "@berg/kube";
import type { Engine, ExecSession } from "@berg/local-engine";
import { ContainerNetworks, ContainerNetworkTunnelProxies } from "@berg/resources";
import type { Given } from "@berg/test/engine";
import { expect, vi } from "vitest";
import { baseImage as makeBaseImage } from "../../image/testing/base-images.ts";
import { startOf } from "../../server-proxy/process.ts";
import { pairLabels } from "../lifecycle/surroundings.ts";
import { startTunnelController, type TunnelController } from "../tunnel-controller.ts";
import type { ControllerProcessOptions } from "./controller-process.ts";
import { type Tunnel, type TunnelProxy, TunnelWorld } from "./tunnel-world.ts";

export const patience = { timeout: 90_000, interval: 200 };
const baseImage = "berg.test/tunnel-base:1";
const controllerProcess = join(import.meta.dirname, "controller-process.ts");

type Status = NonNullable<TunnelProxy["status"]>;

/** Says back each line that it gets, with a word before it. */
export async function startServer(word = "you said") {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (bytes) => socket.write(`${word} ${bytes}`));
    socket.on("end", () => socket.end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port, stop };
}

export class EngineSite implements AsyncDisposable {
  readonly network = `berg-test-tunnel-${process.pid}`;
  readonly node = `test-${process.pid}`;
  readonly given: Given;
  readonly world: TunnelWorld;
  readonly directory: string;
  readonly server: Awaited<ReturnType<typeof startServer>>;
  readonly client: Client;
  #controllers: TunnelController[] = [];
  #children: ChildProcess[] = [];

  private constructor(given: Given, world: TunnelWorld, directory: string, server: EngineSite["server"]) {
    this.given = given;
    this.world = world;
    this.directory = directory;
    this.server = server;
    this.client = createClient({ connection: world.connection, component: "tunnels", rate: unlimited });
  }

  static async start(given: Given): Promise<EngineSite> {
    const directory = await mkdtemp(join(tmpdir(), "berg-t-"));
    const site = new EngineSite(given, await TunnelWorld.start(), directory, await startServer());
    await given.engine.loadImage(await makeBaseImage(baseImage));
    await given.engine.createNetwork({ name: site.network, labels: {} });
    const metadata = { name: site.network };
    const made = await site.world.client.create(ContainerNetworks, { metadata, spec: {} } as never);
    const status = { state: "Running", networkName: site.network } as const;
    await site.world.client.update(ContainerNetworks, { ...made, status }, { subresource: "status" });
    return site;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.stop();
    await this.client.close();
    await this.world[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** After each test: no controller, no object. */
  async clear(): Promise<void> {
    for (const child of this.#children.splice(0)) child.kill("SIGKILL");
    for (const controller of this.#controllers.splice(0)) await controller.stop();
    const { client } = this.world;
    for (const { metadata } of (await client.list(ContainerNetworkTunnelProxies)).items) {
      const patch = { type: "merge", body: { metadata: { finalizers: [] } } } as const;
      await client.patch(ContainerNetworkTunnelProxies, "", metadata.name, patch);
      await client.delete(ContainerNetworkTunnelProxies, "", metadata.name).catch(() => {});
    }
  }

  async startController(with_: { engine?: Engine; version?: string } = {}): Promise<TunnelController> {
    const { client, directory, node } = this;
    const { engine = this.given.engine, version = "0.1.0" } = with_;
    const controller = await startTunnelController({ client, engine, directory, node, version, log: silentLogger });
    this.#controllers.push(controller);
    return controller;
  }

  /** To be killed. */
  async startControllerProcess(): Promise<ChildProcess> {
    const { connection } = this.world;
    const options: ControllerProcessOptions = {
      server: connection.server,
      tls: await connection.tls(),
      authorization: await connection.authorization(),
      engineSocket: this.given.real.socket,
      directory: this.directory,
      node: this.node,
    };
    const started = spawn(process.execPath, [controllerProcess], { stdio: ["pipe", "inherit", "inherit"] });
    started.stdin.write(`${JSON.stringify(options)}\n`);
    this.#children.push(started);
    return started;
  }

  async make(tunnels: Tunnel[], more: { network?: string; baseImage?: string } = {}): Promise<TunnelProxy> {
    const spec = {
      containerNetworkName: more.network ?? this.network,
      tunnels,
      baseImage: more.baseImage ?? baseImage,
    };
    return this.world.client.create(ContainerNetworkTunnelProxies, { metadata: { name: "proxy" }, spec } as never);
  }

  async setTunnels(tunnels: Tunnel[]): Promise<void> {
    const patch = { type: "merge", body: { spec: { tunnels } } } as const;
    await this.world.client.patch(ContainerNetworkTunnelProxies, "", "proxy", patch);
  }

  async read(): Promise<TunnelProxy> {
    return this.world.client.get(ContainerNetworkTunnelProxies, "", "proxy");
  }

  until(isSo: (status: Status) => boolean): Promise<Status> {
    return vi.waitFor(async () => {
      const { status } = await this.read();
      if (!status || !isSo(status)) throw new Error(`it is ${JSON.stringify(status)}`);
      return status;
    }, patience);
  }

  untilRunning(): Promise<Status> {
    return this.until(({ state, tunnelStatuses }) => state === "Running" && tunnelStatuses?.[0]?.state === "Ready");
  }

  /** A watch misses no state, however short it is. */
  async firstSightOf(state: string, { metadata: { name, resourceVersion } }: TunnelProxy): Promise<void> {
    const seen = new AbortController();
    const options = { fieldSelector: `metadata.name=${name}`, resourceVersion, signal: seen.signal };
    await this.world.client
      .watch(ContainerNetworkTunnelProxies, options, (events) => {
        const states = events.map(({ object }) => (object as TunnelProxy).status?.state);
        if (states.includes(state as never)) seen.abort();
      })
      .catch((error: unknown) => {
        if (!seen.signal.aborted) throw error;
      });
    if (!seen.signal.aborted) throw new Error(`it was never ${state}`);
  }

  /** Containers, networks, directories and processes of pairs. */
  async leftovers(): Promise<string[]> {
    const labels = pairLabels(this);
    const containers = (await this.given.engine.listContainers(labels)).map(({ name }) => name);
    const networks = (await this.given.engine.listNetworks(labels)).map(({ name }) => name);
    const directories = await readdir(join(this.directory, "pairs")).catch((): string[] => []);
    return [...containers, ...networks, ...directories, ...this.#serverProcesses()];
  }

  /** The object goes, and nothing of it is left. */
  async deleteAndLookForLeftovers(): Promise<void> {
    const { client } = this.world;
    await client.delete(ContainerNetworkTunnelProxies, "", "proxy");
    const objects = async () => (await client.list(ContainerNetworkTunnelProxies)).items;
    await vi.waitFor(async () => expect(await objects()).toEqual([]), patience);
    await vi.waitFor(async () => expect(await this.leftovers()).toEqual([]), patience);
  }

  /** Of this test, whoever started them. */
  #serverProcesses(): string[] {
    return readdirSync("/proc")
      .filter((pid) => /^\d+$/.test(pid))
      .map((pid) => commandOf(pid))
      .filter((command) => command.includes(`${this.directory}/pairs/`));
  }

  startPod(): Promise<string> {
    return this.given.run("sleep 1000", { HostConfig: { NetworkMode: this.network } });
  }

  async inPod(pod: string, script: string): Promise<{ session: ExecSession; over: Promise<void>; said: () => string }> {
    const command = ["sh", "-c", script];
    const streams = { stdin: true, stdout: true, stderr: true, tty: false };
    const session = await this.given.engine.exec(pod, { command, ...streams });
    let said = "";
    const over = (async () => {
      for await (const { bytes } of session.output) said += Buffer.from(bytes);
    })();
    // A test that fails may leave it open.
    over.catch(() => {});
    return { session, over, said: () => said };
  }
}

/** Where the first of its tunnels is entered. */
export function endpoint({ tunnelStatuses = [] }: Status): string {
  return `${tunnelStatuses[0]?.clientProxyAddresses?.[0]} ${tunnelStatuses[0]?.clientProxyPort}`;
}

/** Not so for one that has ended, and waits for its parent to hear of it. */
export function isAlive(pid: number | undefined): boolean {
  return pid !== undefined && startOf(pid) !== undefined;
}

/** Empty for one that has just ended. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
