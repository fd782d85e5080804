/**
 * Holds the parts of one process together, and starts and stops them in order:
 *
 *     health → caches → leadership → controllers            starting
 *     controllers → events → leadership → caches → health   stopping
 *
 * A process that loses leadership, or whose caches do not fill, does not try to go on: it ends, and is started anew by
 * whoever runs it, with nothing left over from before.
 */
import { type KubeObject, type ResourceType, resourceName } from "@berg/apimachinery";
import { AbortFollower, aborted } from "../abort.ts";
import { Informer, type InformerOptions } from "../cache/informer.ts";
import { reconnectDelay } from "../cache/judge.ts";
import { OptionalInformer, type OptionalKind } from "../cache/optional-informer.ts";
import type { Transform } from "../cache/transforms.ts";
import type { Client, Selection } from "../client/client.ts";
import { type Clock, type Random, sleep, systemClock, systemRandom } from "../clock.ts";
import { Controller, type ControllerOptions, defaultWorkers } from "../controller/controller.ts";
import type { AnyInformer } from "../controller/watches.ts";
import { Elector } from "../election/elector.ts";
import { LeadershipLost } from "../election/fence.ts";
import { newIdentity } from "../election/identity.ts";
import type { ElectionTiming } from "../election/timing.ts";
import { type EventRecorder, EventWriter } from "../events/recorder.ts";
import { errorText, type Logger } from "../log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { eventLoopCheck, type HealthCheck, informersCheck, LagMonitor } from "./checks.ts";
import { type HealthServer, startHealthServer } from "./health.ts";
import type { OtherServer } from "./other-server.ts";
import { within } from "./within.ts";

export interface ManagerOptions {
  /** `controller`, `listener`, …: names the lease (`berg-<component>`) and the source of events. */
  component: string;
  client: Client;
  log: Logger;
  metrics: Metrics;
  /** Without it this process works at once, and must be the only one. */
  election?: {
    /** One of its own, so that renewals never wait behind other requests. */
    client: Client;
    namespace: string;
    /**
     * A name that survives a restart of this process and that no other process can have at the same time (see
     * `podIdentity`). With it, the process takes the lease of its dead predecessor at once.
     */
    exclusiveIdentity?: string | undefined;
    timing?: ElectionTiming;
  };
  /** Without it nothing is served. */
  health?: { host?: string; healthPort?: number; metricsPort?: number };
  clock?: Clock;
  random?: Random;
}

const cacheSyncMs = 120_000;
/** Of a kind that not every cluster has, or of another server. Nothing works meanwhile, ends of instances neither. */
const optionalSyncMs = 30_000;
/** How long each part of an orderly stop may take; together below the 30 s that a pod is given. */
const limits = { drainMs: 15_000, flushMs: 2_000, releaseMs: 2_000, healthMs: 1_000 };

interface Lookable {
  readonly kind: OptionalKind;
  look(signal: AbortSignal): Promise<unknown>;
  synced(signal: AbortSignal): Promise<void>;
}

export class Manager {
  /** Reads freely; writes only while this process leads. */
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #elector: Elector | undefined;
  readonly #events: EventWriter;
  readonly #informers: AnyInformer[] = [];
  /** Those of #informers that are of other servers. */
  readonly #elsewhere = new Set<AnyInformer>();
  readonly #optionalInformers: Lookable[] = [];
  /** Those of #informers that the rest does not wait for. */
  readonly #dispensable = new Set<AnyInformer>();
  readonly #controllers: Controller[] = [];
  readonly #readyNotes: Record<string, () => string> = {};
  #startInformer: ((informer: AnyInformer) => void) | undefined;
  #started = false;

