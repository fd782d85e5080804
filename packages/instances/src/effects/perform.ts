/** Does what was decided, and notes every write, so that the next look sees it before the copies do. */
import { isNotFound, type KubeObject, keyOf, type Stored } from "@berg/apimachinery";
import {
  addFinalizer,
  ControllerRevisions,
  deleteChild,
  ensureChild,
  Namespaces,
  Pods,
  removeFinalizer,
} from "@berg/kube";
import {
  type ChallengeInstance,
  ChallengeInstances,
  fieldManagers,
  finalizers,
  labels,
  managedByBerg,
} from "@berg/resources";
import type { Child } from "../builders/blueprint.ts";
import { isManagedByBerg, isOurs } from "../builders/marks.ts";
import { by } from "../observe/caches.ts";
import type { Surroundings } from "../observe/gather.ts";
import type { Effect } from "../phases/decision.ts";

const fieldManager = fieldManagers.controller;

/** What could not be done, and why. */
export class EffectFailure extends Error {
  readonly effect: Effect;
  /** `The Service web cannot be made` */
  readonly subject: string;

  constructor(effect: Effect, cause: unknown) {
    const [doing, done] = words[effect.do];
    super(`cannot ${doing} the ${objectOf(effect)}`, { cause });
    this.name = "EffectFailure";
    this.effect = effect;
    this.subject = `The ${objectOf(effect)} cannot be ${done}`;
  }
}

const words: Record<Effect["do"], [doing: string, done: string]> = {
  make: ["make", "made"],
  delete: ["delete", "deleted"],
  deleteInstance: ["delete", "deleted"],
  addFinalizer: ["add", "added"],
  removeFinalizer: ["remove", "removed"],
};

function objectOf(effect: Effect): string {
  switch (effect.do) {
    case "make":
      return `${effect.child.type.kind} ${effect.child.manifest.metadata.name}`;
    case "delete":
      return `${effect.type.kind} ${effect.object.metadata.name}`;
    case "deleteInstance":
      return ChallengeInstances.kind;
    default:
      return `finalizer ${finalizers.controller}`;
  }
}

/** All at once. Where several fail, all the others have been tried before the first failure is thrown. */
export async function performAll(
  effects: Effect[],
  instance: Stored<ChallengeInstance>,
  around: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const tries = effects.map((effect) =>
    perform(effect, instance, around, signal).catch((error) => {
      throw new EffectFailure(effect, error);
    }),
  );
  for (const end of await Promise.allSettled(tries)) if (end.status === "rejected") throw end.reason;
}

async function perform(
  effect: Effect,
  instance: Stored<ChallengeInstance>,
  around: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { client, caches } = around;
  const { view } = caches.instances;
  switch (effect.do) {
    case "addFinalizer":
      view.wrote(await addFinalizer(client, ChallengeInstances, instance, finalizers.controller, { signal }));
      return;
    case "removeFinalizer":
      return release(instance, around, signal);
    case "deleteInstance":
      return end(instance, around, signal);
    case "make":
      return make(effect.child, effect.found, instance, around, signal);
    case "delete":
      return remove(effect, instance, around, signal);
  }
}

/** With the version that was seen: a renewal, or a finalizer that is no longer there, is looked at first. */
async function end({ metadata }: Stored<ChallengeInstance>, around: Surroundings, signal: AbortSignal): Promise<void> {
  const { namespace = "", name, uid, resourceVersion } = metadata;
  const preconditions = { uid, resourceVersion };
  try {
    await around.client.delete(ChallengeInstances, namespace, name, { preconditions, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  around.caches.instances.view.deleted(uid);
}

/** Noted before it is done: its end may be seen before the answer comes, and what is noted later nobody would forget. */
async function release(instance: Stored<ChallengeInstance>, around: Surroundings, signal: AbortSignal): Promise<void> {
  const { client, released } = around;
  released.add(instance.metadata.uid);
  try {
    await removeFinalizer(client, ChallengeInstances, instance, finalizers.controller, { signal });
  } catch (error) {
    released.delete(instance.metadata.uid);
    throw error;
  }
}

async function make(
  child: Child,
  found: Stored<KubeObject> | undefined,
  { metadata }: Stored<ChallengeInstance>,
  around: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { client, making, settled, namespaceVisibility } = around;
  // What is recorded is shared by all instances that run the same.
  const isShared = child.type === ControllerRevisions;
  const isMine = (object: KubeObject) => (isShared ? isManagedByBerg(object) : isOurs(object, metadata.uid));
  const options = { fieldManager, isOurs: isMine, found, signal };
  const made = await making.run(() => ensureChild(client, child, options), signal);
  const isNewNamespace = child.type === Namespaces && !found;
  if (isNewNamespace) forgetInside(metadata.uid, around);
  settled.wrote(child.manifest, made);
  around.caches.written.get(child.type.kind)?.wrote(made);
  if (isNewNamespace) await namespaceVisibility.waitFor(made);
}

/**
 * A namespace that was made anew is empty. A copy that is behind still shows what went with the last one of this name:
 * pods would be started without their network policy.
 */
function forgetInside(uid: string, { caches }: Surroundings): void {
  for (const view of [caches.pods.view, ...[...caches.children.values()].map(({ view }) => view)]) {
    for (const { metadata } of view.byIndex(by.instance, uid)) view.gone(metadata.uid);
  }
}

async function remove(
  { type, object, force = false, after }: Extract<Effect, { do: "delete" }>,
  instance: Stored<ChallengeInstance>,
  around: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  if (type === Namespaces) {
    if (!(await isStillOurs(object, instance, around, signal))) return;
    if (await hasUnseenPods(object, instance, around, signal)) return;
  }
  const gracePeriodSeconds = force ? 0 : undefined;
  try {
    if (after) await deleteChild(around.client, after.type, after.object, { propagationPolicy: "Background", signal });
  } finally {
    await deleteChild(around.client, type, object, { gracePeriodSeconds, propagationPolicy: "Background", signal });
    around.caches.written.get(type.kind)?.deleted(object.metadata.uid, force);
  }
}

/**
 * Whether pods of the instance are in its namespace that the cache does not show yet. They are added to the view, and the
 * next round waits for them: their network policy would be deleted with the namespace while they run.
 */
async function hasUnseenPods(
  { metadata: { name: namespace } }: Stored<KubeObject>,
  instance: Stored<ChallengeInstance>,
  { client, caches }: Surroundings,
  signal: AbortSignal,
): Promise<boolean> {
  const labelSelector = `${labels.managedBy}=${managedByBerg},${labels.instanceUid}=${instance.metadata.uid}`;
  const { items } = await client.listAll(Pods, { namespace, labelSelector, signal });
  const { view } = caches.pods;
  const unseen = items.filter((pod) => view.get(keyOf(pod))?.metadata.uid !== pod.metadata.uid);
  for (const pod of unseen) view.wrote(pod);
  return unseen.length > 0;
}

/** The server is asked once more before the one deletion that takes everything with it. */
async function isStillOurs(
  namespace: Stored<KubeObject>,
  instance: Stored<ChallengeInstance>,
  { client, caches }: Surroundings,
  signal: AbortSignal,
): Promise<boolean> {
  const { view } = caches.namespaces;
  const { uid, name } = namespace.metadata;
  try {
    const found = await client.get(Namespaces, "", name, { signal });
    if (found.metadata.uid === uid && isOurs(found, instance.metadata.uid)) return true;
    // The copy is behind: without this, the next look would find the same and ask the same again.
    view.wrote(found);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    view.deleted(uid);
  }
  return false;
}
