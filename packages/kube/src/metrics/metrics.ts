import type { Registry } from "prom-client";
import { type InformerMetrics, type InformerSample, relistReasons } from "../cache/metrics.ts";
import type { RequestMetrics } from "../client/metrics.ts";
import { type ReconcileMetrics, reconcileResults } from "../controller/metrics.ts";
import type { ElectionMetrics } from "../election/metrics.ts";
import type { EventMetrics } from "../events/metrics.ts";
import type { QueueMetrics } from "../queue/metrics.ts";
import { type MetricDescription, metricNames } from "./names.ts";

/** What the parts of the runtime write their figures to. */
export interface Metrics {
  /** For metrics of your own; nothing is registered anywhere else. */
  readonly registry: Registry;
  controller(name: string, options: { maxConcurrent: number }): ReconcileMetrics;
  queue(names: { name: string; controller: string }): QueueMetrics & QueueSampler;
  readonly requests: RequestMetrics;
  /** `resource` as `resourceName()` gives it, such as `deployments.apps`. */
  informer(resource: string): InformerMetrics;
  election(lease: string): ElectionMetrics;
  /**
   * Whether this process waits for a lease, and another one works. Its caches are filled all the same: a gauge that
   * counts what is in them shows nothing meanwhile, or whoever adds up both processes has each object twice.
   */
  readonly isStandby: boolean;
  readonly events: EventMetrics;
  /** The text of `/metrics`. */
  render(): Promise<{ contentType: string; body: string }>;
}

export interface QueueSampler {
  /** Names what is read at each scrape, until the function that is returned is called. */
  sample(read: () => { unfinishedSeconds: number; longestSeconds: number }): () => void;
}

/**
 * Loads prom-client, which is slow to load, and only then: whoever needs no metrics does not pay for it.
 *
 *     const metrics = await createMetrics();
 *     const figures = metrics.queue({ name: "instances", controller: "instances" });
 *     const queue = new WorkQueue({ clock, random, metrics: figures });
 *     figures.sample(() => queue.processing());
 */
