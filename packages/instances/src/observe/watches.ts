/** Which changes ask for a look at which instances. */
import { jsonEqual, type KubeObject, keyOf, type ObjectKey, type Stored } from "@berg/apimachinery";
import {
  type Change,
  type Enqueue,
  type Informer,
  type OptionalInformer,
  type Watch,
  watchMapped,
  watchOwned,
} from "@berg/kube";
import { type ChallengeInstance, isEnding, labels } from "@berg/resources";
import { ownerOfNamespace } from "../builders/names.ts";
import { reasons } from "../vocabulary.ts";
import { by, type Caches, type ChildSource } from "./caches.ts";
import type { CapacityLimit } from "./capacity-limit.ts";
import type { NamespaceDeletionLimit } from "./namespace-deletion-limit.ts";
import type { StopTracker } from "./stop-tracker.ts";

/** An end goes before everything else. */
export const endingPriority = 10;
/** Leisurely: what holds up those who start, such as a webhook, must not hold up what becomes of all others. */
const startingPriority = -1;
/** Behind those that have begun, or on a busy day all would begin, and none come to run. */
const notBegunPriority = -5;

export function watchesOf(
  caches: Caches,
  capacity: CapacityLimit,
  namespaceDeletions: NamespaceDeletionLimit,
  stopping: StopTracker,
): Watch[] {
  const { instances, challenges, revisions, pods, children, pullSecret } = caches;
  const owners = instances.informer;
  const all = () => owners.list().map(keyOf);
  const watches = [
    watchInstances(caches, capacity, namespaceDeletions),
    watchMapped(challenges.informer, (challenge) => instances.view.byIndex(by.challenge, keyOf(challenge)).map(keyOf)),
    watchMapped(revisions.informer, (revision) => instances.view.byIndex(by.revision, keyOf(revision)).map(keyOf)),
    watchNamespaces(caches, namespaceDeletions),
    watchOwned(pods.informer, owners, labels.instanceUid),
    ...[...children.values()].map(({ source }) => watchChildren(source, caches)),
    ...[...children.values()].flatMap(({ source }) => ("onServed" in source ? [watchKind(source, caches)] : [])),
    ...(pullSecret ? [watchMapped(pullSecret.informer, all)] : []),
  ];
  return watches.map((watch) => withPriorities(watch, (key) => priorityOf(key, caches, stopping)));
}

/** How urgent a look is depends on the instance, whatever asks for it. */
function withPriorities(watch: Watch, priorityOf: (key: ObjectKey) => number): Watch {
  return {
    get informers() {
      return watch.informers;
    },
    start: (enqueue) => watch.start((key, options) => enqueue(key, options ?? { priority: priorityOf(key) })),
    all: () => watch.all(),
  };
}

function priorityOf(key: ObjectKey, { instances }: Caches, stopping: StopTracker): number {
  // That a workload has stopped must not wait behind those who make way until it has.
  if (stopping.isRecent(key)) return endingPriority;
  const instance = instances.view.get(key);
  if (!instance || isEnding(instance)) return 0;
  const { phase = "Pending" } = instance.status ?? {};
  if (phase === "Pending") return notBegunPriority;
  return phase === "Creating" ? startingPriority : 0;
}

/** The controllers of Kubernetes write to children all the time: what says nothing to us asks for no look. */
function watchChildren(source: ChildSource, { instances }: Caches): Watch {
  const keysOf = ({ metadata }: KubeObject) => {
    const uid = metadata.labels?.[labels.instanceUid];
    return uid === undefined ? [] : instances.view.byIndex(by.uid, uid).map(keyOf);
  };
  const watch = watchMapped<KubeObject>(source, keysOf);
  return {
    get informers() {
      return [...watch.informers, instances.informer];
    },
    start: (enqueue) =>
      source.onChange((change: Change<KubeObject>) => {
        if (change.type === "updated" && isEcho(change.old, change.object)) return;
        const keys =
          change.type === "updated" ? [...keysOf(change.old), ...keysOf(change.object)] : keysOf(change.object);
        for (const key of keys) enqueue(key);
      }),
    all: () => [],
  };
}

