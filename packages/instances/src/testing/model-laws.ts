/** What has to hold at every moment, whatever happens: checked on all that ever happened in a model cluster. */
import { jsonEqual, type KubeObject, parseTime, type Stored } from "@berg/apimachinery";
import { findCondition, isConditionTrue } from "@berg/kube";
import {
  type ChallengeInstance,
  type ChallengeInstanceStatus,
  finalizers,
  type InstancePhase,
  isEnding,
  labels,
  managedByBerg,
} from "@berg/resources";
import { conditionTypes, reasons } from "../vocabulary.ts";
import type { ModelRequest } from "./model-client.ts";
import type { ModelChange } from "./model-cluster.ts";

export interface Limits {
  /** How many instances may run at once; 0 for as many as want to. */
  instances: number;
  /** How many namespaces may go at once. */
  namespaces: number;
}

export function brokenLaws(
  changes: readonly ModelChange[],
  requests: readonly ModelRequest[],
  limits: Limits,
): string[] {
  return [
    ...withinLimit(changes, limits.instances || Number.POSITIVE_INFINITY),
    ...fewGo(changes, limits.namespaces),
    ...onlyOurs(changes, requests),
    ...oneHolder(changes),
    ...givenOnce(changes),
    ...policyBeforePods(changes),
    ...legalPhases(changes),
    ...consistentEnd(changes),
    ...othersSurvive(changes),
    ...heldFirst(changes),
  ];
}

const isInstance = (object: KubeObject): object is Stored<ChallengeInstance> => object.kind === "ChallengeInstance";

/** I1: nothing without our mark is changed or deleted, and nothing is deleted without naming its UID. */
function onlyOurs(changes: readonly ModelChange[], requests: readonly ModelRequest[]): string[] {
  const broken: string[] = [];
  for (const { by, type, object, old } of changes) {
    if (by !== "controller" || !old || isInstance(object)) continue;
    if (old.metadata.labels?.[labels.managedBy] !== managedByBerg)
      broken.push(`I1: ${type} a foreign ${nameOf(object)}`);
    if (type === "deleted" || object.metadata.deletionTimestamp) {
      const owner = instanceAt(changes, object, old.metadata.labels?.[labels.instanceUid] ?? "");
      if (!owner || (!isEnding(owner) && !isTakenBack(owner)))
        broken.push(`I1: deleted ${nameOf(object)} of an instance that lives`);
    }
  }
  for (const { verb, kind, name, uid } of requests) {
    if (verb === "delete" && uid === undefined) broken.push(`I1: a delete of ${kind} ${name} names no UID`);
  }
  return broken;
}

/**
 * I2: when all has come to rest, no namespace is there of an instance that has gone by our doing. One from which a hand
 * has taken our marks is not ours to remove.
 */
export function orphans(objects: readonly Stored<KubeObject>[], changes: readonly ModelChange[]): string[] {
  const gone = changes.filter(
    ({ type, by, object }) => type === "deleted" && by === "controller" && isInstance(object),
  );
  const uids = new Set(gone.map(({ object }) => object.metadata.uid));
  return objects.flatMap((object) => {
    const isOrphan = object.kind === "Namespace" && uids.has(object.metadata.labels?.[labels.instanceUid] ?? "");
    return isOrphan ? `I2: ${nameOf(object)} outlives its instance` : [];
  });
}

/** What the server has refused. One that is merely stuck loses nothing. */
function isTakenBack({ status }: ChallengeInstance): boolean {
  return status?.phase === "Failed" && !isConditionTrue(status.conditions, conditionTypes.namespaceCreated);
}

/** The instance as it was when the object got its version. */
function instanceAt(changes: readonly ModelChange[], { metadata }: Stored<KubeObject>, uid: string) {
  const until = changes.slice(0, Number(metadata.resourceVersion));
  return until.findLast(({ object }) => object.metadata.uid === uid)?.object as Stored<ChallengeInstance> | undefined;
}

const holding: ReadonlySet<InstancePhase | undefined> = new Set(["Creating", "Starting", "Running", "Failed"]);

/** Also one that is stuck. */
function holds(instance: ChallengeInstance): boolean {
  return holding.has(instance.status?.phase) && !isTakenBack(instance);
}

/** I3: an owner has one instance at a time; a namespace never changes hands. */
function oneHolder(changes: readonly ModelChange[]): string[] {
  const holders = new Map<string, Set<string>>();
  const broken: string[] = [];
  for (const { type, object, old } of changes) {
    if (object.kind === "Namespace" && old) {
      const [had, has] = [old, object].map(({ metadata }) => metadata.labels?.[labels.instanceUid]);
      if (had !== undefined && has !== undefined && had !== has) broken.push(`I3: ${nameOf(object)} changed hands`);
    }
    if (!isInstance(object)) continue;
    const ofOwner = holders.get(object.spec.ownerId) ?? new Set();
    holders.set(object.spec.ownerId, ofOwner);
    if (type !== "deleted" && holds(object)) ofOwner.add(object.metadata.name);
    else ofOwner.delete(object.metadata.name);
    if (ofOwner.size > 1) broken.push(`I3: ${[...ofOwner].join(" and ")} hold the owner's place at once`);
  }
  return broken;
}

