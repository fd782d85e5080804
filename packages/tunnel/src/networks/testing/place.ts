/** The controllers of networks at work on a control plane, with whatever engine a test has. */
import { isNotFound, type Stored } from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  createClient,
  createMetrics,
  Events,
  Manager,
  Namespaces,
  silentLogger,
  systemClock,
  unlimited,
} from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import { type ContainerNetwork, type ContainerNetworkSpec, ContainerNetworks } from "@berg/resources";
import { addNetworkControllers } from "../networks.ts";
import { embedded, type StartPlane, startWithKinds } from "./control-planes.ts";

export interface Place extends AsyncDisposable {
  readonly client: Client;
  /** Until they are stopped, which leaves everything as it is. */
  startControllers(engine: Engine, options?: { node?: string; clock?: Clock }): Promise<RunningControllers>;
  create(name: string, spec?: Partial<ContainerNetworkSpec>): Promise<Stored<ContainerNetwork>>;
  get(name: string): Promise<Stored<ContainerNetwork> | undefined>;
  /** `Running`, `Running: <message>`, or `gone`. */
  stateOf(name: string): Promise<string>;
  namespace(name: string): Promise<void>;
  /** The reasons of the events about it, each as often as it was told. */
  eventsOf(name: string): Promise<string[]>;
}

export interface RunningControllers extends AsyncDisposable {
  /** How often they have written. */
  readonly writes: number;
}

/** Nobody looks again by himself: whatever takes longer than this never comes. */
export const impatientClock: Clock = {
  ...systemClock,
  setTimer: (delayMs, fire) => (delayMs < 4_000 ? systemClock.setTimer(delayMs, fire) : { cancel() {} }),
};

export async function startPlace(startPlane: StartPlane = embedded): Promise<Place> {
  const plane = await startWithKinds(startPlane);
  const { connection, client } = plane;
  const get = (name: string) =>
    client.get(ContainerNetworks, "", name).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  return {
    client,
    async startControllers(engine, { node = "here", clock = systemClock } = {}) {
      let writes = 0;
      const own = createClient({ connection, rate: unlimited });
      const counted = own.guarded(() => writes++);
      const metrics = await createMetrics();
      const manager = new Manager({ component: "networks", client: counted, log: silentLogger, metrics, clock });
      addNetworkControllers(manager, { engine, node, clock });
      const stopping = new AbortController();
      const running = manager.run(stopping.signal);
      running.catch(() => {});
      return {
        get writes() {
          return writes;
        },
        async [Symbol.asyncDispose]() {
          stopping.abort();
          await running;
          await own.close();
        },
      };
    },
    create: (name, spec = {}) =>
      client.create(ContainerNetworks, { metadata: { name }, spec: { mode: "session", ipv6: false, ...spec } }),
    get,
    async stateOf(name) {
      const object = await get(name);
      if (!object) return "gone";
      const { state = "new", message } = object.status ?? {};
      return message === undefined ? state : `${state}: ${message}`;
    },
    async namespace(name) {
      await client.create(Namespaces, { metadata: { name } });
    },
    async eventsOf(name) {
      const { items } = await client.list(Events, {});
      const about = items.filter(({ involvedObject }) => involvedObject?.name === name);
      return about.flatMap(({ reason = "", count = 1 }) => Array.from({ length: count }, () => reason));
    },
    [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose](),
  };
}
