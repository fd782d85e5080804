/**
 * The controller in the model cluster: the real watches, caches, reconcile and everything below it, with a queue that a
 * test turns by hand. `restart` is what a crash leaves: nothing but what stands in the cluster.
 */
import { isConflict, type KubeObject, keyOf, type ObjectKey, type ResourceType } from "@berg/apimachinery";
import {
  type AddOptions,
  type Clock,
  type Discovery,
  type EventRecorder,
  FewAtOnce,
  type Logger,
  type Manager,
  OptionalInformer,
  type OptionalKind,
  type Result,
  SettledChildren,
  silentLogger,
} from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { CiliumNetworkPolicies } from "../builders/network-policy/cilium-type.ts";
import { HTTPRoutes, TLSRoutes } from "../builders/route-types.ts";
import type { Told } from "../events.ts";
import { openCaches } from "../observe/caches.ts";
import { CapacityLimit } from "../observe/capacity-limit.ts";
import { NamespaceDeletionLimit } from "../observe/namespace-deletion-limit.ts";
import { StopTracker } from "../observe/stop-tracker.ts";
import { onGone, watchesOf } from "../observe/watches.ts";
import { type Reconciler, reconcile } from "../reconcile.ts";
import type { Settings } from "../settings/settings.ts";
import { home } from "./make-objects.ts";
import { Crash, ModelClient } from "./model-client.ts";
import type { ModelCluster } from "./model-cluster.ts";
import { ModelInformer, type ModelSelection } from "./model-informer.ts";

const optionalTypes: ResourceType[] = [CiliumNetworkPolicies, HTTPRoutes, TLSRoutes];

export class ModelController {
  readonly cluster: ModelCluster;
  readonly client: ModelClient;
  readonly settings: Settings;
  /** How many namespaces may be in deletion at once. */
  readonly mostNamespaceDeletions: number | undefined;
  /** Optional kinds that the cluster serves. */
  readonly kinds = new Set<string>(optionalTypes.map(({ kind }) => kind));
  /** Of those, the ones that it does not let anybody list. */
  readonly unlistable = new Set<string>();
  /** Throws where the cluster does not say what it serves. */
  discovery: () => boolean = () => true;
  readonly told: Told[] = [];
  /** Lines of the log, as JSON. */
  readonly logged: string[] = [];
  readonly log: Logger = {
    ...silentLogger,
    info: (fields, message) => void this.logged.push(JSON.stringify({ message, ...fields })),
  };
  readonly errors: unknown[] = [];
  /** How far our own clock is ahead of the cluster's. */
  aheadMs = 0;
  /** How many reconciles there have been. */
  turns = 0;
  readonly #clock: Clock;
  readonly #serverClock: Clock;
  #seed = 1;
  #around!: Reconciler;
  #informers: ModelInformer<KubeObject>[] = [];
  #queue = new Set<ObjectKey>();
  #timers = new Map<ObjectKey, number>();

  constructor(cluster: ModelCluster, settings: Settings, mostNamespaceDeletions?: number) {
    this.cluster = cluster;
    this.client = new ModelClient(cluster);
    this.settings = settings;
    this.mostNamespaceDeletions = mostNamespaceDeletions;
    this.#serverClock = { now: () => cluster.now, monotonic: () => cluster.now, setTimer: () => ({ cancel() {} }) };
    this.#clock = { ...this.#serverClock, now: () => cluster.now + this.aheadMs };
    this.restart();
  }

