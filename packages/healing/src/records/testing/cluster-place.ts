/** A cluster as a place to keep records: its ChallengeInstances, and a cache of them for each process. */
import { setTimeout as delay } from "node:timers/promises";
import { defineResource, formatTime, isNotFound, keyOf, type Stored } from "@berg/apimachinery";
import {
  type Client,
  type Connection,
  createClient,
  Informer,
  Namespaces,
  OwnWrites,
  systemClock,
  unlimited,
} from "@berg/kube";
import {
  type ChallengeInstance,
  ChallengeInstances,
  type CustomResourceDefinition,
  customResourceDefinitions,
} from "@berg/resources";
import { ClusterRecords } from "../cluster/cluster-records.ts";
import type { Life, RuntimeRecords } from "../runtime-records.ts";
import { lifeNumber, type Place } from "./place.ts";

const CustomResourceDefinitions = defineResource<CustomResourceDefinition>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});

export class ClusterPlace implements Place {
  readonly client: Client;
  readonly #parts: AsyncDisposableStack;
  readonly #caches = new Set<Informer<ChallengeInstance>>();
  #lives = 0;

  private constructor(client: Client, parts: AsyncDisposableStack) {
    this.client = client;
    this.#parts = parts;
  }

  static async start(connection: Connection, controlPlane: AsyncDisposable): Promise<ClusterPlace> {
    const parts = new AsyncDisposableStack();
    parts.use(controlPlane);
    const client = parts.adopt(createClient({ connection, rate: unlimited }), (client) => client.close());
    for (const definition of customResourceDefinitions()) await client.create(CustomResourceDefinitions, definition);
    await client.create(Namespaces, { metadata: { name: "berg" } });
    const isServed = () =>
      client.list(ChallengeInstances, { limit: 1 }).then(
        () => true,
        (error) => {
          if (isNotFound(error)) return false;
          throw error;
        },
      );
    while (!(await isServed())) await delay(50);
    return new ClusterPlace(client, parts);
  }

  /** `client`: another one than the test's own, to count its requests or to break them. */
  async open(client: Pick<Client, "get" | "patch"> = this.client): Promise<RuntimeRecords> {
    const informer = new Informer({ client: this.client, type: ChallengeInstances });
    const stopping = new AbortController();
    const running = informer.run(stopping.signal).catch(() => {});
    await informer.synced(stopping.signal);
    this.#caches.add(informer);
    const records = new ClusterRecords({ client, instances: new OwnWrites(informer, systemClock) });
    const close = records[Symbol.asyncDispose].bind(records);
    records[Symbol.asyncDispose] = async () => {
      await close();
      this.#caches.delete(informer);
      stopping.abort();
      await running;
    };
    return records;
  }

  async newLife(): Promise<Life> {
    const life = lifeNumber(++this.#lives);
    await this.create(life);
    const { metadata } = await this.instance(life);
    await this.allSeen();
    return { ...life, uid: metadata.uid };
  }

  /** The instance of a life, as the controller has begun it. */
  async create(life: Life): Promise<Stored<ChallengeInstance>> {
    const { instance, ownerId, challenge, namespace, startedAt } = life;
    const spec = { challengeRef: { name: challenge }, ownerId, renewals: 0, restarts: 0 };
    const created = await this.client.create(ChallengeInstances, { metadata: { ...instance }, spec });
    const status = { phase: "Creating" as const, namespace, startedAt: formatTime(startedAt) };
    return this.client.update(ChallengeInstances, { ...created, status }, { subresource: "status" });
  }

  instance({ instance }: Life): Promise<Stored<ChallengeInstance>> {
    return this.client.get(ChallengeInstances, instance.namespace, instance.name);
  }

  async allSeen(): Promise<void> {
    const { items } = await this.client.listAll(ChallengeInstances, { namespace: "berg" });
    const isSeen = (cache: Informer<ChallengeInstance>) =>
      cache.list().length === items.length &&
      items.every((item) => cache.get(keyOf(item))?.metadata.resourceVersion === item.metadata.resourceVersion);
    while (![...this.#caches].every(isSeen)) await delay(5);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}
