/**
 * The garbage collector: what has lost its last owner goes; what is deleted in the foreground waits for those it owns;
 * what is deleted as an orphan-maker lets go of them first.
 *
 * A key is a UID. A reconcile asks the graph first, and the server only where the graph gives cause; what it deletes
 * or changes, it has just read, and names by UID and version.
 */
import type { OwnerReference } from "@berg/apimachinery";
import { type Clock, errorText, type Logger, type Manager, type Result, sleep, type Watch } from "@berg/kube";
import { inParallel } from "../namespaces/in-parallel.ts";
import type { ServedKinds } from "../served/served-kinds.ts";
import { decideFate } from "./decide.ts";
import { Effects } from "./effects.ts";
import {
  foreground,
  Graph,
  isDeletingDependents,
  isElsewhere,
  isOrphaning,
  type Node,
  names,
  orphan,
  ownersOf,
} from "./graph.ts";
import { Monitors } from "./monitors.ts";
import { ImpossibleOwner, Owners, UnknownKind } from "./owners.ts";

export interface GarbageOptions {
  served: ServedKinds;
  clock: Clock;
  log: Logger;
}

const resyncMs = 30_000;
/** Some kind may not be listable; the rest is not held up by it for ever. */
const firstSyncMs = 30_000;
/** An owner that is there and that no watch has brought, or of a kind that is not served: it is looked for again. */
const lookAgainMs = 30_000;
const patchesAtOnce = 10;

export function addGarbageController(manager: Manager, { served, clock, log }: GarbageOptions): void {
  const { client } = manager;
  const recorder = manager.recorderFor("garbage-collector-controller");
  const graph = new Graph();
  const owners = new Owners(client);
  const effects = new Effects(client);
  const ready = Promise.withResolvers<void>();
  // Who waits for it hears of it; often nobody does.
  ready.promise.catch(() => {});
  let isReady = false;
  let enqueue: (uid: string) => void = () => {};
  const monitors = new Monitors({
    client,
    clock,
    log,
    graph,
    onAffected: (uids) => {
      for (const uid of uids) enqueue(uid);
    },
  });

  const everything: Watch = {
    informers: [],
    start(add) {
      enqueue = add;
      const stop = new AbortController();
      void follow(stop.signal);
      return () => {
        stop.abort();
        monitors.stop();
        ready.reject(new Error("the garbage collector was stopped"));
      };
    },
    all: () => graph.uids,
  };

  async function follow(stop: AbortSignal): Promise<void> {
    let wake = () => {};
    const undo = served.onChange(() => wake());
    stop.addEventListener("abort", () => wake(), { once: true });
    while (!stop.aborted) {
      const pause = new AbortController();
      wake = () => pause.abort();
      try {
        monitors.sync(await served.get({ maxAgeMs: 0 }));
        await firstSync(stop);
      } catch (error) {
        if (!stop.aborted) log.warn({ error: errorText(error) }, "cannot read which kinds are served");
      }
      await sleep(clock, resyncMs, pause.signal).catch(() => {});
    }
    undo();
  }

  async function firstSync(stop: AbortSignal): Promise<void> {
    if (isReady) return;
    const late = new AbortController();
    const timer = clock.setTimer(firstSyncMs, () => late.abort());
    await monitors.synced(AbortSignal.any([stop, late.signal])).catch(() => stop.throwIfAborted());
    timer.cancel();
    isReady = true;
    ready.resolve();
  }

  manager.addController({
    name: "garbage",
    watches: [everything],
    workers: 20,
    async reconcile(uid, { signal }) {
      // Until all is seen once, "no dependents" may mean "not seen yet".
      await ready.promise;
      const node = graph.get(uid);
      if (!node) return;
      if (isOrphaning(node.object)) return orphanDependents(node, signal);
      if (isDeletingDependents(node.object)) return endWhenAlone(node, signal);
      if (node.object.metadata.deletionTimestamp) return;
      reportElsewhere(node);
      if (ownersOf(node.object).every((owner) => isKnownAsSolid(owner, node))) return;
      return judge(node, signal);
    },
  });

  function isKnownAsSolid(reference: OwnerReference, dependent: Node): boolean {
    const owner = graph.get(reference.uid);
    return owner !== undefined && names(reference, dependent.object, owner) && !isDeletingDependents(owner.object);
  }

  function reportElsewhere({ object }: Node): void {
    for (const reference of ownersOf(object)) {
      const owner = graph.get(reference.uid);
      if (!owner || !isElsewhere(object, owner)) continue;
      const { apiVersion, kind, name, uid } = reference;
      const { namespace = "" } = object.metadata;
      const named = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
      const message = `ownerRef ${named} does not exist in namespace ${JSON.stringify(namespace)}`;
      recorder.event(object, "Warning", "OwnerRefInvalidNamespace", message);
    }
  }

  async function judge(node: Node, signal: AbortSignal): Promise<Result | undefined> {
    const live = await effects.read(node, signal);
    if (!live) return undefined;
    const { uid } = live.metadata;
    try {
      const kinds = await served.get({ maxAgeMs: resyncMs });
      const states = ownersOf(live).map(async (reference) => {
        return { reference, state: await owners.stateOf(reference, live, kinds, signal) };
      });
      const dependents = graph.dependentsOf(uid);
      const hasWaitingDependents = dependents.some(({ object }) => isDeletingDependents(object));
      const hasDependents = dependents.length > 0;
      const fate = decideFate({ object: live, owners: await Promise.all(states), hasDependents, hasWaitingDependents });
      if (fate.do === "unlink") await effects.unlink(node, live, fate.uids, signal);
      if (fate.do === "delete") {
        const current = fate.unblock ? await effects.unblock(node, live, signal) : live;
        await effects.remove(node, current, fate.policy, signal);
        return undefined;
      }
      return ownersOf(live).every((owner) => graph.get(owner.uid)) ? undefined : { requeueAfterMs: lookAgainMs };
    } catch (error) {
      if (error instanceof ImpossibleOwner) return undefined;
      if (error instanceof UnknownKind) return { requeueAfterMs: lookAgainMs };
      throw error;
    }
  }

  async function endWhenAlone(node: Node, signal: AbortSignal): Promise<undefined> {
    const blockers = graph.blockersOf(node.object.metadata.uid);
    for (const { object } of blockers) if (!isDeletingDependents(object)) enqueue(object.metadata.uid);
    if (blockers.length === 0) await effects.release(node, foreground, signal);
  }

  async function orphanDependents(node: Node, signal: AbortSignal): Promise<undefined> {
    const { uid } = node.object.metadata;
    await inParallel(graph.dependentsOf(uid), patchesAtOnce, async (dependent) => {
      const live = await effects.read(dependent, signal);
      if (live) await effects.unlink(dependent, live, [uid], signal);
    });
    await effects.release(node, orphan, signal);
  }
}
