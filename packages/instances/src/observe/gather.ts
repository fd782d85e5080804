/** Looks at everything that concerns one instance. In memory, but for what must not be decided on a copy. */
import {
  isNotFound,
  type KubeObject,
  makeKey,
  type ObjectKey,
  type ResourceType,
  type Stored,
  splitKey,
} from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  type FewAtOnce,
  isConditionTrue,
  type Namespace,
  Namespaces,
  type Random,
  type SettledChildren,
} from "@berg/kube";
import {
  type Challenge,
  type ChallengeInstance,
  Challenges,
  finalizers,
  isEnding,
  newInstanceId,
  readStoredChallenge,
  type StoredChallenge,
} from "@berg/resources";
import { isOurs } from "../builders/marks.ts";
import { instanceNamespaceName } from "../builders/names.ts";
import { isExpired } from "../expiry/due.ts";
import type { Settings } from "../settings/settings.ts";
import { conditionTypes, reasons } from "../vocabulary.ts";
import type { CacheVisibility } from "./cache-visibility.ts";
import { by, type Caches, challengeKey } from "./caches.ts";
import type { CapacityLimit } from "./capacity-limit.ts";
import { neededKinds } from "./kinds.ts";
import type { NamespaceDeletionLimit } from "./namespace-deletion-limit.ts";
import { recorded } from "./record.ts";
import { childKey, type Snapshot } from "./snapshot.ts";
import type { StopTracker } from "./stop-tracker.ts";

export interface Surroundings {
  client: Client;
  caches: Caches;
  capacity: CapacityLimit;
  namespaceDeletions: NamespaceDeletionLimit;
  stopping: StopTracker;
  /** Objects that are being made. */
  making: FewAtOnce;
  /** To wait for a new namespace to be in the cache. */
  namespaceVisibility: Pick<CacheVisibility<Namespace>, "waitFor">;
  settled: SettledChildren;
  /** UIDs of instances whose finalizer we have removed: nothing is left to do, though the copy may still show them. */
  released: Set<string>;
  settings: Settings;
  /** By which instances end: ours, exact to the moment. */
  clock: Clock;
  /** For the times that the API server wrote. */
  serverClock: Clock;
  random: Random;
}

/** What had to be asked for, beside what the copies show. */
export interface Asked {
  /** Undefined where there was nothing to ask. */
  namespace: { found: Stored<Namespace> | undefined } | undefined;
}

/**
 * What keeps one kind or the Challenge from being found must not keep an instance from ending: it needs neither.
 * `isBeginning`: nothing was made so far, so that whoever makes the namespace finds out whether its name is free.
 */
export async function ask(
  key: ObjectKey,
  around: Surroundings,
  isBeginning: boolean,
  signal: AbortSignal,
): Promise<Asked> {
  const instance = around.caches.instances.view.get(key);
  if (!instance) return { namespace: undefined };
  const ends = mustEnd(instance, around.clock.now());
  if (!ends) {
    await askForChallenge(instance, around, signal);
    await lookForKinds(instance, around, signal);
  }
  return { namespace: isBeginning ? undefined : await askForNamespace(instance, ends, around, signal) };
}

/**
 * Undefined where the instance is gone. Not async, and so is everything from here to the first write: what is seen was
 * so at one moment, and nobody else takes the place that was free at that moment.
 */
export function gather(key: ObjectKey, asked: Asked, around: Surroundings): Snapshot | undefined {
  const { caches, capacity, namespaceDeletions, stopping, settled, clock, serverClock, random } = around;
  const instance = caches.instances.view.get(key);
  if (!instance || around.released.has(instance.metadata.uid)) return undefined;
  const { uid } = instance.metadata;
  const now = clock.now();
  // An instance that ends needs no Challenge, so that nothing in a Challenge can keep it from ending.
  const read = mustEnd(instance, now) ? undefined : challengeOf(instance, around);
  return Object.freeze({
    now,
    serverNow: serverClock.now(),
    instance,
    freshId: newInstanceId(now, random),
    challenge: read?.challenge,
    challengeErrors: read?.errors ?? [],
    revision: revisionOf(instance, caches),
    rivals: rivalsOf(instance, caches),
    hasCapacity: () => capacity.admits(instance),
    stoppingMs: stopping.elapsedMs(key),
    namespaceDeletionDelayMs: (since) => namespaceDeletions.delayMs(instance, since),
    namespace: asked.namespace
      ? asked.namespace.found
      : caches.namespaces.view.get(instanceNamespaceName(instance.spec.ownerId)),
    children: childrenOf(instance, caches),
    pods: caches.pods.view.byIndex(by.instance, uid).filter((pod) => isInside(pod, instance)),
    pullSecret: caches.pullSecret?.informer.get(caches.pullSecret.key),
    pullSecretNamespace: splitKey(caches.pullSecret?.key ?? "").namespace,
    kinds: servedKinds(caches),
    isAsWanted: ({ manifest }, found) => settled.has(manifest, found),
    wasAsWanted: (found) => settled.had(found),
  } satisfies Snapshot);
}

