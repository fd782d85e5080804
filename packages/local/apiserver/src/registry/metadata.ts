/** What the server itself says in `metadata`, and what of it a client may not say. */
import { formatTime, type OwnerReference } from "@berg/apimachinery";
import { badRequest } from "../errors/refusals.ts";
import { sortedJson } from "./json.ts";
import { newUid } from "./names.ts";
import type { AnyObject, AnyStoredObject, Moment, ServedResource } from "./resource.ts";
import type { Caller } from "./verbs.ts";

/** The namespace of the URL holds; the body may repeat it. */
export function placeInNamespace(draft: AnyObject, resource: ServedResource, namespace: string): void {
  const { metadata } = draft;
  if (!resource.namespaced) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace && metadata.namespace !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  metadata.namespace = namespace;
}

export function checkName({ metadata }: AnyObject, name: string): void {
  if (!metadata.name)
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (metadata.name !== name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
}

/** What a client may send, and the server decides all the same. */
export function dropSystemFields({ metadata }: AnyObject): void {
  delete (metadata as { selfLink?: string }).selfLink;
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
}

export function fillSystemFields({ metadata }: AnyObject, moment: Moment): void {
  metadata.uid = newUid(moment.random);
  metadata.creationTimestamp = formatTime(moment.now);
}

/** What an update leaves as it was, whatever it says. What it may not change, but says, validation finds. */
export function keepSystemFields({ metadata }: AnyObject, old: AnyStoredObject): void {
  metadata.uid ||= old.metadata.uid;
  metadata.creationTimestamp = old.metadata.creationTimestamp;
  if (old.metadata.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.metadata.deletionTimestamp;
  metadata.deletionGracePeriodSeconds ??= old.metadata.deletionGracePeriodSeconds as number;
  if (metadata.deletionGracePeriodSeconds === undefined) delete metadata.deletionGracePeriodSeconds;
}

export function keepGeneration({ metadata }: AnyObject, old: AnyStoredObject): void {
  if (old.metadata.generation === undefined) delete metadata.generation;
  else metadata.generation = old.metadata.generation;
}

/** Removes repeated owner references, since the garbage collector counts them. Linear: a client may send thousands. */
export function dropRepeatedOwners({ metadata }: AnyObject, caller: Caller, isAfterAdmission: boolean): void {
  const owners = metadata.ownerReferences;
  if (!owners || owners.length < 2) return;
  const kept = new Map<string, OwnerReference>();
  const repeated: string[] = [];
  for (const owner of owners) {
    const key = sortedJson(owner);
    if (kept.has(key)) repeated.push(owner.uid);
    else kept.set(key, owner);
  }
  if (repeated.length === 0) return;
  const when = isAfterAdmission ? " after mutating admission happens" : "";
  caller.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may ` +
      `reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(", ")}`,
  );
  metadata.ownerReferences = [...kept.values()];
}
