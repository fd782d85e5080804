/** The controller of ChallengeInstances, added to a manager that runs it. */
import { isConflict, type ObjectKey, parseTime } from "@berg/apimachinery";
import {
  type Clock,
  FewAtOnce,
  type Manager,
  type Metrics,
  type Random,
  SettledChildren,
  systemClock,
  systemRandom,
} from "@berg/kube";
import { type ChallengeInstance, isEnding } from "@berg/resources";
import { dueAfter, isExpired } from "./expiry/due.ts";
import { instanceMetrics } from "./metrics.ts";
import { openCaches } from "./observe/caches.ts";
import { MakingWay } from "./observe/making-way.ts";
import { Places } from "./observe/places.ts";
import { Sightings } from "./observe/sightings.ts";
import { Stopping } from "./observe/stopping.ts";
import { Turns } from "./observe/turns.ts";
import { endingPriority, onGone, watchesOf } from "./observe/watches.ts";
import { reconcile } from "./reconcile.ts";
import { addRevisionController } from "./revisions.ts";
import type { Settings } from "./settings/settings.ts";

export interface InstanceControllerOptions {
  settings: Settings;
  /** The controller's own: there it finds the pull secret. */
  namespace: string;
  metrics: Metrics;
  /** The API server's time, by which the times are read that it wrote. */
  serverClock: Clock;
  /** Ours, by which instances end. */
  clock?: Clock;
  random?: Random;
}

/** Each waits for the API server most of the time. So many that those whose time is up together begin to end together. */
const workers = 128;
/**
 * Half of the connections that a client has. Where a webhook of somebody's answers no create for ten seconds, those who
 * start would have all of them, and no end could be asked for.
 */
const madeAtOnce = 32;
/**
 * An end that failed goes on after as long as it has taken so far, within these: it has several steps, and once the server
 * is well again it is to go on within a minute. Other retries may come two minutes later.
 */
const endAgainMs = { least: 5_000, most: 50_000 };

export function addInstanceController(manager: Manager, options: InstanceControllerOptions): void {
  const { settings, namespace, serverClock, clock = systemClock, random = systemRandom } = options;
  const caches = openCaches(manager, settings, namespace, serverClock);
  const places = new Places(settings.maxInstances, (key) => caches.instances.view.get(key));
  const turns = new Turns(
    (key) => caches.instances.view.get(key),
    (name) => caches.namespaces.view.get(name),
    { own: clock, server: serverClock },
  );
  const stopping = new Stopping(clock);
  const makingWay = new MakingWay(clock);
  const making = new FewAtOnce(madeAtOnce);
  const sightings = new Sightings(caches.namespaces.informer, clock);
  const settled = new SettledChildren();
  onGone([caches.namespaces.informer, ...[...caches.children.values()].map(({ source }) => source)], (uid) =>
    settled.forget(uid),
  );
  const released = new Set<string>();
  onGone([caches.instances.informer], (uid) => released.delete(uid));
  const metrics = instanceMetrics(options.metrics, () => caches.instances.informer.list());
  const { client, recorder } = manager;
  const clocks = { clock, serverClock };
  const around = {
    client,
    recorder,
    caches,
    places,
    turns,
    stopping,
    making,
    sightings,
    settled,
    released,
    settings,
    ...clocks,
    random,
    metrics,
  };

  const controller = manager.addController({
    name: "challengeinstance",
    workers,
    atOnce: () => makingWay.atOnce(stopping.longestMs),
    watches: watchesOf(caches, places, turns, stopping),
    async reconcile(key, { signal }) {
      const began = clock.monotonic();
      let failed = false;
      try {
        return await reconcile(key, around, signal);
      } catch (error) {
        failed = !isConflict(error) && !signal.aborted;
        endInTime(key);
        throw error;
      } finally {
        metrics.reconciled((clock.monotonic() - began) / 1000, failed);
      }
    },
  });

  /** One that fails again and again is looked at ever more rarely; its end must not wait for that. */
  function endInTime(key: ObjectKey): void {
    const now = clock.now();
    const instance = caches.instances.view.get(key);
    if (!instance) return;
    const { status = {} } = instance;
    const ends = isEnding(instance) || isExpired(status, now);
    const due = ends ? now + againMs(instance, now) : dueAfter(now, status, settings.expiry);
    if (due !== undefined) controller.queue.addAfter(key, due - now, { priority: endingPriority });
  }

  addRevisionController(manager, caches, clock);
}

function againMs({ metadata, status = {} }: ChallengeInstance, now: number): number {
  const began = metadata.deletionTimestamp ?? (isExpired(status, now) ? status.expiresAt : undefined);
  const hasTakenMs = began === undefined ? endAgainMs.most : now - parseTime(began);
  return Math.min(endAgainMs.most, Math.max(endAgainMs.least, hasTakenMs));
}