/** Those who were told that a kind is missing, when it no longer is. */
function watchKind(kind: OptionalInformer<KubeObject>, { instances }: Caches): Watch {
  const isTold = ({ status }: ChallengeInstance) =>
    status?.conditions?.some(({ reason }) => reason === reasons.kindMissing) ?? false;
  return {
    informers: [instances.informer],
    start: (enqueue) =>
      kind.onServed(() => {
        for (const instance of instances.view.list()) if (isTold(instance)) enqueue(keyOf(instance));
      }),
    all: () => [],
  };
}

/** Whether nothing differs but the version: the copies keep of a status only what somebody reads. */
function isEcho(old: Stored<KubeObject>, object: Stored<KubeObject>): boolean {
  const { resourceVersion } = old.metadata;
  return jsonEqual(old, { ...object, metadata: { ...object.metadata, resourceVersion } });
}

function ofOwner({ instances }: Caches, ownerId: string | undefined): ObjectKey[] {
  return ownerId === undefined ? [] : instances.view.byIndex(by.owner, ownerId).map(keyOf);
}

/** The owner's instances, of which the next may wait for this namespace; and those whose namespaces may be deleted now. */
function watchNamespaces(caches: Caches, namespaceDeletions: NamespaceDeletionLimit): Watch {
  const { informer } = caches.namespaces;
  const watch = watchMapped(informer, ({ metadata }) => ofOwner(caches, ownerOfNamespace(metadata.name)));
  return {
    ...watch,
    start(enqueue) {
      const forget = informer.onChange(({ object }) => {
        namespaceDeletions.namespaceChanged(object.metadata.name);
        for (const key of namespaceDeletions.admissible()) enqueue(key, { priority: endingPriority });
      });
      const stop = watch.start(enqueue);
      return () => {
        stop();
        forget();
      };
    },
  };
}

/** The instance itself, those whose namespaces may be deleted now, and where its state changes, those it may unblock. */
function watchInstances(caches: Caches, capacity: CapacityLimit, namespaceDeletions: NamespaceDeletionLimit): Watch {
  const { informer } = caches.instances;
  const onChange = (change: Change<ChallengeInstance>, enqueue: Enqueue) => {
    const { object } = change;
    capacity.instanceChanged(keyOf(object));
    namespaceDeletions.instanceChanged(keyOf(object));
    enqueue(keyOf(object), isEnding(object) ? { priority: endingPriority } : undefined);
    for (const key of namespaceDeletions.admissible()) enqueue(key, { priority: endingPriority });
    if (change.type === "updated" && !isElsewhere(change.old, object)) return;
    for (const key of ofOwner(caches, object.spec.ownerId)) if (key !== keyOf(object)) enqueue(key);
    if (change.type !== "added") for (const key of capacity.admissible()) enqueue(key);
  };
  return {
    informers: [informer],
    start: (enqueue) => informer.onChange((change) => onChange(change, enqueue)),
    all: () => informer.list().map(keyOf),
  };
}

/** In a way that matters to those who wait. */
function isElsewhere(old: Stored<ChallengeInstance>, object: Stored<ChallengeInstance>): boolean {
  return (
    isEnding(old) !== isEnding(object) ||
    old.status?.phase !== object.status?.phase ||
    old.status?.reason !== object.status?.reason
  );
}

/** What was remembered of a child goes with it. */
export function onGone(
  informers: Iterable<Pick<Informer<KubeObject>, "onChange">>,
  forget: (uid: string) => void,
): void {
  for (const informer of informers) {
    informer.onChange((change) => {
      if (change.type === "deleted") forget(change.object.metadata.uid);
    });
  }
}
