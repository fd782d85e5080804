/**
 * The deployment listener: keeps what is known about running instances true, and finds those that are stuck.
 *
 *     pods ──► lines (by UID) ──► restarts: which pod runs a container   ──► records
 *                            └──► stuck: is this pod stuck?              ──► condition `Stuck`, and the policy
 *     instances, namespaces ────► stopped: does this instance run?       ──► records
 *     the start, and every now and then ──► orphans: is every open record true?
 *     namespaces without an instance    ──► ghosts: they go
 */
import type { KubeObject } from "@berg/apimachinery";
import {
  type Clock,
  type Manager,
  type Metrics,
  OwnWrites,
  systemClock,
  TimerHeap,
  type Watch,
  watchMapped,
} from "@berg/kube";
import { fieldManagers } from "@berg/resources";
import { Counter } from "prom-client";
import { addGhostController } from "./ghosts/controller.ts";
import { mismatchMetrics, mismatchOf, mismatchText } from "./mismatch/mismatch.ts";
import { by, type Caches, openCaches } from "./observe/caches.ts";
import { OpenRecords } from "./observe/open-records.ts";
import { sightFrom } from "./observe/sight.ts";
import { onceAndAgain, reloadRecords } from "./orphans/reload.ts";
import type { RuntimeRecords } from "./records/runtime-records.ts";
import { GoingNamespaces } from "./removing/going.ts";
import { instanceUidOf } from "./removing/marks.ts";
import { InOrder } from "./restarts/in-order.ts";
import { notePod } from "./restarts/note-pod.ts";
import type { ListenerSettings } from "./settings/listener.ts";
import { addLines } from "./shards/lines.ts";
import { keepRecord } from "./stopped/keep-record.ts";
import { confirmWith } from "./stuck/confirm.ts";
import { Findings } from "./stuck/findings.ts";
import { handleStuck } from "./stuck/handle.ts";
import { lookAtPod } from "./stuck/look.ts";
import { stuckMetrics } from "./stuck/metrics.ts";
import { metricNames } from "./vocabulary.ts";

export interface ListenerOptions {
  settings: ListenerSettings;
  /** Stays open at the end: whoever opened it closes it. */
  records: RuntimeRecords;
  metrics: Metrics;
  clock?: Clock;
}

const ghostIntervalMs = 30_000;

export function addListener(manager: Manager, options: ListenerOptions): void {
  const { settings, records, metrics, clock = systemClock } = options;
  const { client } = manager;
  const caches = openCaches(manager);
  const open = new OpenRecords(records);
  const findings = new Findings();
  const inOrder = new InOrder();
  const timers = new TimerHeap<string>(clock, (uid) => lines.add(uid));
  const recorder = manager.recorderFor(fieldManagers.listener);
  const stopped = new Counter({
    name: metricNames.stopped,
    help: "Records that were closed",
    registers: [metrics.registry],
  });

  const instances = new OwnWrites(caches.instances, clock);
  instances.ensureIndex(by.uid, ({ metadata }) => [metadata.uid]);
  const confirm = confirmWith({ client, pods: caches.pods, findings, thresholds: settings, clock });
  const handler = { client, recorder, instances, pods: caches.pods, findings, confirm, settings, clock };
  const stuck = manager.addController({
    name: "stuck",
    watches: [watchInstances(caches), clearing(timers)],
    reconcile: (uid, { signal }) => handleStuck(uid, handler, signal),
  });

  const look = { client, findings, timers, thresholds: settings, clock };
  const lines = addLines(manager, caches.pods, settings.workers, async (uid, pod, signal) => {
    const instance = pod && instanceUidOf(pod);
    if (!pod || instance === undefined) {
      timers.cancel(uid);
      const last = findings.forget(uid);
      if (last !== undefined) stuck.queue.add(last);
      return undefined;
    }
    if (await lookAtPod(instance, pod, look, signal)) stuck.queue.add(instance);
    await notePod(instance, pod, { caches, open, inOrder }, signal);
    return undefined;
  });

  const keeper = {
    client,
    caches,
    open,
    clock,
    opened(uid: string) {
      for (const { metadata } of caches.pods.byIndex(by.instance, uid)) lines.add(metadata.uid);
    },
    stopped: () => stopped.inc(),
  };
  const kept = manager.addController({
    name: "records",
    watches: [watchInstances(caches), watchMapped(caches.namespaces, instanceUids)],
    reconcile: (uid, { signal }) => keepRecord(uid, keeper, signal),
  });

  const reload = { caches, open, keep: (uid: string) => kept.queue.add(uid), note: lines.add };
  manager.addController({
    name: "orphans",
    workers: 1,
    watches: [{ ...onceAndAgain, informers: [caches.instances, caches.pods, caches.namespaces] }],
    reconcile: (_, { signal }) => reloadRecords(reload, signal),
  });

  addGhosts(manager, caches, options);

  const mismatch = () => mismatchOf(caches.namespaces, open);
  mismatchMetrics(metrics, mismatch);
  stuckMetrics(metrics, caches.instances);
  manager.addReadyNote("records", () => mismatchText(mismatch()));
}

function addGhosts(
  manager: Manager,
  caches: Caches,
  { settings, metrics, clock = systemClock }: ListenerOptions,
): void {
  const copies = sightFrom(caches, manager);
  const deleted = new Counter({
    name: metricNames.ghostsDeleted,
    help: "Objects that were deleted because their instance is gone",
    registers: [metrics.registry],
  });
  addGhostController(manager, {
    name: "ghosts",
    copies,
    going: new GoingNamespaces(() => copies.namespaces),
    graceMs: settings.ghostGraceMs,
    intervalMs: ghostIntervalMs,
    clock,
    report({ kind, name, did, why }, log) {
      if (did === "deleted") deleted.inc();
      if (did !== "waits") log.info({ kind, name, did, why }, "a ghost");
    },
    braked() {},
  });
}

/** By UID: a name may belong to another instance by now, and the record of the first has to be closed all the same. */
function watchInstances({ instances }: Caches): Watch {
  return {
    informers: [instances],
    start: (enqueue) => instances.onChange(({ object }) => enqueue(object.metadata.uid)),
    all: () => instances.list().map(({ metadata }) => metadata.uid),
  };
}

function instanceUids(object: KubeObject): string[] {
  const uid = instanceUidOf(object);
  return uid === undefined ? [] : [uid];
}

/** No timer outlives the work. */
function clearing(timers: TimerHeap<string>): Watch {
  return { informers: [], start: () => () => timers.clear(), all: () => [] };
}
