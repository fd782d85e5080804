/**
 * Operators of SubscriptionRequests at work: on our own API server and on a garden, each behind a proxy that can spoil or
 * cut it, and a record of all that ever became of the accounts.
 */
import { isNotFound, type Stored } from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  type Connection,
  createClient,
  createMetrics,
  Events,
  Manager,
  Namespaces,
  Secrets,
  silentLogger,
  systemClock,
  unlimited,
} from "@berg/kube";
import { type SubscriptionRequest, type SubscriptionRequestSpec, SubscriptionRequests } from "@berg/resources";
import { vi } from "vitest";
import { FaultProxy } from "../../../../../test/faults/proxy.ts";
import { plantProject } from "../../../../../test/gardener/plant.ts";
import { sampleShoot } from "../../../../../test/gardener/samples.ts";
import { type Binding, openGarden, type PoolKind } from "../../gardener/garden.ts";
import { CredentialsBindings, SecretBindings, type Shoot, Shoots } from "../../gardener/kinds.ts";
import { annotations, finalizers } from "../../vocabulary.ts";
import { addSubscriptionController } from "../controller.ts";
import { type Account, bindingsOf } from "../pool/account.ts";
import { defaultMultiAccount } from "../pool/limits.ts";
import { defaultRules, parseRules } from "../pool/rules.ts";
import type { SubscriptionSettings } from "../work.ts";
import { PoolRecord } from "./pool-record.ts";

export interface Servers {
  /** Our own, with our kinds. */
  own: Connection;
  /** Gardener's, with its kinds or stand-ins for them. */
  garden: Connection;
}

export interface Operator {
  readonly own: FaultProxy;
  readonly garden: FaultProxy;
  metrics(): Promise<string>;
  stop(): Promise<void>;
  /** As a crash: nothing of it reaches any server from now on. */
  kill(): Promise<void>;
}

export interface OperatorOptions {
  settings?: Partial<SubscriptionSettings>;
  clock?: Clock;
  /** Without it, several may be at work at once. */
  hasLease?: boolean;
  /** Done before it runs: `({ garden }) => garden.at(…)`. */
  spoil?(proxies: { own: FaultProxy; garden: FaultProxy }): void;
}

const ofGardener = "provider.extensions.gardener.cloud/";
/** Of those that samples know. */
const newestWithSecretBindings = "1.33.6";

let worlds = 0;

export class SubscriptionWorld {
  readonly client: Client;
  readonly gardenClient: Client;
  /** Of the requests. */
  readonly namespace: string;
  readonly gardenNamespace: string;
  readonly poolKind: PoolKind;
  readonly record: PoolRecord;
  readonly #name: string;
  readonly #servers: Servers;
  readonly #operators = new Set<Operator>();

  private constructor(servers: Servers, poolKind: PoolKind) {
    this.#name = `w${++worlds}`;
    this.#servers = servers;
    this.namespace = `requests-${this.#name}`;
    this.gardenNamespace = `garden-${this.#name}`;
    this.poolKind = poolKind;
    this.client = createClient({ connection: servers.own, rate: unlimited });
    this.gardenClient = createClient({ connection: servers.garden, rate: unlimited });
    this.record = new PoolRecord({
      client: this.gardenClient,
      type: bindingsOf(poolKind),
      namespace: this.gardenNamespace,
      requests: { client: this.client, namespace: this.namespace },
    });
  }