  restart(): void {
    this.#informers = [];
    this.#queue.clear();
    this.#timers = new Map();
    const client = this.client.asClient();
    const caches = openCaches(this.#manager(), this.settings, home, this.#serverClock);
    const capacity = new CapacityLimit(this.settings.maxInstances, (key) => caches.instances.view.get(key));
    const namespaceDeletions = new NamespaceDeletionLimit(
      (key) => caches.instances.view.get(key),
      (name) => caches.namespaces.view.get(name),
      { own: this.#clock, server: this.#serverClock },
      this.mostNamespaceDeletions === undefined ? undefined : { whileBusy: this.mostNamespaceDeletions, whileIdle: 0 },
    );
    const settled = new SettledChildren();
    const released = new Set<string>();
    onGone([caches.namespaces.informer, ...[...caches.children.values()].map(({ source }) => source)], (uid) =>
      settled.forget(uid),
    );
    onGone([caches.instances.informer], (uid) => released.delete(uid));
    const recorder: EventRecorder = {
      event: (_, type, reason, message) => void this.told.push({ type, reason, message }),
    };
    const metrics = { statusChanged() {}, reconciled() {} };
    const random = () => {
      this.#seed = (this.#seed * 16_807) % 2_147_483_647;
      return this.#seed / 2_147_483_647;
    };
    const { settings } = this;
    const stopping = new StopTracker(this.#clock);
    this.#around = {
      client,
      caches,
      capacity,
      namespaceDeletions,
      stopping,
      making: new FewAtOnce(32),
      // Here copies go on when they are told to, and never while somebody waits.
      namespaceVisibility: { waitFor: async () => {} },
      settled,
      released,
      settings,
      clock: this.#clock,
      serverClock: this.#serverClock,
      random,
      recorder,
      metrics,
      log: this.log,
    };
    for (const watch of watchesOf(caches, capacity, namespaceDeletions, stopping)) {
      watch.start((key, options) => this.enqueue(key, options));
    }
  }

  #manager(): Manager {
    const inform = (type: ResourceType, options?: ModelSelection<KubeObject>) => {
      const informer = new ModelInformer(this.cluster, type, options, () => !this.unlistable.has(type.kind));
      this.#informers.push(informer);
      return informer.asInformer();
    };
    const find = async ({ kind, version }: { kind: string; version?: string }) =>
      this.discovery() &&
      optionalTypes.find((type) => type.kind === kind && type.version === version && this.kinds.has(kind));
    const optionalInformer = (kind: OptionalKind, options: ModelSelection<KubeObject>) =>
      new OptionalInformer(kind, { find } as unknown as Discovery, (type) => inform(type, options));
    return { informer: inform, optionalInformer } as unknown as Manager;
  }

  /** What a reconcile gets, until the next restart: a test may break parts of it. */
  get around(): Reconciler {
    return this.#around;
  }

  enqueue(key: ObjectKey, _options?: AddOptions): void {
    this.#queue.add(key);
  }

  get isIdle(): boolean {
    return this.#queue.size === 0;
  }

  /** Lets the copies of some kinds go on; all of them unless told. Returns whether there was anything. */
  deliver(which: (kind: string) => boolean = () => true, most?: number): boolean {
    let any = false;
    for (const informer of this.#informers) if (which(informer.type.kind)) any = informer.deliver(most) || any;
    return any;
  }

  /** Looks at the next `count` instances of the queue side by side. */
  async turn(count = 1): Promise<void> {
    for (const [key, due] of this.#timers) {
      if (due > this.cluster.now) continue;
      this.#timers.delete(key);
      this.enqueue(key);
    }
    const keys = [...this.#queue].slice(0, count);
    for (const key of keys) this.#queue.delete(key);
    const ends = await Promise.allSettled(keys.map((key) => this.#look(key)));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  look(key: ObjectKey): Promise<Result | undefined> {
    return reconcile(key, this.#around, new AbortController().signal);
  }

  async #look(key: ObjectKey): Promise<void> {
    this.turns++;
    try {
      const result = await this.look(key);
      if (result?.requeueAfterMs !== undefined) this.#timers.set(key, this.cluster.now + result.requeueAfterMs);
    } catch (error) {
      if (error instanceof Crash) throw error;
      if (!isConflict(error)) this.errors.push(error);
      this.#timers.set(key, this.cluster.now + (isConflict(error) ? 10 : 1000));
    }
  }

  /**
   * Until nothing happens any more: everybody does their work, and time goes on from one timer to the next, for up to
   * `mostMs`. Whatever takes more than `mostTurns` looks will never come to rest.
   */
  async settle(mostMs = 150_000, mostTurns = 400): Promise<void> {
    const { cluster } = this;
    const [end, last] = [cluster.now + mostMs, this.turns + mostTurns];
    for (;;) {
      if (this.turns > last) throw new Error("it never comes to rest");
      if (this.deliver() || cluster.tick()) continue;
      await this.turn();
      if (!this.isIdle || this.deliver()) continue;
      const next = Math.min(...this.#timers.values());
      if (next > end) return;
      cluster.now = Math.max(cluster.now, next);
    }
  }

  /** What a look at everything asks for, with nothing new. */
  async requestsOfAnotherLook() {
    const before = this.client.requests.length;
    for (const instance of this.cluster.all(ChallengeInstances.kind)) this.enqueue(keyOf(instance));
    while (!this.isIdle) await this.turn();
    return this.client.requests.slice(before);
  }
}
