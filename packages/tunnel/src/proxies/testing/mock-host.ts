/**
 * A mock of the engine and of the server proxy's program: containers, networks, processes and tunnels are entries in
 * maps, which outlive the controllers of a test as the real ones do. Any call can be held up, or made to fail.
 */
import type { Engine, EngineEvent, Labels, LogChunk } from "@berg/local-engine";
import { EngineError } from "@berg/local-engine";
import type { PairEvent } from "../../protocol/tunnel_pb.ts";
import type { EnsureImage, ServerPrograms } from "../lifecycle/programs.ts";
import { MockServer } from "./mock-server.ts";

export interface MockContainer {
  readonly name: string;
  readonly labels: Labels;
  readonly networks: Set<string>;
  readonly body: Parameters<Engine["createContainer"]>[1];
  status: "created" | "running" | "exited";
}

interface MockNetwork {
  readonly name: string;
  readonly labels: Labels;
  readonly subnet: string;
  readonly internal: boolean;
}

export class MockHost {
  readonly containers = new Map<string, MockContainer>();
  readonly networks = new Map<string, MockNetwork>();
  /** By directory. */
  readonly servers = new Map<string, MockServer>();
  /** Ports at which a tunnel cannot be entered. */
  readonly busyPorts = new Set<number>();
  /** What was asked, in order. */
  readonly calls: string[] = [];
  readonly #held = new Map<string, PromiseWithResolvers<void>>();
  readonly #failing = new Map<string, Error>();
  readonly #followers = new Set<(event: EngineEvent | undefined) => void>();
  #count = 0;

  /** From now on this call waits, until what is returned is called. */
  hold(call: string): () => void {
    const gate = Promise.withResolvers<void>();
    this.#held.set(call, gate);
    return () => {
      this.#held.delete(call);
      gate.resolve();
    };
  }

  /** From now on this call fails, until what is returned is called. */
  fail(call: string, error: Error = new EngineError(`${call} is broken`, 500)): () => void {
    this.#failing.set(call, error);
    return () => void this.#failing.delete(call);
  }

  /** As the engine does when a container's process has ended: with AutoRemove it is gone. */
  endContainer(id: string, actions = ["die", "destroy"]): void {
    const container = this.containers.get(id);
    if (!container) return;
    this.containers.delete(id);
    for (const action of actions) this.#tell({ containerId: id, action, labels: container.labels });
  }