  static async open(servers: Servers, { poolKind = "CredentialsBinding" }: { poolKind?: PoolKind } = {}) {
    const world = new SubscriptionWorld(servers, poolKind);
    await world.client.create(Namespaces, { metadata: { name: world.namespace } });
    await plantProject(world.gardenClient, { project: world.#name, namespace: world.gardenNamespace });
    await world.record.start();
    return world;
  }

  async operator({ settings, clock = systemClock, hasLease = false, spoil }: OperatorOptions = {}): Promise<Operator> {
    const own = await FaultProxy.start(this.#servers.own);
    const garden = await FaultProxy.start(this.#servers.garden);
    own.confine(["subscriptionrequests"], this.namespace);
    spoil?.({ own, garden });
    const client = createClient({ connection: own.connection, rate: unlimited, clock });
    const gardenClient = createClient({ connection: garden.connection, rate: unlimited, clock });
    const metrics = await createMetrics();
    const manager = new Manager({
      component: "clusters",
      client,
      log: silentLogger,
      metrics,
      clock,
      ...(hasLease && { election: { client: this.client, namespace: this.namespace } }),
    });
    const { gardenNamespace: namespace, poolKind } = this;
    addSubscriptionController(manager, {
      garden: openGarden(manager, { client: gardenClient, namespace, poolKind }),
      settings: { rules: parseRules(defaultRules).rules, multiAccount: defaultMultiAccount, ...settings },
      clock,
      metrics,
    });
    const stopping = new AbortController();
    const ended = manager.run(stopping.signal);
    ended.catch(() => {});
    const end = async () => {
      this.#operators.delete(operator);
      stopping.abort();
      await ended.catch(() => {});
      await Promise.all([client.close(), gardenClient.close()]);
      await Promise.all([own.stop(), garden.stop()]);
    };
    const operator: Operator = {
      own,
      garden,
      metrics: async () => (await metrics.render()).body,
      stop: end,
      async kill() {
        own.sever();
        garden.sever();
        await Promise.all([client.close(), gardenClient.close()]);
        await end();
      },
    };
    this.#operators.add(operator);
    return operator;
  }

  async account(name: string, labels: Record<string, string> = {}): Promise<Account> {
    const { gardenNamespace: namespace, poolKind, gardenClient } = this;
    const metadata = { name, namespace, labels: { hyperscalerType: "aws", ...labels } };
    const provider = { type: "aws" };
    const secretRef = { name: `${name}-secret`, namespace };
    // Without it, Gardener does not take the account.
    await gardenClient.apply(Secrets, { metadata: secretRef }, { fieldManager: "berg-test" });
    if (poolKind === "SecretBinding") return gardenClient.create(SecretBindings, { metadata, provider, secretRef });
    const credentialsRef = { apiVersion: "v1", kind: "Secret", ...secretRef };
    return gardenClient.create(CredentialsBindings, { metadata, provider, credentialsRef });
  }

  /** Without the labels that Gardener itself puts on it. */
  async accountNamed(name: string): Promise<Account> {
    const account = await this.gardenClient.get<Binding>(bindingsOf(this.poolKind), this.gardenNamespace, name);
    const labels = Object.entries(account.metadata.labels ?? {}).filter(([key]) => !key.startsWith(ofGardener));
    return { ...account, metadata: { ...account.metadata, labels: Object.fromEntries(labels) } };
  }

  /** As somebody else does who looks after the pool. */
  label = (name: string, labels: Record<string, string | null>) => this.#edit(name, { labels });
  annotate = (name: string, annotations: Record<string, string | null>) => this.#edit(name, { annotations });

  async #edit(name: string, metadata: object): Promise<void> {
    const patch = { type: "merge", body: { metadata } } as const;
    await this.gardenClient.patch<Binding>(bindingsOf(this.poolKind), this.gardenNamespace, name, patch);
  }

  async removeAccount(name: string): Promise<void> {
    await this.gardenClient.delete<Binding>(bindingsOf(this.poolKind), this.gardenNamespace, name);
  }

  /** `cluster`: the UID of the Cluster that it is for. */
  async shoot(name: string, account: string, cluster?: string): Promise<Stored<Shoot>> {
    const sample = sampleShoot(this.gardenNamespace, name, account) as unknown as Shoot;
    const { credentialsBindingName: _, ...spec } = sample.spec;
    const of =
      this.poolKind === "SecretBinding"
        ? { secretBindingName: account, kubernetes: { version: newestWithSecretBindings } }
        : { credentialsBindingName: account };
    const notes = {
      "confirmation.gardener.cloud/deletion": "true",
      ...(cluster && { [annotations.clusterUid]: cluster }),
    };
    const metadata = { name, namespace: this.gardenNamespace, annotations: notes };
    // Gardener may not know of the account yet.
    return vi.waitFor(() => this.gardenClient.create(Shoots, { metadata, spec: { ...spec, ...of } }), 10_000);
  }

  async touchShoot(name: string): Promise<void> {
    const patch = { type: "merge", body: { metadata: { annotations: { note: "1" } } } } as const;
    await this.gardenClient.patch(Shoots, this.gardenNamespace, name, patch);
  }

  async removeShoot(name: string): Promise<void> {
    await this.gardenClient.delete(Shoots, this.gardenNamespace, name);
  }

  /** `cluster`: the UID of the Cluster that it is made for. */
  async request(
    name: string,
    { cluster, ...spec }: Partial<SubscriptionRequestSpec> & { cluster?: string } = {},
  ): Promise<Stored<SubscriptionRequest>> {
    const owner = { apiVersion: "operator.kyma-project.io/v1alpha1", kind: "Cluster", name, uid: cluster ?? "" };
    return this.client.create(SubscriptionRequests, {
      metadata: { name, namespace: this.namespace, ...(cluster && { ownerReferences: [owner] }) },
      spec: { provider: "aws", subscriptionSelector: "t1", ...spec },
    });
  }

  async get(name: string): Promise<Stored<SubscriptionRequest> | undefined> {
    return this.client.get(SubscriptionRequests, this.namespace, name).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  async remove(name: string): Promise<void> {
    await this.client.delete(SubscriptionRequests, this.namespace, name);
  }

  /** `Bound a0`, `Exhausted`, `new` or `gone`. */
  async stateOf(name: string): Promise<string> {
    const request = await this.get(name);
    if (!request) return "gone";
    const { phase = "new", binding } = request.status ?? {};
    return binding && phase === "Bound" ? `${phase} ${binding.name}` : phase;
  }

  /** `True PoolExhausted` of one type. */
  async conditionOf(name: string, type: string): Promise<string> {
    const { status = "", reason = "" } = (await this.get(name))?.status?.conditions?.find((c) => c.type === type) ?? {};
    return `${status} ${reason}`.trim();
  }

  async eventsOf(name: string): Promise<string[]> {
    const { items } = await this.client.list(Events, { namespace: this.namespace });
    const about = items.filter(({ involvedObject }) => involvedObject?.name === name);
    return about.flatMap(({ reason = "", count = 1 }) => Array.from({ length: count }, () => reason));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#operators].map((operator) => operator.stop()));
    await this.record.stop();
    for (const { metadata } of (await this.client.list(SubscriptionRequests, { namespace: this.namespace })).items) {
      if (!metadata.finalizers?.includes(finalizers.subscription)) continue;
      const body = { metadata: { finalizers: null } };
      await this.client.patch(SubscriptionRequests, this.namespace, metadata.name, { type: "merge", body });
    }
    await Promise.all([this.client.close(), this.gardenClient.close()]);
  }
}
