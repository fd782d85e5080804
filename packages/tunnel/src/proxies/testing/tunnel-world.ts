/** A control plane with our kinds, a mock of the engine, and controllers that come and go. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stored } from "@berg/apimachinery";
import {
  type Client,
  type Connection,
  createClient,
  createMetrics,
  Events,
  type Metrics,
  silentLogger,
  unlimited,
} from "@berg/kube";
import {
  type ContainerNetwork,
  ContainerNetworks,
  ContainerNetworkTunnelProxies,
  type ContainerNetworkTunnelProxy,
  type ContainerNetworkTunnelProxySpec,
} from "@berg/resources";
import { vi } from "vitest";
import {
  embedded,
  type PlaneWithKinds,
  type StartPlane,
  startWithKinds,
} from "../../networks/testing/control-planes.ts";
import type { Guests } from "../lifecycle/surroundings.ts";
import { startTunnelController, type TunnelController } from "../tunnel-controller.ts";
import { MockHost } from "./mock-host.ts";
import type { MockServer } from "./mock-server.ts";

export type TunnelProxy = Stored<ContainerNetworkTunnelProxy>;
/** What an author writes of it. */
export type Tunnel = Partial<ContainerNetworkTunnelProxySpec["tunnels"][number]> & { name: string; serverPort: number };

export const db: Tunnel = { name: "db", serverPort: 5432 };
export const web: Tunnel = { name: "web", serverPort: 8080, clientProxyPort: 80 };

export const poll = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 90_000, interval: 20 });

export class TunnelWorld implements AsyncDisposable {
  readonly client: Client;
  readonly #plane: PlaneWithKinds;
  readonly connection: Connection;

  private constructor(plane: PlaneWithKinds) {
    this.client = plane.client;
    this.connection = plane.connection;
    this.#plane = plane;
  }

  static async start(startPlane: StartPlane = embedded): Promise<TunnelWorld> {
    return new TunnelWorld(await startWithKinds(startPlane));
  }

  /** Everything of one test: a mock of the engine, a directory, and names that no other test has. */
  async site(): Promise<Site> {
    const directory = await mkdtemp(join(tmpdir(), "berg-tunnel-"));
    return new Site(this, directory);
  }

  /** With a pair that runs, and all its tunnels. */
  async runningSite(
    tunnels: Tunnel[] = [db],
  ): Promise<{ site: Site; controller: TunnelController; proxy: TunnelProxy }> {
    const site = await this.site();
    const controller = await site.startController();
    await site.makeNetwork();
    const proxy = await site.make(tunnels);
    await site.until(proxy, ({ state, observedGeneration }) => state === "Running" && observedGeneration === 1);
    return { site, controller, proxy };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#plane[Symbol.asyncDispose]();
  }
}

/** Of the only pair. */
export function containerOf({ host }: Site): string {
  return [...host.containers.keys()][0] ?? "";
}

export function serverOf({ host }: Site): MockServer {
  const [server] = host.aliveServers;
  if (!server) throw new Error("there is no server proxy");
  return server;
}

let count = 0;

export class Site implements AsyncDisposable {
  readonly host = new MockHost();
  readonly directory: string;
  readonly network = `net-${++count}`;
  readonly guests: string[] = [];
  /** Of the controllers: what they wrote. */
  readonly metrics: Metrics[] = [];
  readonly #world: TunnelWorld;
  readonly #running: { controller: TunnelController; client: Client }[] = [];
  readonly #names: string[] = [];

  constructor(world: TunnelWorld, directory: string) {
    this.#world = world;
    this.directory = directory;
  }

  get client(): Client {
    return this.#world.client;
  }

  async startController(): Promise<TunnelController> {
    const metrics = await createMetrics();
    this.metrics.push(metrics);
    const client = createClient({
      connection: this.#world.connection,
      component: "tunnels",
      rate: unlimited,
      metrics: metrics.requests,
    });
    const guests: Guests = {
      joined: async (network, { address }) => void this.guests.push(`${network} ${address}`),
      left: async () => void this.guests.pop(),
    };
    const controller = await startTunnelController({
      client,
      engine: this.host.engine,
      programs: this.host.programs,
      directory: this.directory,
      node: `node-${this.network}`,
      version: "1.2.3",
      guests,
      log: silentLogger,
      metrics,
    });
    this.#running.push({ controller, client });
    return controller;
  }