  /** Every stream of events breaks, as when the engine is restarted. */
  breakEvents(): void {
    for (const follower of [...this.#followers]) follower(undefined);
  }

  say(event: PairEvent["what"]): void {
    for (const server of this.servers.values()) server.say(event);
  }

  get aliveServers(): MockServer[] {
    return [...this.servers.values()].filter(({ isAlive }) => isAlive);
  }

  async #call(name: string, signal?: AbortSignal): Promise<void> {
    this.calls.push(name);
    const gate = this.#held.get(name);
    if (gate) {
      const aborted = Promise.withResolvers<never>();
      signal?.addEventListener("abort", () => aborted.reject(signal.reason));
      await Promise.race([gate.promise, aborted.promise]);
    }
    signal?.throwIfAborted();
    const failure = this.#failing.get(name);
    if (failure) throw failure;
  }

  #tell(event: EngineEvent): void {
    for (const follower of [...this.#followers]) follower(event);
  }

  readonly engine = this.#makeEngine();

  #makeEngine(): Engine {
    const matches = (labels: Labels, wanted: Labels) =>
      Object.entries(wanted).every(([key, value]) => labels[key] === value);
    const engine: Partial<Engine> = {
      info: async (signal) => {
        await this.#call("info", signal);
        return {} as never;
      },
      createNetwork: async ({ name, labels, subnet = "", internal = false }, signal) => {
        await this.#call("createNetwork", signal);
        this.networks.set(name, { name, labels, subnet, internal });
        return { id: name };
      },
      listNetworks: async (wanted, signal) => {
        await this.#call("listNetworks", signal);
        const found = [...this.networks.values()].filter(({ labels }) => matches(labels, wanted));
        return found.map((network) => ({ ...network, id: network.name, subnets: [network.subnet] }) as never);
      },
      removeNetwork: async (name, signal) => {
        await this.#call("removeNetwork", signal);
        const isUsed = [...this.containers.values()].some(({ networks }) => networks.has(name));
        if (isUsed) throw new EngineError(`the network ${name} has containers`, 409);
        this.networks.delete(name);
      },
      createContainer: async (name, body, signal) => {
        await this.#call("createContainer", signal);
        const id = `container-${++this.#count}`;
        const networks = new Set([body.HostConfig.NetworkMode]);
        this.containers.set(id, { name, labels: body.Labels, networks, body, status: "created" });
        return { id };
      },
      connectNetwork: async (name, id, _options, signal) => {
        await this.#call("connectNetwork", signal);
        this.containers.get(id)?.networks.add(name);
      },
      startContainer: async (id, signal) => {
        await this.#call("startContainer", signal);
        const container = this.containers.get(id);
        if (container) container.status = "running";
      },
      inspectContainer: async (id, signal) => {
        await this.#call("inspectContainer", signal);
        const container = this.containers.get(id);
        if (!container) return undefined;
        const addresses = Object.fromEntries([...container.networks].map((name, at) => [name, `10.89.${at}.2`]));
        return { id, labels: container.labels, addresses, state: { status: container.status } } as never;
      },
      listContainers: async (wanted, signal) => {
        await this.#call("listContainers", signal);
        const found = [...this.containers].filter(([, { labels }]) => matches(labels, wanted));
        return found.map(([id, { name, labels, status }]) => ({ id, name, labels, status }));
      },
      removeContainer: async (id, signal) => {
        await this.#call("removeContainer", signal);
        this.containers.delete(id);
      },
      containerLogs: (id, _options, signal) => this.#logs(id, signal),
      events: (wanted, signal) => this.#events(wanted, signal),
    };
    return engine as Engine;
  }

  async *#logs(id: string, signal?: AbortSignal): AsyncGenerator<LogChunk> {
    await this.#call("containerLogs", signal);
    if (!this.containers.has(id)) throw new EngineError("there is no such container", 404);
    const greeting = { certificate: "client", controlPort: 36672, dataPort: 36673, managementAddress: "10.203.0.2" };
    yield { stream: "stderr", bytes: Buffer.from('{"level":"info"}\n') };
    yield { stream: "stdout", bytes: Buffer.from(`${JSON.stringify(greeting)}\n`) };
  }

  async *#events(wanted: Labels, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    const waiting: (EngineEvent | undefined)[] = [];
    let wake = () => {};
    const follower = (event: EngineEvent | undefined) => {
      waiting.push(event);
      wake();
    };
    this.#followers.add(follower);
    signal.addEventListener("abort", () => follower(undefined));
    try {
      for (;;) {
        while (waiting.length > 0) {
          const event = waiting.shift();
          if (!event) throw new EngineError("the engine stopped answering", 0);
          if (Object.entries(wanted).every(([key, value]) => event.labels[key] === value)) yield event;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      this.#followers.delete(follower);
    }
  }

  readonly programs: { programs: ServerPrograms; ensureImage: EnsureImage } = {
    programs: {
      launch: async ({ directory, signal }) => {
        await this.#call("launch", signal);
        const server = new MockServer(directory, ++this.#count, this.busyPorts, (name, ending) =>
          this.#call(name, ending),
        );
        this.servers.set(directory, server);
        return server;
      },
      find: async (directory) => {
        await this.#call("find");
        const server = this.servers.get(directory);
        return server?.isAlive ? server : undefined;
      },
      stop: async (process) => {
        await this.#call("stop");
        (process as MockServer).kill("SIGTERM");
      },
      connect: (socket) => {
        const server = [...this.servers.values()].find((one) => one.socket === socket && one.isAlive);
        if (!server) throw new Error(`no server proxy answers on ${socket}`);
        return server.control();
      },
    },
    ensureImage: async ({ signal }) => {
      await this.#call("ensureImage", signal);
      return { image: "berg-tunnel-client:test", built: true };
    },
  };
}