  constructor(options: ManagerOptions) {
    const { client, component, log, metrics, election } = options;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    const surroundings = { clock: this.#clock, random: this.#random, log };
    const identity = election?.exclusiveIdentity ?? newIdentity();
    const name = `berg-${component}`;
    this.#elector =
      election &&
      new Elector({
        ...surroundings,
        ...election,
        ...{ name, identity },
        isExclusive: election.exclusiveIdentity !== undefined,
        metrics: metrics.election(name),
      });
    this.client = this.#guarded(client);
    this.#events = new EventWriter({
      ...surroundings,
      client: this.client,
      instance: identity,
      metrics: metrics.events,
    });
    this.recorder = this.#events.recorder(name);
  }

  /** Whether this process may write now. True without an election. */
  get isLeading(): boolean {
    return this.#elector?.isLeader ?? true;
  }

  /** Where a process does the work of several: what one of them tells, under its own name. */
  recorderFor(component: string): EventRecorder {
    return this.#events.recorder(component);
  }

  /**
   * The shared informer of a resource. Whoever asks for the same selection gets the same one. Ask before `run`: nobody
   * waits for one that comes later but whoever asked for it, by its `synced`.
   */
  informer<T extends KubeObject>(
    type: ResourceType<T>,
    options: { selection?: Selection; transform?: Transform<T> } = {},
  ): Informer<T> {
    const known = this.#informers.find(
      (informer) =>
        informer.type === type &&
        informer.isFor(options.selection, options.transform) &&
        !this.#elsewhere.has(informer),
    );
    return known ?? this.#addInformer({ ...options, type, client: this.client });
  }

  /** Its writes are held back by the same lease. The client stays the caller's to close. */
  otherServer(client: Client): OtherServer {
    const guarded = this.#guarded(client);
    return {
      client: guarded,
      informer: (type, selection = {}) => {
        const informer = this.#addInformer({ type, selection, client: guarded, isDispensable: true });
        this.#elsewhere.add(informer);
        this.#dispensable.add(informer);
        return informer;
      },
    };
  }

  #addInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
    const informer = new Informer<T>({
      ...options,
      clock: this.#clock,
      random: this.#random,
      log: this.#options.log,
      metrics: this.#options.metrics.informer(resourceName(options.type)),
    });
    this.#informers.push(informer);
    this.#startInformer?.(informer);
    return informer;
  }

  #guarded(client: Client): Client {
    return this.#elector ? client.guarded(this.#elector.fence) : client;
  }

  /**
   * The informer of a kind that may not be installed. Where it is at the start, its cache is filled before anything
   * works, if that can be done in a reasonable time; else whoever needs it looks for it: see OptionalInformer.
   */
  optionalInformer<T extends KubeObject>(
    kind: OptionalKind,
    options: { selection?: Selection; transform?: Transform<T> } = {},
  ): OptionalInformer<T> {
    const optional = new OptionalInformer<T>(kind, this.client.discovery, (type) => {
      const informer = this.informer(type, options);
      this.#dispensable.add(informer);
      return informer;
    });
    this.#optionalInformers.push(optional);
    return optional;
  }

  addController(options: ControllerOptions): Controller {
    if (this.#started) throw new Error(`cannot add the controller "${options.name}": the manager is running`);
    const { name } = options;
    const { metrics, log } = this.#options;
    const queueMetrics = metrics.queue({ name, controller: name });
    const controller = new Controller(options, {
      clock: this.#clock,
      random: this.#random,
      log,
      queueMetrics,
      metrics: metrics.controller(name, { maxConcurrent: options.workers ?? defaultWorkers }),
    });
    queueMetrics.sample(() => controller.queue.processing());
    this.#controllers.push(controller);
    return controller;
  }

  /** A figure worth a line of `/readyz?verbose`; it makes the process neither ready nor unready. */
  addReadyNote(name: string, read: () => string): void {
    this.#readyNotes[name] = read;
  }

  /** Runs until `stop` is aborted, and then in order to its end. Rejects where it had to end by itself. */
  async run(stop: AbortSignal): Promise<void> {
    if (this.#started) throw new Error("cannot run the manager again: it runs once");
    this.#started = true;
    const lag = new LagMonitor(this.#clock);
    let health: HealthServer | undefined;
    try {
      health = await this.#startHealth(lag);
      await this.#runWithCaches(stop);
    } finally {
      lag.stop();
      await within(this.#clock, limits.healthMs, async (signal) => health?.stop(signal));
    }
  }

  async #runWithCaches(stop: AbortSignal): Promise<void> {
    using ending = new AbortFollower(stop);
    const caches = new AbortController();
    const cachesEnd = this.#runInformers(caches.signal, ending);
    try {
      await this.#synced(ending.signal);
      await this.#lead(ending.signal);
    } finally {
      caches.abort();
      await cachesEnd();
    }
  }

  async #startHealth(lag: LagMonitor): Promise<HealthServer | undefined> {
    const { health, log, metrics } = this.#options;
    if (!health) return undefined;
    const live: Record<string, HealthCheck> = {
      "event-loop": eventLoopCheck(lag),
      informers: informersCheck(() => this.#traffic()),
    };
    const ready: Record<string, HealthCheck> = { caches: () => this.#unfilledCaches() };
    if (this.#elector) {
      live.lease = this.#elector.leaseFresh;
      ready.lease = this.#elector.leaseReachable;
    }
    const server = await startHealthServer({ ...health, log, metrics, live, ready, notes: this.#readyNotes });
    const { healthPort, metricsPort } = server;
    log.info({ healthPort, metricsPort }, "serving health and metrics");
    return server;
  }

  /** Starts those that are there and, from now on, each that is asked for. Returns the wait for their end. */
  #runInformers(signal: AbortSignal, ending: AbortController): () => Promise<unknown> {
    const runs: Promise<void>[] = [];
    this.#startInformer = (informer) => {
      const run = informer.run(signal);
      // None ever ends by itself but by a mistake, and without it the rest would work on a picture of the past.
      run.catch((error) => ending.abort(error));
      runs.push(run);
    };
    for (const informer of this.#informers) this.#startInformer(informer);
    return () => Promise.all(runs);
  }

  async #synced(stop: AbortSignal): Promise<void> {
    try {
      await within(this.#clock, cacheSyncMs, (late) => {
        const signal = AbortSignal.any([stop, late]);
        const informers = this.#informers.map((informer) =>
          this.#dispensable.has(informer)
            ? this.#fill(informer, signal, informer.type, "that another server does not list")
            : informer.synced(signal),
        );
        return Promise.all([...informers, ...this.#optionalInformers.map((optional) => this.#look(optional, signal))]);
      });
    } catch (cause) {
      if (stop.aborted) return;
      const missing = this.#unfilledCaches() ?? "the server did not say which kinds it serves";
      throw new Error(`${missing} after ${cacheSyncMs / 1000} s: the log says why`, { cause });
    }
    const filled = this.#informers.filter(({ hasSynced }) => hasSynced);
    const resources = [...new Set(filled.map(({ type }) => resourceName(type)))];
    this.#options.log.info({ resources }, "caches are filled");
  }

  /** Until the server has answered: whether a kind is there must not be a matter of the server's mood at the start. */
  async #look(optional: Lookable, signal: AbortSignal): Promise<void> {
    for (let failures = 1; ; failures++) {
      try {
        await optional.look(signal);
        return await this.#fill(optional, signal, optional.kind, "that is installed and cannot be listed");
      } catch (error) {
        signal.throwIfAborted();
        this.#options.log.warn({ error: errorText(error), failures }, "cannot ask the server which kinds it serves");
        await sleep(this.#clock, reconnectDelay(failures, this.#random), signal);
      }
    }
  }

  async #fill(
    source: { synced(signal: AbortSignal): Promise<void> },
    signal: AbortSignal,
    { group, kind }: OptionalKind,
    why: string,
  ): Promise<void> {
    try {
      await within(this.#clock, optionalSyncMs, (late) => source.synced(AbortSignal.any([signal, late])));
    } catch {
      signal.throwIfAborted();
      this.#options.log.warn({ group, kind }, `going on without a kind ${why}`);
    }
  }

  async #lead(stop: AbortSignal): Promise<void> {
    if (stop.aborted) return;
    const kill = new AbortController();
    const elector = this.#elector;
    if (!elector) return this.#runControllers(stop, kill);

    const lease = new AbortController();
    let work: Promise<void> | undefined;
    const election = elector.run((leading) => {
      leading.addEventListener("abort", () => kill.abort(leading.reason), { once: true });
      work = this.#runControllers(stop, kill).finally(() => lease.abort());
      // Awaited below, when the election has ended too.
      work.catch(() => {});
    }, lease.signal);
    // One that still waits for the lease has nothing to finish.
    const giveUp = () => {
      if (!work) lease.abort();
    };
    stop.addEventListener("abort", giveUp, { once: true });
    const end = await election;
    stop.removeEventListener("abort", giveUp);
    try {
      await work;
    } finally {
      // Where the lease is lost, this leaves it alone.
      await within(this.#clock, limits.releaseMs, (signal) => elector.release(signal));
    }
    if (end === "lost") throw new LeadershipLost("this process no longer leads, and ends: start it again");
  }

  async #runControllers(stop: AbortSignal, kill: AbortController): Promise<void> {
    const disarm = this.#killLate(stop, kill);
    const ending = AbortSignal.any([stop, kill.signal]);
    const runs = this.#controllers.map((controller) => controller.run(stop, kill.signal));
    // One that fails takes the others with it: nobody would notice half a process.
    for (const run of runs) run.catch((error) => kill.abort(error));
    const ends = await Promise.allSettled([...runs, aborted(ending)]);
    disarm();
    // What waits could only be refused.
    const flushMs = kill.signal.reason instanceof LeadershipLost ? 0 : limits.flushMs;
    await within(this.#clock, flushMs, (signal) => this.#events.flush(signal));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  /** Ends what is still under way some time after the stop. Returns its undo. */
  #killLate(stop: AbortSignal, kill: AbortController): () => void {
    let cancel = () => {};
    const arm = () => {
      const timer = this.#clock.setTimer(limits.drainMs, () => {
        this.#options.log.warn({ seconds: limits.drainMs / 1000 }, "reconciles are cut off: they did not end in time");
        kill.abort(new Error("the time to stop is over"));
      });
      cancel = () => timer.cancel();
    };
    stop.addEventListener("abort", arm, { once: true });
    return () => {
      stop.removeEventListener("abort", arm);
      cancel();
    };
  }

  #unfilledCaches(): string | undefined {
    const missing = this.#informers.filter((informer) => !informer.hasSynced && !this.#dispensable.has(informer));
    if (missing.length === 0) return undefined;
    return `the caches of ${missing.map(({ type }) => resourceName(type)).join(", ")} are not filled`;
  }

  *#traffic() {
    for (const informer of this.#informers) {
      yield { resource: resourceName(informer.type), silentSeconds: informer.deafForMs / 1000 };
    }
  }
}