  /** As a kill leaves it: nothing is cleaned up. */
  async kill(controller: TunnelController): Promise<void> {
    await controller.stop({ keepPairs: true });
  }

  async makeNetwork(state: "Pending" | "Running" = "Running", name = this.network): Promise<Stored<ContainerNetwork>> {
    const made = await this.client.create(ContainerNetworks, { metadata: { name }, spec: {} } as never);
    return this.setNetwork(made, state);
  }

  setNetwork(network: Stored<ContainerNetwork>, state: "Pending" | "Running"): Promise<Stored<ContainerNetwork>> {
    const status = { state, networkName: `${network.metadata.name}-on-engine` };
    return this.client.update(ContainerNetworks, { ...network, status }, { subresource: "status" });
  }

  async make(tunnels: Tunnel[] = [], name = `proxy-${++count}`): Promise<TunnelProxy> {
    this.#names.push(name);
    const spec = { containerNetworkName: this.network, tunnels };
    return this.client.create(ContainerNetworkTunnelProxies, { metadata: { name }, spec } as never);
  }

  read({ metadata }: TunnelProxy): Promise<TunnelProxy> {
    return this.client.get(ContainerNetworkTunnelProxies, "", metadata.name);
  }

  async setTunnels(proxy: TunnelProxy, tunnels: Tunnel[]): Promise<TunnelProxy> {
    const patch = { type: "merge", body: { spec: { tunnels } } } as const;
    return this.client.patch(ContainerNetworkTunnelProxies, "", proxy.metadata.name, patch);
  }

  delete({ metadata }: TunnelProxy): Promise<void> {
    return this.client.delete(ContainerNetworkTunnelProxies, "", metadata.name);
  }

  /** When it is so. */
  until(proxy: TunnelProxy, isSo: (status: NonNullable<TunnelProxy["status"]>) => boolean): Promise<TunnelProxy> {
    return poll(async () => {
      const now = await this.read(proxy);
      if (!now.status || !isSo(now.status)) throw new Error(`it is ${JSON.stringify(now.status)}`);
      return now;
    });
  }

  untilState(proxy: TunnelProxy, state: string): Promise<TunnelProxy> {
    return this.until(proxy, (status) => status.state === state);
  }

  async untilGone(proxy: TunnelProxy): Promise<void> {
    await poll(async () => {
      const { items } = await this.client.list(ContainerNetworkTunnelProxies);
      if (items.some(({ metadata }) => metadata.uid === proxy.metadata.uid)) throw new Error("it is still there");
    });
  }

  /** Of the pairs: containers, networks, processes, directories, and openings for guests. */
  async leftovers(): Promise<string[]> {
    const directories = await readdir(join(this.directory, "pairs")).catch((): string[] => []);
    const { containers, networks, aliveServers } = this.host;
    const processes = aliveServers.map(({ pid }) => `process ${pid}`);
    return [...containers.keys(), ...networks.keys(), ...processes, ...directories, ...this.guests];
  }

  async eventsOf({ metadata }: TunnelProxy): Promise<string[]> {
    const { items } = await this.client.list(Events, { fieldSelector: `involvedObject.uid=${metadata.uid}` });
    return items.map(({ reason }) => reason ?? "");
  }

  /** Of all its controllers, as Prometheus reads them. */
  async figures(): Promise<string[]> {
    const texts = await Promise.all(this.metrics.map((metrics) => metrics.render()));
    return texts.flatMap(({ body }) => body.split("\n"));
  }

  /** How many writes the controllers have made. */
  async writes(): Promise<number> {
    const lines = await this.figures();
    const isWrite = /^rest_client_requests_total\{.*method="(PUT|PATCH|POST|DELETE)"/;
    return lines.filter((line) => isWrite.test(line)).reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { controller, client } of this.#running) {
      await controller.stop();
      await client.close();
    }
    for (const name of this.#names) {
      const patch = { type: "merge", body: { metadata: { finalizers: [] } } } as const;
      await this.client.patch(ContainerNetworkTunnelProxies, "", name, patch).catch(() => {});
      await this.client.delete(ContainerNetworkTunnelProxies, "", name).catch(() => {});
    }
    await rm(this.directory, { recursive: true, force: true });
  }
}
