/** Many running instances on a real API server: a namespace, a pod and a ChallengeInstance each. Nothing runs them. */
import { randomUUID } from "node:crypto";
import type { Stored } from "@berg/apimachinery";
import { type Client, type Connection, createClient, Namespaces, type Pod, Pods, unlimited } from "@berg/kube";
import {
  type ChallengeInstance,
  ChallengeInstances,
  challengeKind,
  customResourceDefinitions,
  labels,
  managedByBerg,
} from "@berg/resources";
import { startControlPlane } from "../../control-plane/control-plane.ts";
import { CustomResourceDefinitions, untilServed } from "../../scenarios/crds.ts";
import type { BenchOptions } from "../bench.ts";
import { inFlight } from "../instances/pace.ts";

export interface Crowd extends AsyncDisposable {
  readonly connection: Connection;
  readonly client: Client;
  readonly pods: readonly Stored<Pod>[];
}

export const container = "web";
const home = "berg";

export async function startCrowd(count: number, { say }: BenchOptions): Promise<Crowd> {
  say(`${count} instances, with a namespace and a pod each, on a real API server`);
  await using stack = new AsyncDisposableStack();
  // Pods need a service account otherwise, and nobody is here to make them.
  const apiServerFlags = ["--disable-admission-plugins=ServiceAccount"];
  const alone = { controllerManager: false, scheduler: false, apiServerFlags };
  const { connection } = stack.use(await startControlPlane(alone));
  const client = createClient({ connection, component: "bench", rate: unlimited });
  stack.defer(() => client.close());
  const definitions = customResourceDefinitions();
  for (const definition of definitions) await client.create(CustomResourceDefinitions, definition);
  await Promise.all(definitions.map((one) => untilServed(client, one)));
  await client.create(Namespaces, { metadata: { name: home } });

  const pods: Stored<Pod>[] = [];
  await inFlight(count, 32, async () => pods.push(await oneInstance(client, randomUUID())));
  const parts = stack.move();
  return { connection, client, pods, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

async function oneInstance(client: Client, ownerId: string): Promise<Stored<Pod>> {
  const namespace = `challenge-${ownerId}`;
  const instance = await client.create(ChallengeInstances, {
    metadata: { namespace: home, name: ownerId },
    spec: { ownerId, challengeRef: { name: "web" }, renewals: 0, restarts: 0 },
  });
  const marks = { [labels.managedBy]: managedByBerg, [labels.instanceUid]: instance.metadata.uid };
  await client.create(Namespaces, { metadata: { name: namespace, labels: marks } });
  const startedAt = new Date().toISOString().replace(/\.\d+/, "");
  const status: ChallengeInstance["status"] = { phase: "Running", namespace, startedAt, readyAt: startedAt };
  await client.update(ChallengeInstances, { ...instance, status }, { subresource: "status" });
  return client.create(Pods, {
    metadata: {
      namespace,
      name: "web-0",
      labels: { ...marks, [labels.kind]: challengeKind, [labels.container]: container },
    },
    spec: { nodeName: "nowhere", containers: [{ name: container, image: "web" }] },
  });
}
