/** POST: a new object. */
import { trackUpdate } from "../apply/track-update.ts";
import { forbidden } from "../errors/refusals.ts";
import { decodeObject, fillIn } from "./decoding.ts";
import { dropRepeatedOwners, dropSystemFields, placeInNamespace } from "./metadata.ts";
import { isCustom, type Registry, subjectOf } from "./registry.ts";
import type { AnyObject, ServedResource } from "./resource.ts";
import type { Body, Caller, WriteOptions, Written } from "./verbs.ts";
import { writeNew } from "./write-new.ts";

export async function createObject(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  body: Body,
  options: WriteOptions,
  caller: Caller,
): Promise<Written> {
  const draft = decodeObject(registry, resource, body, options, caller);
  checkTakesNew(resource, draft.metadata.name);
  return storeDecoded(registry, resource, namespace, draft, options, caller);
}

export function checkTakesNew(resource: ServedResource, name: string): void {
  if (resource.takesNothingNew !== undefined) throw forbidden(subjectOf(resource, name), resource.takesNothingNew);
}

/** Also what a PUT comes to, where it may create. */
export async function storeDecoded(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  draft: AnyObject,
  options: WriteOptions,
  caller: Caller,
): Promise<Written> {
  dropSystemFields(draft);
  // Before the defaults: where nothing is said of it, the kind says what it starts with.
  const { hasStatus, bringsStatus = false } = resource.strategy;
  if (hasStatus && !bringsStatus && !isCustom(resource)) delete draft.status;
  fillIn(resource, draft);
  placeInNamespace(draft, resource, namespace);
  dropRepeatedOwners(draft, caller, false);
  track(registry, resource, draft, undefined, "", options, caller);
  return writeNew(registry, { resource, namespace, draft, options, caller });
}

/** Notes who changed what. */
export function track(
  { clock }: Registry,
  resource: ServedResource,
  draft: AnyObject,
  live: AnyObject | undefined,
  subresource: string,
  options: WriteOptions,
  caller: Caller,
): void {
  const manager = options.fieldManager ?? caller.defaultManager;
  const entries = trackUpdate({ kind: resource, live, updated: draft, manager, subresource, now: clock.now() });
  if (entries) draft.metadata.managedFields = entries;
  else delete draft.metadata.managedFields;
}