/** No more run at once than may. One that ends has given its place away. */
function withinLimit(changes: readonly ModelChange[], limit: number): string[] {
  const holders = new Set<string>();
  const broken: string[] = [];
  for (const { type, object } of changes) {
    if (!isInstance(object)) continue;
    const { metadata } = object;
    if (type !== "deleted" && holds(object) && !isEnding(object)) holders.add(metadata.name);
    else holders.delete(metadata.name);
    if (holders.size > limit) broken.push(`${[...holders].join(" and ")} hold ${limit} places`);
  }
  return broken;
}

/**
 * No more namespaces go at once by our doing than may, but for those that an owner's next instance waits for, and those
 * that are stuck. A copy may still show a next instance that has ended since.
 */
function fewGo(changes: readonly ModelChange[], limit: number): string[] {
  const going = new Map<string, number>();
  const instancesOf = new Map<string, Set<string>>();
  const broken: string[] = [];
  for (const { type, by, object, old } of changes) {
    if (isInstance(object)) {
      const ofOwner = instancesOf.get(object.spec.ownerId) ?? new Set();
      instancesOf.set(object.spec.ownerId, ofOwner.add(object.metadata.uid));
    }
    if (object.kind !== "Namespace") continue;
    const { name, deletionTimestamp } = object.metadata;
    if (type === "deleted") going.delete(name);
    if (type === "deleted" || by !== "controller" || !deletionTimestamp || old?.metadata.deletionTimestamp) continue;
    const now = parseTime(deletionTimestamp);
    const others = [...going].filter(([, since]) => now - since < 60_000).map(([other]) => other);
    going.set(name, now);
    const isWaitedFor = (instancesOf.get(name.replace("challenge-", ""))?.size ?? 0) > 1;
    if (others.length >= limit && !isWaitedFor) broken.push(`${[...others, name].join(" and ")} go at once`);
  }
  return broken;
}

/** I4: the id and the start never change, and the end only with a word of why. */
function givenOnce(changes: readonly ModelChange[]): string[] {
  const broken: string[] = [];
  for (const { object, old } of changes) {
    if (!old || !isInstance(object) || !isInstance(old)) continue;
    const [had = {}, has = {}] = [old.status, object.status];
    for (const field of ["instanceId", "startedAt", "readyAt", "terminationReason"] as const) {
      if (had[field] !== undefined && had[field] !== has[field])
        broken.push(`I4: ${field} of ${nameOf(object)} changed`);
    }
    const isTold = has.history?.at(-1)?.expiresAt === has.expiresAt;
    if (had.startedAt && had.expiresAt !== has.expiresAt && !isTold)
      broken.push(`I4: expiresAt of ${nameOf(object)} changed`);
  }
  return broken;
}

/** I6: where the controller makes a Deployment, the network policy is there; only a hand may have taken it away. */
function policyBeforePods(changes: readonly ModelChange[]): string[] {
  const policies = new Set<string>();
  const broken: string[] = [];
  for (const { type, by, object } of changes) {
    const { namespace = "" } = object.metadata;
    if (object.kind === "NetworkPolicy" && type === "added") policies.add(namespace);
    if (object.kind === "NetworkPolicy" && type === "deleted" && by !== "hand") policies.delete(namespace);
    if (object.kind === "Deployment" && type === "added" && !policies.has(namespace)) {
      broken.push(`I6: ${nameOf(object)} was made before its network policy`);
    }
    if (object.kind === "Namespace" && by === "controller" && object.metadata.deletionTimestamp) {
      const left = aliveAt(changes, object).filter(({ kind, metadata }) => {
        const isForced = metadata.deletionGracePeriodSeconds === 0;
        return kind === "Pod" && metadata.namespace === object.metadata.name && !isForced;
      });
      if (left.length > 0) broken.push(`I6: ${nameOf(object)} was deleted before its pods`);
    }
  }
  return broken;
}

function aliveAt(changes: readonly ModelChange[], { metadata }: Stored<KubeObject>): Stored<KubeObject>[] {
  const alive = new Map<string, Stored<KubeObject>>();
  for (const { type, object } of changes.slice(0, Number(metadata.resourceVersion))) {
    if (type === "deleted") alive.delete(object.metadata.uid);
    else alive.set(object.metadata.uid, object);
  }
  return [...alive.values()];
}