function mustEnd(instance: Stored<ChallengeInstance>, now: number): boolean {
  return isEnding(instance) || isExpired(instance.status ?? {}, now);
}

function challengeOf(
  instance: Stored<ChallengeInstance>,
  { caches, settings }: Pick<Surroundings, "caches" | "settings">,
): StoredChallenge | undefined {
  const stored = caches.challenges.view.get(challengeKey(instance, settings));
  if (!stored) return undefined;
  const known = readChallenges.get(stored);
  if (known) return known;
  const read = readStoredChallenge(stored);
  if (Object.isFrozen(stored)) readChallenges.set(stored, read);
  return read;
}

/** By the object in the cache, which never changes: each version of a Challenge is read once for all its instances. */
const readChallenges = new WeakMap<Stored<Challenge>, StoredChallenge>();

/**
 * Who applies both in one file must not be told that the Challenge is missing because the copy has the instance first.
 * Asked once: afterwards the copy tells.
 */
async function askForChallenge(
  instance: Stored<ChallengeInstance>,
  { client, caches, settings }: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const key = challengeKey(instance, settings);
  const isHeld = instance.metadata.finalizers?.includes(finalizers.controller) ?? false;
  if (!isHeld || instance.status?.instanceId !== undefined || caches.challenges.view.get(key)) return;
  const { namespace, name } = splitKey(key);
  const found = await orUndefined(client.get(Challenges, namespace, name, { signal }));
  if (found) caches.challenges.view.wrote(found);
}

/** Kinds that were not there may have been installed since; only what this instance needs is asked for. */
async function lookForKinds(
  instance: Stored<ChallengeInstance>,
  around: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { caches, settings } = around;
  const revision = revisionOf(instance, caches);
  const { workload, settings: build } = recorded(revision) ?? {
    workload: challengeOf(instance, around)?.challenge.spec ?? { containers: [] },
    settings: settings.build,
  };
  for (const kind of neededKinds(workload, build)) {
    const { source } = caches.children.get(kind) ?? {};
    if (source && "look" in source) await source.look(signal);
  }
}

/**
 * The namespace is asked for where something hangs on it and the copy does not have it as ours: whether one that is not
 * ours is in the way, and whether one that was ours is really gone. A copy that lags behind would say the wrong thing.
 */
async function askForNamespace(
  instance: Stored<ChallengeInstance>,
  ends: boolean,
  { client, caches }: Surroundings,
  signal: AbortSignal,
): Promise<Asked["namespace"]> {
  const { status } = instance;
  if (!status || status.phase === "Terminated") return undefined;
  const name = instanceNamespaceName(instance.spec.ownerId);
  const known = caches.namespaces.view.get(name);
  const isExpected = isConditionTrue(status.conditions, conditionTypes.namespaceCreated);
  // What was refused has been taken away again, and nothing is made until something else is wanted.
  const isNeverMade = !status.revision || (status.reason === reasons.manifestRefused && !ends);
  const isClear = known ? !isExpected || isOurs(known, instance.metadata.uid) : !isExpected && isNeverMade;
  if (isClear) return undefined;
  return { found: await orUndefined(client.get(Namespaces, "", name, { signal })) };
}

async function orUndefined<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function revisionOf({ metadata, status }: Stored<ChallengeInstance>, { revisions }: Caches) {
  return status?.revision === undefined ? undefined : revisions.view.get(makeKey(metadata.namespace, status.revision));
}

function rivalsOf(instance: Stored<ChallengeInstance>, { instances }: Caches): Stored<ChallengeInstance>[] {
  return instances.view
    .byIndex(by.owner, instance.spec.ownerId)
    .filter(({ metadata, status }) => metadata.uid !== instance.metadata.uid && status?.phase !== "Terminated");
}

function childrenOf(instance: Stored<ChallengeInstance>, { children }: Caches): Map<string, Stored<KubeObject>> {
  const found = new Map<string, Stored<KubeObject>>();
  for (const [kind, { view }] of children) {
    for (const object of view.byIndex(by.instance, instance.metadata.uid)) {
      if (isInside(object, instance)) found.set(childKey(kind, object.metadata.name), object);
    }
  }
  return found;
}

/** Whoever copies our labels to an object elsewhere does not make it ours. */
function isInside(object: KubeObject, instance: ChallengeInstance): boolean {
  return object.metadata.namespace === instanceNamespaceName(instance.spec.ownerId);
}

function servedKinds({ children }: Caches): Map<string, ResourceType> {
  const served = new Map<string, ResourceType>();
  for (const [kind, { source }] of children) {
    const type = "type" in source ? source.type : source.informer?.type;
    if (type) served.set(kind, type);
  }
  return served;
}
