/**
 * What the operators are measured on: a control plane with our kinds, a garden whose gardenlet is simulated, and a few
 * real API servers that all Shoots share. Each server counts what is asked of it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, Informer, Leases, Namespaces, unlimited } from "@berg/kube";
import {
  type Cluster,
  Clusters,
  clusterResourceDefinitions,
  type KubeconfigRequest,
  KubeconfigRequests,
} from "@berg/resources";
import { startControlPlane } from "../../control-plane/control-plane.ts";
import { userWithNewToken } from "../../control-plane/credentials.ts";
import { fillPool, plainPool } from "../../gardener/accounts/accounts.ts";
import { startGarden, type TestGarden } from "../../gardener/garden.ts";
import { type Scene, succeeding } from "../../gardener/gardenlet/course.ts";
import { startGardenlet } from "../../gardener/gardenlet/gardenlet.ts";
import { CustomResourceDefinitions, untilServed } from "../../scenarios/crds.ts";
import type { Server } from "../instances/connect.ts";
import { type Counts, count, sum } from "./counts.ts";
import { RequestLog } from "./request-log.ts";
import { requestsOf } from "./server-metrics.ts";

/** Of the operators, of Clusters and of requests. */
export const namespace = "berg-clusters";
export const clustersOfTenant = 10;
const targets = 3;

export interface World extends AsyncDisposable {
  /** For what the bench does, and not the operators. */
  readonly client: Client;
  /** The control plane, as the operators see it. */
  readonly server: Server;
  readonly garden: TestGarden;
  /** Removed at the end. */
  readonly directory: string;
  readonly clusters: Informer<Cluster>;
  readonly requests: Informer<KubeconfigRequest>;
  /** What the operators have asked of whom since the world began. */
  asked(): Promise<Asked>;
}

export interface Asked {
  controlPlane: Counts;
  garden: Counts;
  targets: Counts;
}

/** With accounts for so many Clusters. */
export async function startWorld(size: number): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "berg-bench-"));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const user = userWithNewToken("berg-clusters", ["system:masters"]);
  const log = await RequestLog.prepare(directory, user.name);
  const { apiServerFlags } = log;
  const controlPlane = stack.use(
    await startControlPlane({ controllerManager: false, scheduler: false, users: [user], apiServerFlags }),
  );
  const client = createClient({ connection: controlPlane.connection, component: "bench", rate: unlimited });
  stack.defer(() => client.close());
  await prepare(client);
  const garden = stack.use(await startGarden({ targets }));
  await fillPool(garden, plainPool("aws", Math.ceil(size / clustersOfTenant)));
  const gardenlet = stack.use(await startGardenlet(garden));
  gardenlet.scriptAll({ Create: atOnce });

  const [clusters, requests] = [
    new Informer({ client, type: Clusters }),
    new Informer({ client, type: KubeconfigRequests }),
  ];
  const stop = new AbortController();
  const ended = Promise.all([clusters.run(stop.signal), requests.run(stop.signal)]);
  stack.defer(async () => {
    stop.abort();
    await ended;
  });
  await Promise.all([clusters.synced(), requests.synced()]);
  const { ca = "" } = await controlPlane.connection.tls();
  const server = { server: controlPlane.server, ca, token: user.token };
  const parts = stack.move();
  return {
    client,
    server,
    garden,
    directory,
    clusters,
    requests,
    asked: async () => ({
      controlPlane: await log.since(0),
      garden: count(garden.requests),
      targets: sum(...(await Promise.all(garden.targets.map((target) => requestsOf(target.controlPlane))))),
    }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** A cluster that takes Gardener no time: what is left are its writes. */
const atOnce: Scene[] = succeeding("Create")
  .filter(({ state, progress }) => state === "Succeeded" || (state === "Processing" && progress === 0))
  .map((scene) => (scene.beats === undefined ? scene : { ...scene, beats: 0 }));

async function prepare(client: Client): Promise<void> {
  const definitions = clusterResourceDefinitions();
  for (const definition of definitions) await client.create(CustomResourceDefinitions, definition);
  await Promise.all(definitions.map((one) => untilServed(client, one)));
  await client.create(Namespaces, { metadata: { name: namespace } });
  // One that nobody has ever held is free at once.
  await client.create(Leases, { metadata: { namespace, name: "berg-clusters" } });
}