// One status is written for all that was done before, so that a fast start skips phases.
const next: Record<InstancePhase, readonly InstancePhase[]> = {
  Pending: ["Creating", "Failed", "Terminating", "Terminated"],
  Creating: ["Pending", "Starting", "Running", "Failed", "Terminating", "Terminated"],
  Starting: ["Running", "Failed", "Terminating", "Terminated"],
  Running: ["Failed", "Terminating", "Terminated"],
  Failed: ["Pending", "Creating", "Starting", "Running", "Terminating", "Terminated"],
  Terminating: ["Terminated"],
  Terminated: [],
};

/** I7: phases go their way and no other. */
function legalPhases(changes: readonly ModelChange[]): string[] {
  return changes.flatMap(({ object, old }) => {
    if (!old || !isInstance(object) || !isInstance(old)) return [];
    const [from, to] = [old.status?.phase, object.status?.phase];
    if (from === undefined || from === to || (to !== undefined && next[from].includes(to))) return [];
    return `I7: ${nameOf(object)} went from ${from} to ${to}`;
  });
}

/** I11: the conditions of an instance that ends do not contradict each other. */
function consistentEnd(changes: readonly ModelChange[]): string[] {
  return changes.flatMap(({ object }) => {
    const { phase, services, conditions = [] } = isInstance(object) ? (object.status ?? {}) : {};
    const hasEnded = phase === "Terminated";
    if (phase !== "Terminating" && !hasEnded) return [];
    const broken = (text: string) => `I11: ${nameOf(object)} is ${phase}, but ${text}`;
    const stopped = [conditionTypes.podsReady, conditionTypes.healthy].filter(
      (type) => findCondition(conditions, type)?.reason !== reasons.terminating || isConditionTrue(conditions, type),
    );
    const there = conditions.filter(({ type, status }) => hasEnded && type.endsWith("Created") && status !== "False");
    return [
      ...(services === undefined ? [] : [broken("has services")]),
      ...stopped.map((type) => broken(`${type} is not False/Terminating`)),
      ...there.map(({ type, status }) => broken(`${type} is ${status}`)),
      ...(hasEnded && !isConditionTrue(conditions, conditionTypes.namespaceDeleted) ? [broken("is not deleted")] : []),
    ];
  });
}

const ours: ReadonlySet<string> = new Set(Object.values(conditionTypes));

/** What others write into the status stays as it is, and where it is. */
function othersSurvive(changes: readonly ModelChange[]): string[] {
  const broken: string[] = [];
  for (const { by, object, old } of changes) {
    if (by !== "controller" || !old || !isInstance(object) || !isInstance(old)) continue;
    const [had, has] = [old, object].map(({ status }) => status?.conditions ?? []) as [Conditions, Conditions];
    const foreign = (conditions: Conditions) => conditions.filter(({ type }) => !ours.has(type));
    if (!jsonEqual(foreign(had), foreign(has))) broken.push(`conditions of others changed in ${nameOf(object)}`);
    const order = (one: Conditions, other: Conditions) =>
      one.map(({ type }) => type).filter((type) => other.some((known) => known.type === type));
    if (!jsonEqual(order(had, has), order(has, had))) broken.push(`conditions changed places in ${nameOf(object)}`);
    if (!jsonEqual(old.status?.runtime, object.status?.runtime))
      broken.push(`the listener's record was lost in ${nameOf(object)}`);
  }
  return broken;
}

type Conditions = NonNullable<ChallengeInstanceStatus["conditions"]>;

/** Nothing is made for an instance that our finalizer has not held, and we remove it only when its last word is written. */
function heldFirst(changes: readonly ModelChange[]): string[] {
  const broken: string[] = [];
  for (const { type, by, object, old } of changes) {
    if (by !== "controller") continue;
    if (isInstance(object)) {
      const isLetGo = isHeld(old) && !isHeld(object);
      if (isLetGo && object.status?.phase !== "Terminated") broken.push(`${nameOf(object)} was let go unfinished`);
    } else if (type === "added" && object.metadata.labels?.[labels.instanceUid]) {
      const owner = instanceAt(changes, object, object.metadata.labels[labels.instanceUid] ?? "");
      if (!wasHeld(changes, owner)) broken.push(`${nameOf(object)} was made for an instance that was never held`);
      if (owner?.status?.instanceId === undefined)
        broken.push(`${nameOf(object)} was made before its instance had an id`);
    }
  }
  return broken;
}

/** Until a hand has taken our finalizer away, which no copy can show in time. */
function wasHeld(changes: readonly ModelChange[], owner: Stored<KubeObject> | undefined): boolean {
  const until = changes.slice(0, Number(owner?.metadata.resourceVersion ?? 0));
  return until.some(({ object }) => object.metadata.uid === owner?.metadata.uid && isHeld(object));
}

function isHeld(object: Stored<KubeObject> | undefined): boolean {
  return object?.metadata.finalizers?.includes(finalizers.controller) ?? false;
}

function nameOf({ kind, metadata }: Stored<KubeObject>): string {
  return `${kind} ${metadata.name}`;
}