export async function createMetrics(): Promise<Metrics> {
  const { Counter, Gauge, Histogram, Registry } = await import("prom-client");
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>({ name, help, labelNames }: MetricDescription<L>) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <L extends string>({ name, help, labelNames }: MetricDescription<L>, collect?: () => void) =>
    new Gauge({ name, help, labelNames, registers, ...(collect && { collect }) });
  const histogram = <L extends string>({ name, help, labelNames, buckets = [] }: MetricDescription<L>) =>
    new Histogram({ name, help, labelNames, registers, buckets: [...buckets] });

  let isStandby = false;
  return {
    registry,
    get isStandby() {
      return isStandby;
    },
    controller: reconcileMetrics(),
    queue: queueMetrics(),
    requests: requestMetrics(),
    informer: informerMetrics(),
    election: electionMetrics(),
    events: eventMetrics(),
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };

  function reconcileMetrics(): Metrics["controller"] {
    const total = counter(metricNames.reconcileTotal);
    const errors = counter(metricNames.reconcileErrors);
    const terminal = counter(metricNames.reconcileTerminalErrors);
    const panics = counter(metricNames.reconcilePanics);
    const timeouts = counter(metricNames.reconcileTimeouts);
    const time = histogram(metricNames.reconcileTime);
    const max = gauge(metricNames.maxConcurrentReconciles);
    const active = gauge(metricNames.activeWorkers);

    return (controller, { maxConcurrent }) => {
      const labels = { controller };
      // A rate over a counter that appears only with its first error misses that error.
      for (const result of reconcileResults) total.inc({ controller, result }, 0);
      for (const one of [errors, terminal, panics, timeouts]) one.inc(labels, 0);
      time.zero(labels);
      max.set(labels, maxConcurrent);
      active.set(labels, 0);
      return {
        started: () => active.inc(labels),
        finished(result, seconds) {
          active.dec(labels);
          total.inc({ controller, result });
          time.observe(labels, seconds);
          if (result === "error") errors.inc(labels);
        },
        terminal: () => terminal.inc(labels),
        panicked: () => panics.inc(labels),
        timedOut: () => timeouts.inc(labels),
      };
    };
  }

  function queueMetrics(): Metrics["queue"] {
    const samples = new Samples<
      { name: string; controller: string },
      ReturnType<Parameters<QueueSampler["sample"]>[0]>
    >();
    const depth = gauge(metricNames.queueDepth);
    const adds = counter(metricNames.queueAdds);
    const waited = histogram(metricNames.queueDuration);
    const worked = histogram(metricNames.queueWorkDuration);
    const retries = counter(metricNames.queueRetries);
    const unfinished = gauge(metricNames.queueUnfinishedWork, () =>
      samples.read((labels, { unfinishedSeconds }) => unfinished.set(labels, unfinishedSeconds)),
    );
    const longest = gauge(metricNames.queueLongestRunning, () =>
      samples.read((labels, { longestSeconds }) => longest.set(labels, longestSeconds)),
    );

    return (labels) => {
      for (const one of [adds, retries]) one.inc(labels, 0);
      for (const one of [depth, unfinished, longest]) one.set(labels, 0);
      for (const one of [waited, worked]) one.zero(labels);
      return {
        added: () => adds.inc(labels),
        depth: (waiting) => depth.set(labels, waiting),
        started: (seconds) => waited.observe(labels, seconds),
        finished: (seconds) => worked.observe(labels, seconds),
        retried: () => retries.inc(labels),
        sample: (read) => samples.add(labels, read),
      };
    };
  }

  function requestMetrics(): RequestMetrics {
    const total = counter(metricNames.requests);
    const duration = histogram(metricNames.requestDuration);
    const retries = counter(metricNames.requestRetries);
    const limiter = histogram(metricNames.requestRateLimiter);
    return {
      finished({ method, host, code }, seconds) {
        total.inc({ code, method, host });
        duration.observe({ verb: method, host }, seconds);
      },
      retried: ({ method, host, code }) => retries.inc({ verb: method, host, code }),
      rateLimited: (seconds) => limiter.observe(seconds),
    };
  }

  function informerMetrics(): Metrics["informer"] {
    const samples = new Samples<{ resource: string }, InformerSample>();
    const relists = counter(metricNames.informerRelists);
    // Several informers may share a resource, each with a selection of its own: their oldest age, and all their objects.
    const age = gauge(metricNames.informerLastEventAge, () => {
      const oldest = new Map<string, number>();
      samples.read(({ resource }, { lastEventAgeSeconds }) =>
        oldest.set(resource, Math.max(oldest.get(resource) ?? 0, lastEventAgeSeconds)),
      );
      age.reset();
      for (const [resource, seconds] of oldest) age.set({ resource }, seconds);
    });
    const objects = gauge(metricNames.informerObjects, () => {
      objects.reset();
      samples.read((labels, sample) => objects.inc(labels, sample.objects));
    });
    return (resource) => {
      for (const reason of relistReasons) relists.inc({ resource, reason }, 0);
      return {
        relisted: (reason) => relists.inc({ resource, reason }),
        sample: (read) => samples.add({ resource }, read),
      };
    };
  }

  function electionMetrics(): Metrics["election"] {
    const leader = gauge(metricNames.leader);
    return (name) => ({
      leading(leads) {
        isStandby = !leads;
        leader.set({ name }, leads ? 1 : 0);
      },
    });
  }

  function eventMetrics(): EventMetrics {
    const dropped = counter(metricNames.eventsDropped);
    return { dropped: () => dropped.inc() };
  }
}

/** What is read at each scrape, and not before. */
class Samples<Labels, Sample> {
  readonly #sources = new Set<{ labels: Labels; read: () => Sample }>();

  add(labels: Labels, read: () => Sample): () => void {
    const source = { labels, read };
    this.#sources.add(source);
    return () => void this.#sources.delete(source);
  }

  read(use: (labels: Labels, sample: Sample) => void): void {
    for (const { labels, read } of this.#sources) use(labels, read());
  }
}
