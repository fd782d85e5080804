/** The controller of ChallengeInstances. */
import { isConflict, type ObjectKey, parseTime } from "@berg/apimachinery";
import {
  type Clock,
  FewAtOnce,
  type Logger,
  type Manager,
  type Metrics,
  type Random,
  SettledChildren,
  systemClock,
  systemRandom,
} from "@berg/kube";
import { type ChallengeInstance, isEnding } from "@berg/resources";
import { dueAfter, isExpired } from "./expiry/due.ts";
import { logStart } from "./instance-log.ts";
import { instanceMetrics } from "./metrics.ts";
import { CacheVisibility } from "./observe/cache-visibility.ts";
import { openCaches } from "./observe/caches.ts";
import { CapacityLimit } from "./observe/capacity-limit.ts";
import { NamespaceDeletionLimit } from "./observe/namespace-deletion-limit.ts";
import { StartThrottle } from "./observe/start-throttle.ts";
import { StopTracker } from "./observe/stop-tracker.ts";
import { endingPriority, onGone, watchesOf } from "./observe/watches.ts";
import { reconcile } from "./reconcile.ts";
import { addRevisionController } from "./revisions.ts";
import type { Settings } from "./settings/settings.ts";

export interface InstanceControllerOptions {
  settings: Settings;
  /** The namespace that the controller runs in, with the pull secret. */
  namespace: string;
  metrics: Metrics;
  log: Logger;
  /** The API server's clock, for the timestamps that it wrote. */
  serverClock: Clock;
  /** The clock that instances expire by. */
  clock?: Clock;
  random?: Random;
}

/** A worker mostly waits for the API server. Enough of them that instances which expire together begin to end together. */
const workers = 128;
/**
 * Half of the connections of a client. Where a webhook delays every create by ten seconds, starting instances would
 * otherwise use all of them, and no instance could be ended.
 */
const concurrentCreates = 32;
/**
 * A failed end is retried after as long as it has taken so far, within these bounds: it has several steps, and continues
 * within a minute after the API server has recovered. Other retries may come two minutes later.
 */
const endRetryMs = { min: 5_000, max: 50_000 };

export function addInstanceController(manager: Manager, options: InstanceControllerOptions): void {
  const { settings, namespace, log, serverClock, clock = systemClock, random = systemRandom } = options;
  logStart(log, settings);
  const caches = openCaches(manager, settings, namespace, serverClock);
  const capacity = new CapacityLimit(settings.maxInstances, (key) => caches.instances.view.get(key));
  const namespaceDeletions = new NamespaceDeletionLimit(
    (key) => caches.instances.view.get(key),
    (name) => caches.namespaces.view.get(name),
    { own: clock, server: serverClock },
  );
  const stopping = new StopTracker(clock);
  const startThrottle = new StartThrottle(clock);
  const making = new FewAtOnce(concurrentCreates);
  const namespaceVisibility = new CacheVisibility(caches.namespaces.informer, clock);
  const settled = new SettledChildren();
  onGone([caches.namespaces.informer, ...[...caches.children.values()].map(({ source }) => source)], (uid) =>
    settled.forget(uid),
  );
  const released = new Set<string>();
  onGone([caches.instances.informer], (uid) => released.delete(uid));
  const metrics = instanceMetrics(options.metrics, () => caches.instances.informer.list());
  const { client, recorder } = manager;
  const clocks = { clock, serverClock };
  const deps = {
    client,
    recorder,
    caches,
    capacity,
    namespaceDeletions,
    stopping,
    making,
    namespaceVisibility,
    settled,
    released,
    settings,
    ...clocks,
    random,
    metrics,
    log,
  };

  const controller = manager.addController({
    name: "challengeinstance",
    workers,
    atOnce: () => startThrottle.limits(stopping.longestMs),
    watches: watchesOf(caches, capacity, namespaceDeletions, stopping),
    async reconcile(key, { signal }) {
      const began = clock.monotonic();
      let failed = false;
      try {
        return await reconcile(key, deps, signal);
      } catch (error) {
        failed = !isConflict(error) && !signal.aborted;
        requeueForExpiry(key);
        throw error;
      } finally {
        metrics.reconciled((clock.monotonic() - began) / 1000, failed);
      }
    },
  });

  /** The backoff of an instance whose reconcile keeps failing grows; its expiry must not wait for it. */
  function requeueForExpiry(key: ObjectKey): void {
    const now = clock.now();
    const instance = caches.instances.view.get(key);
    if (!instance) return;
    const { status = {} } = instance;
    const ends = isEnding(instance) || isExpired(status, now);
    const due = ends ? now + endRetryAfterMs(instance, now) : dueAfter(now, status, settings.expiry);
    if (due !== undefined) controller.queue.addAfter(key, due - now, { priority: endingPriority });
  }

  addRevisionController(manager, caches, clock);
}

function endRetryAfterMs({ metadata, status = {} }: ChallengeInstance, now: number): number {
  const began = metadata.deletionTimestamp ?? (isExpired(status, now) ? status.expiresAt : undefined);
  const elapsedMs = began === undefined ? endRetryMs.max : now - parseTime(began);
  return Math.min(endRetryMs.max, Math.max(endRetryMs.min, elapsedMs));
}
