/**
 * The tunnels of one instance, from the moment in which its namespace has a network until the instance ends. What goes
 * wrong with them is told; the instance goes on.
 */
import { isNotFound, type KubeObject, type ResourceType, type Stored } from "@berg/apimachinery";
import { type Client, type Clock, EndpointSlices, errorText, Services, sleep } from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import { ContainerNetworks, ContainerNetworkTunnelProxies } from "@berg/resources";
import { printable } from "../../instance/printable.ts";
import { loadTunnelBase } from "./base-image.ts";
import { tunnelProxy, tunnelService, tunnelSlice } from "./objects.ts";
import type { WantedTunnel } from "./wanted.ts";

export interface DevTunnelsOptions {
  client: Client;
  clock: Clock;
  engine: Engine;
  tunnels: readonly WantedTunnel[];
  say(text: string): void;
}

const lookEveryMs = 250;
const applied = { fieldManager: "berg-dev", force: true };

export class DevTunnels {
  readonly #options: DevTunnelsOptions;
  readonly #namespace: string;
  readonly #stop = new AbortController();
  readonly #opened: Promise<void>;

  constructor(options: DevTunnelsOptions, namespace: string) {
    this.#options = options;
    this.#namespace = namespace;
    this.#opened = this.#open().catch((error) => {
      if (!this.#stop.signal.aborted) options.say(`The tunnels do not work: ${printable(errorText(error))}`);
    });
  }

  /** The network of the instance can go once they are gone. */
  async close(signal: AbortSignal): Promise<void> {
    this.#stop.abort();
    await this.#opened;
    const { client, clock } = this.#options;
    await client.delete(ContainerNetworkTunnelProxies, "", this.#namespace, { signal }).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
    while (await this.#find(ContainerNetworkTunnelProxies, signal)) await sleep(clock, lookEveryMs, signal);
  }

  async #open(): Promise<void> {
    const { client, clock, engine, tunnels } = this.#options;
    const { signal } = this.#stop;
    const baseImage = await loadTunnelBase(engine, signal);
    for (const tunnel of tunnels) {
      await client.apply(Services, tunnelService(this.#namespace, tunnel), { ...applied, signal });
    }
    let network = await this.#find(ContainerNetworks, signal);
    while (network?.status?.state !== "Running") {
      await sleep(clock, lookEveryMs, signal);
      network = await this.#find(ContainerNetworks, signal);
    }
    await client.apply(ContainerNetworkTunnelProxies, tunnelProxy(network, baseImage, tunnels), { ...applied, signal });
    await this.#follow(signal);
  }

  /** Until it is closed: a tunnel may open later than the others, and a pair may fail after it ran. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { client, clock, tunnels, say } = this.#options;
    const told = new Map<string, string>();
    const tell = (about: string, text: string) => {
      if (told.get(about) !== text) say(text);
      told.set(about, text);
    };
    for (; ; await sleep(clock, lookEveryMs, signal)) {
      const proxy = await this.#find(ContainerNetworkTunnelProxies, signal);
      if (!proxy) continue;
      const { state, message = "", tunnelStatuses = [] } = proxy.status ?? {};
      if (state === "Failed") tell("", `The tunnels have ended: ${printable(message)}`);
      if (state !== "Running") continue;
      for (const tunnel of tunnels) {
        const status = tunnelStatuses.find(({ name }) => name === tunnel.name);
        if (status?.state === "Failed") tell(tunnel.name, failedText(tunnel, status.errorMessage));
        if (status?.state !== "Ready") continue;
        const text = openText(tunnel);
        if (told.get(tunnel.name) !== text) {
          await client.apply(EndpointSlices, tunnelSlice(this.#namespace, tunnel, status), { ...applied, signal });
          tell(tunnel.name, text);
        }
        const server = `server of ${tunnel.name}`;
        if (status.errorMessage !== undefined) tell(server, failedText(tunnel, status.errorMessage));
        else if (told.delete(server)) say(`The tunnel ${tunnel.name} works again.`);
      }
    }
  }

  async #find<T extends KubeObject>(kind: ResourceType<T>, signal: AbortSignal): Promise<Stored<T> | undefined> {
    try {
      return await this.#options.client.get(kind, "", this.#namespace, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

function openText({ name, host, port }: WantedTunnel): string {
  return `The tunnel ${name} is open: ${name}:${port} in the containers is ${host}:${port} here.`;
}

function failedText({ name }: WantedTunnel, message = "no reason was given"): string {
  return `The tunnel ${name} does not work: ${printable(message)}`;
}
