/** Stores another state of an object that is there: what PUT and every patch come to. Nothing here awaits but the disk. */
import { jsonEqual } from "@berg/apimachinery";
import type { AdmissionRequest } from "../admission/admission.ts";
import { invalid as invalidField } from "../errors/field-error.ts";
import { conflict, invalid, objectWasModified, refusal } from "../errors/refusals.ts";
import type { AnyStored } from "../storage/table.ts";
import { toServed, toStored } from "./conversion.ts";
import { isHeldBack } from "./endings.ts";
import { untilOnDisk } from "./freshness.ts";
import { countChange } from "./generation.ts";
import { keepApart } from "./keep-apart.ts";
import { dropRepeatedOwners, keepGeneration, keepSystemFields, placeInNamespace } from "./metadata.ts";
import { accompany, admit, check, keyOfPlace, momentOf, type Registry, subjectOf, tableOf } from "./registry.ts";
import type { AnyObject, AnyStoredObject, Moment, ServedResource } from "./resource.ts";
import { sentWriteOptions } from "./sent-options.ts";
import { validate } from "./validation.ts";
import type { Caller, Place, WriteOptions, Written } from "./verbs.ts";

export interface ChangedObject {
  place: Place;
  /** As it is stored. */
  stored: AnyStored;
  /** Decoded, defaulted, and with its managedFields. */
  draft: AnyObject;
  subresource: string;
  options: WriteOptions;
  caller: Caller;
}

export async function writeChanged(registry: Registry, changed: ChangedObject): Promise<Written> {
  const { place, stored, draft, subresource, options, caller } = changed;
  const { resource } = place;
  const moment = momentOf(registry);
  const old = toServed(resource, stored);
  const request = {
    verb: "update" as const,
    resource,
    subresource,
    namespace: resource.storedAs === "namespaces" ? place.name : place.namespace,
    name: place.name,
    user: caller.user,
    isDryRun: options.isDryRun,
    draft,
    old,
    options: sentWriteOptions("UpdateOptions", options),
    moment,
    warn: (text: string) => caller.warn(text),
  };
  admit(registry, request);
  dropRepeatedOwners(draft, caller, true);
  checkVersion(place, draft, old);
  placeInNamespace(draft, resource, place.namespace);
  prepare(resource, draft, old, subresource, moment);
  // A scale is another way to write the object itself.
  validate(resource, draft, old, subresource === "scale" ? "" : subresource, caller);
  check(registry, request);
  return store(registry, changed, request);
}

/** Whoever names a version means that one and no later. */
function checkVersion({ resource, name }: Place, { metadata }: AnyObject, old: AnyStoredObject): void {
  const sent = metadata.resourceVersion ?? "";
  if (!/^\d*$/.test(sent)) throw refusal(500, "", `strconv.ParseUint: parsing ${JSON.stringify(sent)}: invalid syntax`);
  const version = Number(sent);
  if (version === 0 && resource.strategy.needsVersion) {
    const problem = invalidField("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalid({ group: resource.group, kind: resource.resource, name }, [problem]);
  }
  if (version !== 0 && version !== Number(old.metadata.resourceVersion))
    throw conflict(subjectOf(resource, name), objectWasModified);
  metadata.resourceVersion = old.metadata.resourceVersion;
}

function prepare(
  resource: ServedResource,
  draft: AnyObject,
  old: AnyStoredObject,
  subresource: string,
  moment: Moment,
): void {
  const { strategy } = resource;
  keepApart(resource, draft, old, subresource);
  keepGeneration(draft, old);
  if (subresource === "status") strategy.prepareStatus?.(draft, old, moment);
  else if (subresource !== "finalize") strategy.prepare?.(draft, old, moment);
  keepSystemFields(draft, old);
  if (subresource !== "status") countChange(draft, old, resource);
}

async function store(
  registry: Registry,
  { place, stored, draft, options, caller }: ChangedObject,
  request: AdmissionRequest & { old: AnyStoredObject },
): Promise<Written> {
  const { resource, old } = request;
  const table = tableOf(registry, resource);
  const isOver = isLastUpdate(draft, old) && !isHeldBack(resource, draft);
  if (options.isDryRun) return { object: draft as AnyStoredObject, isNew: false };
  if (isOver) {
    await table.remove(keyOfPlace(place), stored);
    return { object: draft as AnyStoredObject, isNew: false };
  }
  const next = toStored(resource, draft);
  if (jsonEqual(next, stored)) {
    await untilOnDisk(registry, table, stored, caller.signal);
    return { object: old, isNew: false };
  }
  accompany(registry, request);
  return { object: toServed(resource, await table.put(next)), isNew: false };
}

/** Nothing holds it any more: with its last finalizer goes the object. */
function isLastUpdate({ metadata }: AnyObject, old: AnyStoredObject): boolean {
  if ((metadata.finalizers?.length ?? 0) > 0 || old.metadata.deletionTimestamp === undefined) return false;
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}
