/** The Cluster and the Subscription operator at work on real API servers: our own, a garden's and a target's. */
import type { Stored } from "@berg/apimachinery";
import {
  type Client,
  createClient,
  createMetrics,
  Manager,
  silentLogger,
  systemClock,
  systemRandom,
  unlimited,
} from "@berg/kube";
import {
  type Cluster,
  type ClusterInfrastructure,
  type ClusterSpec,
  Clusters,
  clusterResourceDefinitions,
} from "@berg/resources";
import { expect } from "vitest";
import { addClusterController } from "../../packages/clusters/src/cluster/controller.ts";
import { openGarden } from "../../packages/clusters/src/gardener/garden.ts";
import { itAlone } from "../../packages/clusters/src/secrets/choices.ts";
import { WatchedSecrets } from "../../packages/clusters/src/secrets/watched-secrets.ts";
import { readClusterSettings } from "../../packages/clusters/src/settings/settings.ts";
import { addSubscriptionController } from "../../packages/clusters/src/subscription/controller.ts";
import { Targets } from "../../packages/clusters/src/target/access.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import { fillPool, plainPool } from "../gardener/accounts/accounts.ts";
import { type GardenOptions, startGarden, type TestGarden } from "../gardener/garden.ts";
import { type Gardenlet, startGardenlet } from "../gardener/gardenlet/gardenlet.ts";
import { CustomResourceDefinitions, untilServed } from "../scenarios/crds.ts";

export interface ClusterPlace extends AsyncDisposable {
  /** Of our own server. */
  readonly client: Client;
  readonly garden: TestGarden;
  readonly gardenlet: Gardenlet;
  startOperators(): Promise<AsyncDisposable>;
  create(
    name: string,
    spec?: Partial<ClusterSpec>,
    infrastructure?: Partial<ClusterInfrastructure>,
  ): Promise<Stored<Cluster>>;
  get(name: string): Promise<Stored<Cluster>>;
  edit(name: string, change: (cluster: Stored<Cluster>) => void): Promise<void>;
  untilPhase(name: string, phase: string): Promise<void>;
  untilCondition(name: string, type: string, wanted: string): Promise<void>;
}

export const patient = { timeout: 90_000, interval: 100 };
/** Short, so that a test sees what a resync costs. */
export const resyncMs = 500;

/** Whether a read is refused, as it is where the object is gone. */
export const isGone = (asked: Promise<unknown>) =>
  asked.then(
    () => false,
    () => true,
  );

const infrastructure: ClusterInfrastructure = {
  provider: "aws",
  machineType: "m5.large",
  autoScalerMin: 1,
  autoScalerMax: 3,
  numberOfZones: 2,
  subscriptionSelector: "shared",
  networking: { type: "calico", nodes: "10.250.0.0/16", pods: "100.96.0.0/11", services: "100.64.0.0/13" },
};

export async function startClusterPlace(options: GardenOptions): Promise<ClusterPlace> {
  await using undo = new AsyncDisposableStack();
  const [home, garden] = await Promise.all([
    startControlPlane({ controllerManager: false, scheduler: false }),
    startGarden(options),
  ]);
  undo.use(home);
  undo.use(garden);
  const client = undo.adopt(createClient({ connection: home.connection, rate: unlimited }), (one) => one.close());
  for (const definition of clusterResourceDefinitions()) {
    await client.create(CustomResourceDefinitions, definition);
    await untilServed(client, definition);
  }
  for (const cloud of ["aws", "azure", "gcp"]) await fillPool(garden, plainPool(cloud, 12));
  const gardenlet = undo.use(await startGardenlet(garden));
  const parts = undo.move();
  const get = (name: string) => client.get(Clusters, "default", name);
  const place: ClusterPlace = {
    client,
    garden,
    gardenlet,
    async startOperators() {
      const own = createClient({ connection: home.connection, rate: unlimited });
      const outside = createClient({ connection: garden.connection, rate: unlimited });
      const around = { clock: systemClock, random: systemRandom, log: silentLogger };
      const metrics = await createMetrics();
      const manager = new Manager({ component: "clusters", client: own, log: silentLogger, metrics });
      const { namespace } = garden;
      const settings = readClusterSettings({ GARDEN_PROJECT: garden.project });
      const opened = openGarden(manager, { client: outside, namespace, poolKind: "CredentialsBinding" });
      const targets = new Targets({ ...around, manager, garden: opened, allowedCidrs: ["127.0.0.0/8"] });
      addSubscriptionController(manager, { ...around, garden: opened, settings: settings.subscription, metrics });
      const secrets = new WatchedSecrets({ ...around, client: own, choice: itAlone, metrics });
      addClusterController(manager, { ...around, garden: opened, targets, secrets, resyncMs });
      const stopping = new AbortController();
      const running = manager.run(stopping.signal);
      running.catch(() => {});
      return {
        async [Symbol.asyncDispose]() {
          stopping.abort();
          await running;
          await targets[Symbol.asyncDispose]();
          await Promise.all([own.close(), outside.close()]);
        },
      };
    },
    create: (name, spec = {}, more = {}) =>
      client.create(Clusters, {
        metadata: { name, namespace: "default" },
        spec: {
          core: { purpose: "Production", region: "eu-central-1", shootName: name },
          infrastructure: { ...infrastructure, subscriptionSelector: name, ...more },
          administrators: [],
          deletionPolicy: "Delete",
          ...spec,
        },
      }),
    get,
    async edit(name, change) {
      const cluster = structuredClone(await get(name));
      change(cluster);
      await client.update(Clusters, cluster);
    },
    untilPhase: (name, phase) => expect.poll(async () => (await get(name)).status?.phase, patient).toBe(phase),
    untilCondition: (name, type, wanted) =>
      expect
        .poll(async () => {
          const found = (await get(name)).status?.conditions?.find((one) => one.type === type);
          return found && `${found.status}/${found.reason}`;
        }, patient)
        .toBe(wanted),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
  return place;
}
