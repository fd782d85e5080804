/**
 * The Cluster operator at work on an embedded API server, which is our own, the garden's and the target's in one. A
 * gardenlet plays the Shoots, and somebody gives accounts to whoever asks.
 */
import { isConflict, isNotFound, type Stored } from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  createClient,
  createMetrics,
  Events,
  Informer,
  type Logger,
  Manager,
  Namespaces,
  silentLogger,
  systemClock,
  systemRandom,
  unlimited,
} from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import {
  type Cluster,
  type ClusterInfrastructure,
  type ClusterSpec,
  Clusters,
  clusterResourceDefinitions,
  type SubscriptionRequest,
  SubscriptionRequests,
} from "@berg/resources";
import type { TestGarden } from "../../../../../test/gardener/garden.ts";
import { Gardenlet } from "../../../../../test/gardener/gardenlet/gardenlet.ts";
import { cloudProfileOf } from "../../../../../test/gardener/samples.ts";
import { installGardenCrds } from "../../../../../test/gardener/stand-ins/install.ts";
import { CustomResourceDefinitions, untilServed } from "../../../../../test/scenarios/crds.ts";
import { openGarden } from "../../gardener/garden.ts";
import { CloudProfiles, type Shoot, Shoots } from "../../gardener/kinds.ts";
import { itAlone } from "../../secrets/choices.ts";
import { WatchedSecrets } from "../../secrets/watched-secrets.ts";
import type { TargetAccess } from "../../target/target.ts";
import { type ClusterRoleBinding, ClusterRoleBindings } from "../administrators/plan.ts";
import { addClusterController } from "../controller.ts";
import { shootNameOf } from "../names.ts";
import { type Call, heardClient, type Listener } from "./heard-client.ts";
import { someInfrastructure } from "./make-objects.ts";

export const gardenNamespace = "garden-berg";
export const namespace = "clusters";

export interface RunningOperator extends AsyncDisposable {
  /** All that it has asked for, but lists and watches of its copies. */
  readonly calls: readonly Call[];
}

export interface World extends AsyncDisposable {
  readonly client: Client;
  readonly gardenlet: Gardenlet;
  startOperator(options?: {
    listener?: Listener;
    targets?: Partial<TargetAccess>;
    clock?: Clock;
    log?: Logger;
    resyncMs?: number;
  }): Promise<RunningOperator>;
  /** Whether whoever asks for an account gets one. */
  givesAccounts: boolean;
  create(
    name: string,
    spec?: Partial<ClusterSpec>,
    infrastructure?: Partial<ClusterInfrastructure>,
  ): Promise<Stored<Cluster>>;
  get(name: string): Promise<Stored<Cluster> | undefined>;
  edit(name: string, change: (cluster: Stored<Cluster>) => void): Promise<void>;
  remove(name: string): Promise<void>;
  shootOf(name: string): Promise<Stored<Shoot> | undefined>;
  /** `Ready`, or `gone`. */
  phaseOf(name: string): Promise<string>;
  /** `True/Provisioned`, or `none`. */
  conditionOf(name: string, type: string): Promise<string>;
  administratorsOf(uid: string): Promise<string[]>;
  eventsOf(name: string): Promise<string[]>;
}

const orUndefined = (error: unknown) => {
  if (isNotFound(error)) return undefined;
  throw error;
};

