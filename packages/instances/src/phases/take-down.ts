/**
 * Takes everything of an instance away: workloads first, then the namespace. In this order no pod outlives the network
 * policy that holds it. Workloads stop at once; the namespace waits for `NamespaceDeletionLimit`, unless the owner's next
 * instance waits for it.
 */
import type { KubeObject, Stored } from "@berg/apimachinery";
import { Deployments, isConditionTrue, type Namespace, Namespaces, type Pod, Pods, ReplicaSets } from "@berg/kube";
import { isEnding } from "@berg/resources";
import { isAnothers, isOurs } from "../builders/marks.ts";
import { deploymentsOf, onOurClock, type Snapshot } from "../observe/snapshot.ts";
import { conditionTypes } from "../vocabulary.ts";
import type { Effect, Life } from "./decision.ts";

/**
 * The garbage collector needs a tenth of a second where it has nothing else to do, and minutes where a thousand instances
 * end at once. After this, pods are deleted by us, with their usual time to end. Not sooner: where the whole cluster is
 * busy, both would do the same work, and each would be the later for it.
 */
const mayLingerMs = 1_000;
/** One that is younger may have been made for one that we deleted: where that cannot be helped, it goes on slowly. */
const mayBeNewMs = 2_000;
/** Within a second or two of its time a node has ended a pod, unless it is gone; until it is back the pod would stay. */
const mayHangMs = 30_000;
/** What is still there is held by somebody's finalizer. It must not keep the owner from the next instance for ever. */
const mayBeHeldMs = 60_000;

export interface TakeDown {
  effects: Effect[];
  /** Whether no container runs any more. */
  stopped: boolean;
  dueAt?: number;
  queuedSince?: number;
}

/** The namespace under the instance's name, where it is this instance's. */
export function ownNamespace({ namespace, instance }: Snapshot): Stored<Namespace> | undefined {
  return namespace && isOurs(namespace, instance.metadata.uid) ? namespace : undefined;
}

/**
 * The namespace that was this instance's, and from which somebody has taken our marks. What does not carry them is left
 * alone, but it is not gone either.
 */
export function disownedNamespace({ namespace, instance }: Snapshot): Stored<Namespace> | undefined {
  const wasMade = isConditionTrue(instance.status?.conditions, conditionTypes.namespaceCreated);
  if (!wasMade || !namespace) return undefined;
  return isOurs(namespace, instance.metadata.uid) || isAnothers(namespace, instance.metadata.uid)
    ? undefined
    : namespace;
}

/** Something that is waited for, and what is done where it is still there then. */
interface Wait {
  until: number;
  next?: Effect;
}

/** `since`: when it began, in ms since 1970. */
export function takeDown(seen: Snapshot, namespace: Stored<Namespace>, since: number): TakeDown {
  const deployments = deploymentsOf(seen);
  const running = deployments.filter(isUntold);
  if (running.length > 0) {
    return { effects: running.map((object) => ({ do: "delete", type: Deployments, object })), stopped: false };
  }
  const isGoing = namespace.metadata.deletionTimestamp !== undefined;
  // Where somebody's finalizer holds a Deployment and pods are still made for it, they end only with the namespace.
  const isHeldUp = deployments.some((held) => deletedAt(seen, held) + mayBeHeldMs <= seen.now);
  const pods = isGoing || isHeldUp ? seen.pods.filter(({ metadata }) => metadata.deletionTimestamp) : seen.pods;
  const waits: Wait[] = [
    ...deployments.map((held) => ({ until: deletedAt(seen, held) + mayLingerMs })),
    ...pods.map((pod) => waitFor(seen, pod)),
  ];
  const effects = waits.flatMap(({ until, next }) => (until <= seen.now && next ? [next] : []));
  if (effects.length > 0) return { effects, stopped: false };

  const ahead = waits.map(({ until }) => until).filter((until) => until > seen.now);
  const waiting = ahead.length > 0 ? { dueAt: Math.min(...ahead) } : undefined;
  if (isGoing) return { effects: [], stopped: true, ...waiting };
  if (waiting) return { effects: [], stopped: false, ...waiting };
  const isWaitedFor = seen.rivals.some((rival) => !isEnding(rival));
  const delayMs = isWaitedFor ? 0 : seen.namespaceDeletionDelayMs(since);
  if (delayMs > 0) return { effects: [], stopped: true, dueAt: seen.now + delayMs, queuedSince: since };
  return { effects: [{ do: "delete", type: Namespaces, object: namespace }], stopped: true };
}

/** Whether something runs that nobody has told to stop. */
export function runsOn(seen: Snapshot): boolean {
  return deploymentsOf(seen).some(isUntold) || seen.pods.some(isUntold);
}

function isUntold({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

/** By what this process saw and by the pod's own times: when the end began says nothing about what was done since. */
function waitFor(seen: Snapshot, pod: Stored<Pod>): Wait {
  const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined) {
    const known = seen.now - seen.stoppingMs;
    const until = Math.max(known + mayLingerMs, onOurClock(seen, creationTimestamp) + mayBeNewMs);
    return { until, next: { do: "delete", type: Pods, object: pod, after: makerOf(pod) } };
  }
  if (deletionGracePeriodSeconds === 0) return { until: deletedAt(seen, pod) + mayBeHeldMs };
  return { until: deletedAt(seen, pod) + mayHangMs, next: { do: "delete", type: Pods, object: pod, force: true } };
}

/** For a pod that is deleted, its ReplicaSet makes a new one, as long as the garbage collector has not come to it. */
function makerOf({ metadata: { namespace, ownerReferences } }: Stored<Pod>): Life | undefined {
  const maker = ownerReferences?.find(({ kind, controller }) => controller && kind === ReplicaSets.kind);
  return maker && { type: ReplicaSets, object: { metadata: { namespace, name: maker.name, uid: maker.uid } } };
}

function deletedAt(seen: Snapshot, { metadata }: Stored<KubeObject>): number {
  return onOurClock(seen, metadata.deletionTimestamp ?? "");
}
