/**
 * One network of the engine for each namespace that has pods.
 *
 * It is made when the first pod needs it. It goes with its namespace, or some time after its last pod: the next pod of a
 * Deployment may be on its way. The engine itself refuses to remove one that containers are in, so that a mistake here
 * takes nothing from a pod; it is then tried again later.
 */
import { type Clock, errorText, type Logger, type Timer } from "@berg/kube";
import {
  createInFreeSubnet,
  type Engine,
  type Network,
  namespaceLabel,
  type Subnet,
  type SubnetPool,
} from "@berg/local-engine";
import { bridgeName, networkLabels, networkName } from "./names.ts";

export interface NamespaceNetworksOptions {
  engine: Engine;
  node: string;
  pool: SubnetPool;
  clock: Clock;
  log: Logger;
  /** Whether pods of the namespace are known. */
  hasPods(namespace: string): boolean;
  /** Whether others are on it: then the engine refuses to remove it, which is no news. */
  hasGuests(namespace: string): boolean;
  /** Told before a new network is given out, and after one has gone. */
  onChange(): Promise<void>;
}

const lingerMs = 15_000;

/** What is kept of one that is there. */
type NamespaceNetwork = Pick<Network, "name" | "subnet" | "bridge">;

export class NamespaceNetworks {
  readonly #options: NamespaceNetworksOptions;
  readonly #networks = new Map<string, NamespaceNetwork>();
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #removals = new Map<string, Timer>();
  #isStopped = false;

  constructor(options: NamespaceNetworksOptions) {
    this.#options = options;
  }

  /** Those of an earlier run. */
  async adopt(signal?: AbortSignal): Promise<void> {
    const { engine, node } = this.#options;
    for (const network of await engine.listNetworks(networkLabels(node), signal)) {
      const namespace = network.labels[namespaceLabel];
      if (namespace !== undefined) this.#networks.set(namespace, network);
    }
  }

  list(): { namespace: string; bridge: string; subnet: string }[] {
    return [...this.#networks].map(([namespace, { bridge, subnet }]) => ({ namespace, bridge, subnet }));
  }

  bridgeOf(namespace: string): string | undefined {
    return this.#networks.get(namespace)?.bridge;
  }

  subnetOf(namespace: string): string | undefined {
    return this.#networks.get(namespace)?.subnet;
  }

  /** The network's name. Whoever calls this has time to put a pod on it before it is removed for lack of pods. */
  attach(namespace: string, signal?: AbortSignal): Promise<string> {
    return this.#inTurn(namespace, async () => {
      this.#refuseWhenStopped();
      this.#removals.get(namespace)?.cancel();
      this.#removals.delete(namespace);
      const network = (await this.#find(namespace, signal)) ?? (await this.#create(namespace, signal));
      this.#networks.set(namespace, network);
      await this.#options.onChange();
      this.removeLater(namespace);
      return network.name;
    });
  }

  /** Unless pods come meanwhile. */
  removeLater(namespace: string, delayMs = lingerMs): void {
    this.#removals.get(namespace)?.cancel();
    if (this.#isStopped) return;
    const timer = this.#options.clock.setTimer(delayMs, () => {
      this.#removals.delete(namespace);
      void this.release(namespace);
    });
    this.#removals.set(namespace, timer);
  }

  /** Removes it, unless it has pods. Resolves in any case. */
  release(namespace: string): Promise<void> {
    const { engine, hasPods, hasGuests, log, onChange } = this.#options;
    return this.#inTurn(namespace, async () => {
      const network = this.#networks.get(namespace);
      if (!network || hasPods(namespace)) return;
      try {
        // By its name: Podman looks for containers on it under that, and finds none under its id.
        await engine.removeNetwork(network.name);
        this.#networks.delete(namespace);
        this.#removals.get(namespace)?.cancel();
        this.#removals.delete(namespace);
        await onChange();
      } catch (error) {
        const fields = { namespace, error: errorText(error) };
        log[hasGuests(namespace) ? "debug" : "warn"](fields, "a network could not be removed, and is tried again");
        this.removeLater(namespace);
      }
    });
  }

  /** No network is made after this, and none removed but by `release`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#removals.values()) timer.cancel();
    this.#removals.clear();
    await Promise.allSettled(this.#turns.values());
  }

  async #find(namespace: string, signal: AbortSignal | undefined): Promise<NamespaceNetwork | undefined> {
    // Others may have removed it: the engine's word counts.
    const { engine, node } = this.#options;
    const found = await engine.inspectNetwork(networkName(node, namespace), signal);
    return found?.labels[namespaceLabel] === namespace ? found : undefined;
  }

  async #create(namespace: string, signal: AbortSignal | undefined): Promise<NamespaceNetwork> {
    const { engine, node, pool } = this.#options;
    const name = networkName(node, namespace);
    const labels = networkLabels(node, namespace);
    const bridge = bridgeName(node, namespace);
    const create = async ({ subnet, gateway }: Subnet) => {
      await engine.createNetwork({ name, labels, subnet, gateway, bridge }, signal);
      return { name, subnet, bridge };
    };
    const whose = { key: `${node}/${namespace}`, owner: `the namespace ${namespace}` };
    return createInFreeSubnet(engine, pool, whose, create, signal);
  }

  #refuseWhenStopped(): void {
    if (this.#isStopped) throw new Error("cannot give a namespace a network: the node stops");
  }

  /** One thing at a time for each namespace. */
  #inTurn<R>(namespace: string, work: () => Promise<R>): Promise<R> {
    const before = this.#turns.get(namespace) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#turns.set(namespace, turn);
    const forget = () => {
      if (this.#turns.get(namespace) === turn) this.#turns.delete(namespace);
    };
    turn.then(forget, forget);
    return turn;
  }
}