/** `gardenletBehindMs`: by how much its clock is. */
export async function startWorld({ gardenletBehindMs = 0 } = {}): Promise<World> {
  await using undo = new AsyncDisposableStack();
  const { apiServer } = undo.use(await startLocalControlPlane({ dataDir: ":memory:", scheduler: false }));
  const { connection } = apiServer;
  const client = undo.adopt(createClient({ connection, rate: unlimited }), (one) => one.close());
  for (const definition of clusterResourceDefinitions()) {
    await client.create(CustomResourceDefinitions, definition);
    await untilServed(client, definition);
  }
  await installGardenCrds(client);
  for (const name of [gardenNamespace, namespace]) await client.create(Namespaces, { metadata: { name } });
  await client.create(CloudProfiles, cloudProfileOf("aws") as never);

  const stopping = new AbortController();
  const garden = { client, namespace: gardenNamespace, project: "berg", targets: [] } as unknown as TestGarden;
  const gardenlet = undo.use(
    new Gardenlet(garden, { ...systemClock, now: () => systemClock.now() - gardenletBehindMs }, 5),
  );
  await gardenlet.start();

  const world: Omit<World, "startOperator" | typeof Symbol.asyncDispose> = {
    client,
    gardenlet,
    givesAccounts: true,
    create: (name, spec = {}, infrastructure = {}) =>
      client.create(Clusters, {
        metadata: { name, namespace },
        spec: {
          administrators: [],
          deletionPolicy: "Delete",
          ...(!spec.byoc && {
            core: { purpose: "Production", region: "eu-central-1" },
            infrastructure: { ...someInfrastructure, machineType: "m5.large", ...infrastructure },
          }),
          ...spec,
        },
      }),
    get: (name) => client.get(Clusters, namespace, name).catch(orUndefined),
    async edit(name, change) {
      for (;;) {
        const cluster = structuredClone(await client.get(Clusters, namespace, name));
        change(cluster);
        try {
          await client.update(Clusters, cluster);
          return;
        } catch (error) {
          // The operators write its status at the same time.
          if (!isConflict(error)) throw error;
        }
      }
    },
    remove: (name) => client.delete(Clusters, namespace, name),
    async shootOf(name) {
      const cluster = await client.get(Clusters, namespace, name);
      return client.get(Shoots, gardenNamespace, shootNameOf(cluster)).catch(orUndefined);
    },
    async phaseOf(name) {
      const cluster = await world.get(name);
      return cluster ? (cluster.status?.phase ?? "new") : "gone";
    },
    async conditionOf(name, type) {
      const cluster = await world.get(name);
      const found = cluster?.status?.conditions?.find((one) => one.type === type);
      return found ? `${found.status}/${found.reason}` : "none";
    },
    async administratorsOf(uid) {
      const labelSelector = `operator.kyma-project.io/cluster-uid=${uid}`;
      const { items } = await client.list<ClusterRoleBinding>(ClusterRoleBindings, { labelSelector });
      return items.flatMap(({ subjects = [] }) => subjects.map((subject) => subject.name)).sort();
    },
    async eventsOf(name) {
      const { items } = await client.list(Events, { namespace });
      return items.filter(({ involvedObject }) => involvedObject?.name === name).map(({ reason = "" }) => reason);
    },
  };

  const requests = new Informer<SubscriptionRequest>({ client, type: SubscriptionRequests });
  requests.onChange(({ type, object }) => {
    if (type === "deleted" || object.status || !world.givesAccounts) return;
    giveAccount(client, object).catch(() => {});
  });
  const giving = requests.run(stopping.signal);
  undo.defer(async () => {
    stopping.abort();
    await giving;
  });

  const parts = undo.move();
  return Object.assign(world, {
    startOperator: (options: Parameters<World["startOperator"]>[0] = {}) => startOperator(connection, options),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  });
}

export async function giveAccount(client: Client, { metadata }: Stored<SubscriptionRequest>): Promise<void> {
  const binding = {
    apiVersion: "security.gardener.cloud/v1alpha1",
    kind: "CredentialsBinding",
    name: "account",
    uid: "1",
  };
  const body = { status: { phase: "Bound", binding } };
  const where = [SubscriptionRequests, metadata.namespace ?? "", metadata.name] as const;
  await client.patch(...where, { type: "merge", body }, { subresource: "status" });
}

async function startOperator(
  connection: Parameters<typeof createClient>[0]["connection"],
  options: NonNullable<Parameters<World["startOperator"]>[0]>,
): Promise<RunningOperator> {
  const { listener = {}, targets: given = {}, clock = systemClock, log = silentLogger, resyncMs } = options;
  const calls: Call[] = [];
  const counting: Listener = {
    async before(call) {
      if (!/^(list|watch)/.test(call.what) || call.server === "target") calls.push(call);
      await listener.before?.(call);
    },
    async after(call) {
      await listener.after?.(call);
    },
  };
  const own = createClient({ connection, rate: unlimited });
  const heard = (server: Call["server"]) => heardClient(own, server, counting);
  const metrics = await createMetrics();
  const manager = new Manager({ component: "clusters", client: heard("own"), log, metrics, clock });
  const garden = openGarden(manager, {
    client: heard("garden"),
    namespace: gardenNamespace,
    poolKind: "CredentialsBinding",
  });
  const targets: TargetAccess = {
    open: async () => {
      const client = heard("target");
      return { client, server: "https://target.test", certificateAuthority: "", connectWith: () => client };
    },
    check: async () => ({
      server: "https://target.test",
      certificateAuthority: "",
      version: "v1.36.0",
      expiresAt: undefined,
    }),
    forget() {},
    ...given,
  };
  const around = { clock, random: systemRandom, log };
  const secrets = new WatchedSecrets({ ...around, client: manager.client, choice: itAlone, metrics });
  addClusterController(manager, { ...around, garden, targets, secrets, ...(resyncMs !== undefined && { resyncMs }) });
  const stopping = new AbortController();
  const running = manager.run(stopping.signal);
  running.catch(() => {});
  return {
    calls,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running.catch(() => {});
      await own.close();
    },
  };
}
