/** A control plane with our kinds, and instances on it as the controller leaves them when it dies. */
import { randomUUID } from "node:crypto";
import { formatTime, isNotFound, type KubeObject, type ResourceType, type Stored } from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  type Connection,
  createClient,
  createMetrics,
  Deployments,
  Manager,
  Namespaces,
  Pods,
  ServerClock,
  silentLogger,
  systemClock,
  unlimited,
} from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, customResourceDefinitions, finalizers } from "@berg/resources";
import { CustomResourceDefinitions, untilServed } from "../../../../../test/scenarios/crds.ts";
import { marksOf } from "../../removing/testing/objects.ts";
import { addJanitor } from "../janitor.ts";

export interface TestPlane {
  readonly connection: Connection;
  stop(): Promise<void>;
}

export interface Made {
  instance: Stored<ChallengeInstance>;
  namespace: string;
}

export class Place implements AsyncDisposable {
  readonly client: Client;
  readonly connection: Connection;
  readonly #parts = new AsyncDisposableStack();

  private constructor(plane: TestPlane) {
    this.connection = plane.connection;
    this.client = createClient({ connection: plane.connection, rate: unlimited });
    this.#parts.defer(() => plane.stop());
    this.#parts.defer(() => this.client.close());
  }

  static async on(start: () => Promise<TestPlane>): Promise<Place> {
    const place = new Place(await start());
    await place.installKinds();
    await place.client.create(Namespaces, { metadata: { name: "berg" } });
    return place;
  }

  async installKinds(): Promise<void> {
    for (const definition of customResourceDefinitions()) {
      await this.client.create(CustomResourceDefinitions, definition);
      await untilServed(this.client, definition);
    }
  }

  /** With a finalizer that nobody takes off. `expiresInMs` undefined: the controller has not seen it. */
  async instance(expiresInMs?: number): Promise<Stored<ChallengeInstance>> {
    const ownerId = randomUUID();
    const made = await this.client.create(ChallengeInstances, {
      metadata: { namespace: "berg", name: `owner-${ownerId}`, finalizers: [finalizers.controller] },
      spec: { ownerId, challengeRef: { name: "web" }, renewals: 0, restarts: 0, flag: "flag{secret}" },
    });
    return expiresInMs === undefined ? made : this.expiring(made, expiresInMs);
  }

  expiring(instance: Stored<ChallengeInstance>, inMs: number): Promise<Stored<ChallengeInstance>> {
    const expiresAt = formatTime(Date.now() + inMs);
    const patch = { type: "merge", body: { status: { phase: "Running", expiresAt } } } as const;
    const { name } = instance.metadata;
    return this.client.patch(ChallengeInstances, "berg", name, patch, { subresource: "status" });
  }

  /** A namespace with a workload, made for whoever has this UID. */
  async namespaceFor(uid: string, name = `challenge-${randomUUID()}`): Promise<string> {
    const labels = marksOf(uid);
    await this.client.create(Namespaces, { metadata: { name, labels } });
    const template = {
      metadata: { labels: { ...labels, app: "web" } },
      spec: { automountServiceAccountToken: false, containers: [{ name: "web", image: "web:1" }] },
    };
    const spec = { replicas: 1, selector: { matchLabels: { app: "web" } }, template };
    await this.client.create(Deployments, { metadata: { namespace: name, name: "web", labels }, spec });
    return name;
  }

  /** As it runs: returns when its pod is there. */
  async running(expiresInMs?: number): Promise<Made> {
    const instance = await this.instance(expiresInMs);
    const namespace = await this.namespaceFor(instance.metadata.uid);
    // A janitor that is there already may be faster.
    while ((await this.client.list(Pods, { namespace })).items.length === 0 && (await this.stands(namespace)))
      await new Promise((go) => setTimeout(go, 50));
    return { instance, namespace };
  }

  /** Until stopped, or the place is left. `own` is the clock of the machine that it runs on. */
  async janitor(
    settings: { graceMs?: number; ghostGraceMs?: number; intervalMs?: number } = {},
    own: Clock = systemClock,
  ): Promise<{
    stop(): Promise<void>;
    scrape(): Promise<string>;
  }> {
    const { graceMs = 500, ghostGraceMs = 1000, intervalMs = 1000 } = settings;
    const metrics = await createMetrics();
    const clock = new ServerClock(own);
    const connected = { connection: this.connection, component: "janitor", rate: unlimited, serverClock: clock };
    const manager = new Manager({ component: "janitor", client: createClient(connected), log: silentLogger, metrics });
    addJanitor(manager, { settings: { graceMs, ghostGraceMs }, intervalMs, metrics, clock });
    const stopping = new AbortController();
    const run = manager.run(stopping.signal);
    const stop = async () => {
      stopping.abort();
      await run;
    };
    this.#parts.defer(stop);
    return { stop, scrape: async () => (await metrics.render()).body };
  }

  async exists<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): Promise<boolean> {
    return this.client.get(type, namespace, name).then(
      () => true,
      (error) => {
        if (isNotFound(error)) return false;
        throw error;
      },
    );
  }

  /** Whether the namespace is there and stays. */
  async stands(namespace: string): Promise<boolean> {
    const found = await this.client.get(Namespaces, "", namespace).catch(() => undefined);
    return found !== undefined && found.metadata.deletionTimestamp === undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}
