/** PUT: another state of what is there; for some kinds also a new object. */
import { conflict, notFound } from "../errors/refusals.ts";
import { toServed } from "./conversion.ts";
import { storeDecoded, track } from "./create.ts";
import { decodeObject, fillIn } from "./decoding.ts";
import { checkName, dropRepeatedOwners, placeInNamespace } from "./metadata.ts";
import { isCustom, keyOfPlace, type Registry, subjectOf, tableOf } from "./registry.ts";
import type { AnyObject } from "./resource.ts";
import type { Body, Caller, Place, WriteOptions, Written } from "./verbs.ts";
import { writeChanged } from "./write-changed.ts";

export async function updateObject(
  registry: Registry,
  place: Place,
  subresource: string,
  body: Body,
  options: WriteOptions,
  caller: Caller,
): Promise<Written> {
  const { resource, namespace, name } = place;
  const draft = decodeObject(registry, resource, body, options, caller);
  placeInNamespace(draft, resource, namespace);
  checkName(draft, name);
  dropRepeatedOwners(draft, caller, false);

  const stored = tableOf(registry, resource).newest(keyOfPlace(place));
  if (!stored && (subresource !== "" || !resource.strategy.createsOnUpdate)) throw notFound(subjectOf(resource, name));
  checkUid(place, draft, stored?.metadata.uid ?? "");
  if (!stored) {
    caller.checkMayCreate?.();
    // A version of what is not there is nobody's.
    delete draft.metadata.resourceVersion;
    return storeDecoded(registry, resource, namespace, draft, options, caller);
  }
  fillIn(resource, draft);
  track(registry, resource, draft, toServed(resource, stored), subresource, options, caller);
  return writeChanged(registry, { place, stored, draft, subresource, options, caller });
}

/** Whoever names a uid means that object, and not another one of its name. */
export function checkUid(place: Place, { metadata }: AnyObject, uid: string): void {
  if (!metadata.uid || metadata.uid === uid) return;
  throw conflict(
    subjectOf(place.resource, place.name),
    `StorageError: invalid object, Code: 4, Key: ${storageKey(place)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`,
  );
}

/** Where etcd would hold it. Clients see it in this one text. */
function storageKey(place: Place): string {
  const { resource } = place;
  const folders: Record<string, string> = {
    nodes: "minions",
    services: "services/specs",
    endpoints: "services/endpoints",
  };
  const folder = resource.group === "" ? (folders[resource.resource] ?? resource.resource) : resource.resource;
  const hasGroup = isCustom(resource) || resource.group === "apiextensions.k8s.io";
  return `/registry/${hasGroup ? `${resource.group}/` : ""}${folder}/${keyOfPlace(place)}`;
}
