/** A stand-in for an engine, for what a real one does at the worst moment; the real ones are in *.containers.test.ts. */
import {
  type Engine,
  EngineError,
  type EngineEvent,
  type Labels,
  type Network,
  type NetworkCreate,
  type NetworkEvent,
} from "@berg/local-engine";
import { makeNetwork } from "./make-network.ts";

export class FakeEngine {
  readonly networks = new Map<string, Network>();
  /** By their ids: the networks that they are on. */
  readonly containers = new Map<string, Set<string>>();
  /** `create lab`, `remove lab`, in the order in which they were asked. */
  readonly asked: string[] = [];
  /** Which of them it refuses, and how. */
  refuse: (what: string) => EngineError | undefined = () => undefined;
  #isAway = false;
  #looks = 0;
  /** How often all of somebody's networks were asked for. */
  lists = 0;
  readonly #streams = new Set<Stream<unknown>>();

  get engine(): Engine {
    return this as unknown as Engine;
  }

  get looks(): number {
    return this.#looks;
  }

  /** Whoever listens is cut off. */
  goAway(): void {
    this.#isAway = true;
    for (const stream of this.#streams) stream.end(away());
  }

  comeBack(): void {
    this.#isAway = false;
  }

  /** How many listen. */
  get listeners(): number {
    return this.#streams.size;
  }

  connect(container: string, network: string): void {
    const on = this.containers.get(container) ?? new Set();
    this.containers.set(container, on.add(network));
    this.tell({ containerId: container, action: "start", labels: {} });
  }

  destroy(container: string): void {
    this.containers.delete(container);
    this.tell({ containerId: container, action: "destroy", labels: {} });
  }

  tell(event: EngineEvent): void {
    for (const stream of this.#streams) if (stream.kind === "containers") stream.push(event);
  }

  tellOfNetwork(event: NetworkEvent): void {
    for (const stream of this.#streams) if (stream.kind === "networks") stream.push(event);
  }

  async info(): Promise<object> {
    this.#answer();
    return {};
  }

  async inspectNetwork(name: string): Promise<Network | undefined> {
    this.#answer();
    return this.networks.get(name);
  }

  async listNetworks(labels: Labels): Promise<Network[]> {
    this.#answer();
    this.lists++;
    const matches = (network: Network) => Object.entries(labels).every(([key, value]) => network.labels[key] === value);
    return [...this.networks.values()].filter(matches);
  }

  async listNetworkContainers(name: string): Promise<{ id: string }[]> {
    this.#answer();
    return [...this.containers].filter(([, on]) => on.has(name)).map(([id]) => ({ id }));
  }

  async inspectContainer(id: string): Promise<{ addresses: Labels } | undefined> {
    this.#answer();
    const on = this.containers.get(id);
    return on && { addresses: Object.fromEntries([...on].map((name) => [name, "10.89.0.2"])) };
  }

  async createNetwork({ name, labels, ipv6 = false }: NetworkCreate): Promise<{ id: string }> {
    this.#act(`create ${name}`);
    if (this.networks.has(name)) throw new EngineError("there already", 409);
    this.networks.set(name, makeNetwork(name, labels, { ipv6 }));
    return { id: `id-${name}` };
  }

  async removeNetwork(name: string): Promise<void> {
    this.#act(`remove ${name}`);
    if ((await this.listNetworkContainers(name)).length > 0) throw new EngineError("containers are on it", 409);
    this.networks.delete(name);
  }

  events(_: Labels, signal: AbortSignal): AsyncIterable<EngineEvent> {
    return this.#listen("containers", signal);
  }

  networkEvents(signal: AbortSignal): AsyncIterable<NetworkEvent> {
    return this.#listen("networks", signal);
  }

  #act(what: string): void {
    this.#answer();
    this.asked.push(what);
    const refusal = this.refuse(what);
    if (refusal) throw refusal;
  }

  #answer(): void {
    this.#looks++;
    if (this.#isAway) throw away();
  }

  #listen<T>(kind: Stream<T>["kind"], signal: AbortSignal): AsyncIterable<T> {
    const stream = new Stream<T>(kind);
    const known = stream as Stream<unknown>;
    this.#streams.add(known);
    stream.ended.catch(() => {}).finally(() => this.#streams.delete(known));
    signal.addEventListener("abort", () => stream.end(signal.reason), { once: true });
    return stream;
  }
}

function away(): EngineError {
  return new EngineError("cannot ask: nobody is there", 0);
}

class Stream<T> implements AsyncIterable<T> {
  readonly kind: "containers" | "networks";
  readonly #waiting: T[] = [];
  readonly #end = Promise.withResolvers<never>();
  #wake = Promise.withResolvers<void>();

  constructor(kind: "containers" | "networks") {
    this.kind = kind;
  }

  get ended(): Promise<never> {
    return this.#end.promise;
  }

  push(event: unknown): void {
    this.#waiting.push(event as T);
    this.#wake.resolve();
  }

  end(reason: unknown): void {
    this.#end.reject(reason);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      await Promise.race([this.#wake.promise, this.#end.promise]);
      this.#wake = Promise.withResolvers();
      yield* this.#waiting.splice(0);
    }
  }
}
