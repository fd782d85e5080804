/** DELETE: at once, or by a mark that finalizers and grace periods leave on the object until it may go. */
import { formatTime, jsonEqual, parseTime, type Status } from "@berg/apimachinery";
import { conflict, notFound } from "../errors/refusals.ts";
import type { AnyStored } from "../storage/table.ts";
import { toServed, toStored } from "./conversion.ts";
import { answersWithLastState, endingOf } from "./endings.ts";
import { untilOnDisk } from "./freshness.ts";
import { type Grace, graceOf } from "./grace.ts";
import { draftOf } from "./json.ts";
import { finalizersOfDeletion } from "./propagation.ts";
import { admit, check, keyOfPlace, momentOf, type Registry, subjectOf, tableOf } from "./registry.ts";
import type { AnyObject, AnyStoredObject } from "./resource.ts";
import { sentDeleteOptions } from "./sent-options.ts";
import type { Caller, Deleted, DeleteOptions, Place } from "./verbs.ts";

export async function deleteObject(
  registry: Registry,
  place: Place,
  options: DeleteOptions,
  caller: Caller,
  isOneOfMany = false,
): Promise<Deleted> {
  const { resource, name } = place;
  const moment = momentOf(registry);
  const stored = tableOf(registry, resource).newest(keyOfPlace(place));
  if (!stored) throw notFound(subjectOf(resource, name));
  const object = toServed(resource, stored);
  checkPreconditions(place, object, options);

  const ending = endingOf(resource);
  const isMarked = object.metadata.deletionTimestamp !== undefined;
  if (ending && isMarked && ending.isHeld(object)) return unchanged(registry, place, stored, caller);
  const grace = ending && !isMarked ? none : graceOf(object, resource, options.gracePeriodSeconds, moment.now);
  if (grace.kind === "pending") return unchanged(registry, place, stored, caller);
  const request = {
    verb: "delete" as const,
    resource,
    subresource: "",
    namespace: resource.storedAs === "namespaces" ? name : place.namespace,
    name,
    user: caller.user,
    isDryRun: options.isDryRun,
    draft: undefined,
    old: object,
    options: sentDeleteOptions(options),
    moment,
    warn: (text: string) => caller.warn(text),
  };
  admit(registry, request);
  // Whoever deletes many names none of them.
  check(registry, isOneOfMany ? { ...request, name: "" } : request);

  const draft = draftOf(object) as AnyObject;
  const finalizers = finalizersOfDeletion(object, resource, options.propagationPolicy);
  if (finalizers.length === 0) delete draft.metadata.finalizers;
  else draft.metadata.finalizers = [...finalizers];
  if (ending && !isMarked) {
    draft.metadata.deletionTimestamp = formatTime(moment.now);
    ending.begin(draft, formatTime(moment.now));
    return mark(registry, place, draft, options, caller);
  }
  if (grace.kind === "graceful") return endGracefully(registry, place, draft, grace, options, caller);
  if (finalizers.length === 0) return remove(registry, place, stored, options);
  markAsEnding(draft, moment.now);
  return mark(registry, place, draft, options, caller);
}

const none: Grace = { kind: "none" };

function checkPreconditions({ resource, name }: Place, { metadata }: AnyStoredObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options;
  const isOtherUid = uid !== undefined && uid !== metadata.uid;
  const isOtherVersion = resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion;
  if (!isOtherUid && !isOtherVersion) return;
  const [what, wanted, is] = isOtherUid
    ? ["UID", uid, metadata.uid]
    : ["ResourceVersion", resourceVersion, metadata.resourceVersion];
  if (endingOf(resource)) {
    const why = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${is}`;
    throw conflict(subjectOf(resource, name), why);
  }
  const fate = isOtherUid ? "deleted and then recreated" : "modified";
  const why = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${is}). The object might have been ${fate}`;
  // Here, and only here, Kubernetes names the kind instead of the resource.
  throw conflict({ group: resource.group, resource: resource.kind, name }, why);
}

async function endGracefully(
  registry: Registry,
  place: Place,
  draft: AnyObject,
  grace: Extract<Grace, { kind: "graceful" }>,
  options: DeleteOptions,
  caller: Caller,
): Promise<Deleted> {
  const { metadata } = draft;
  metadata.deletionTimestamp = grace.at;
  metadata.deletionGracePeriodSeconds = grace.seconds;
  if (grace.isFirst) countEnding(metadata);
  const isLast = grace.seconds === 0 && (metadata.finalizers?.length ?? 0) === 0;
  if (options.isDryRun || !isLast) return mark(registry, place, draft, options, caller, isLast);
  // Two writes, so that whoever watches sees it marked before it is gone; both are made before anything can come between.
  const table = tableOf(registry, place.resource);
  const marked = table.put(toStored(place.resource, draft));
  const key = keyOfPlace(place);
  const removed = table.remove(key, table.newest(key) as AnyStored);
  const [, last] = await Promise.all([marked, removed]);
  return answer(place, toServed(place.resource, last), true);
}

/** Waits for nothing but its finalizers. */
function markAsEnding({ metadata }: AnyObject, now: number): void {
  if (metadata.deletionTimestamp === undefined) countEnding(metadata);
  if (metadata.deletionTimestamp === undefined || parseTime(metadata.deletionTimestamp) > now)
    metadata.deletionTimestamp = formatTime(now);
  metadata.deletionGracePeriodSeconds = 0;
}

/** Whoever looks after it wants something else from now on. */
function countEnding(metadata: AnyObject["metadata"]): void {
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
}

async function mark(
  registry: Registry,
  place: Place,
  draft: AnyObject,
  { isDryRun }: DeleteOptions,
  caller: Caller,
  isGone = false,
): Promise<Deleted> {
  if (isDryRun) return answer(place, draft as AnyStoredObject, isGone);
  const table = tableOf(registry, place.resource);
  const before = table.newest(keyOfPlace(place)) as AnyStored;
  const next = toStored(place.resource, draft);
  if (!jsonEqual(next, before)) return answer(place, toServed(place.resource, await table.put(next)), isGone);
  return unchanged(registry, place, before, caller);
}

async function unchanged(registry: Registry, place: Place, stored: AnyStored, caller: Caller): Promise<Deleted> {
  await untilOnDisk(registry, tableOf(registry, place.resource), stored, caller.signal);
  return answer(place, toServed(place.resource, stored), false);
}

async function remove(
  registry: Registry,
  place: Place,
  stored: AnyStored,
  { isDryRun }: DeleteOptions,
): Promise<Deleted> {
  const last = isDryRun ? stored : await tableOf(registry, place.resource).remove(keyOfPlace(place), stored);
  return answer(place, toServed(place.resource, last), true);
}

function answer({ resource }: Place, object: AnyStoredObject, isGone: boolean): Deleted {
  const isStatus = isGone && !answersWithLastState(resource);
  return { object, isGone, answer: isStatus ? successOf(resource, object) : object };
}

function successOf({ group, resource }: Place["resource"], { metadata }: AnyStoredObject): Status {
  const { name, uid } = metadata;
  const details = { name, ...(group && { group }), kind: resource, uid };
  return { apiVersion: "v1", kind: "Status", metadata: {}, status: "Success", details } as unknown as Status;
}
