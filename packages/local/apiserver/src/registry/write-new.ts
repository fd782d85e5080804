/** Stores an object that is not there yet: what POST, an apply and some PUTs come to. Nothing here awaits but the disk. */
import { makeKey } from "@berg/apimachinery";
import type { AdmissionRequest } from "../admission/admission.ts";
import { alreadyExists, refusal } from "../errors/refusals.ts";
import { toServed, toStored } from "./conversion.ts";
import { dropRepeatedOwners, fillSystemFields, placeInNamespace } from "./metadata.ts";
import { generatedName, nameAttempts } from "./names.ts";
import { accompany, admit, check, isCustom, momentOf, type Registry, subjectOf, tableOf } from "./registry.ts";
import type { AnyObject, AnyStoredObject, Moment, ServedResource } from "./resource.ts";
import { sentWriteOptions } from "./sent-options.ts";
import { validate } from "./validation.ts";
import type { Caller, WriteOptions, Written } from "./verbs.ts";

export interface NewObject {
  resource: ServedResource;
  namespace: string;
  /** Decoded, defaulted, and with its managedFields. */
  draft: AnyObject;
  options: WriteOptions;
  caller: Caller;
}

export function writeNew(
  registry: Registry,
  { resource, namespace, draft, options, caller }: NewObject,
): Promise<Written> {
  const moment = momentOf(registry);
  const { strategy } = resource;
  const { metadata } = draft;
  const wasNamed = Boolean(metadata.name);
  const request = {
    verb: "create" as const,
    resource,
    subresource: "",
    namespace: resource.storedAs === "namespaces" ? (metadata.name ?? "") : namespace,
    user: caller.user,
    isDryRun: options.isDryRun,
    draft,
    old: undefined,
    options: sentWriteOptions("CreateOptions", options),
    moment,
    warn: (text: string) => caller.warn(text),
  };
  admit(registry, { ...request, name: metadata.name ?? "" });
  dropRepeatedOwners(draft, caller, true);
  fillSystemFields(draft, moment);
  if (!wasNamed && metadata.generateName) metadata.name = freeName(registry, resource, draft, moment);
  placeInNamespace(draft, resource, namespace);
  if (strategy.hasStatus && isCustom(resource)) delete draft.status;
  if (strategy.hasGeneration) metadata.generation = 1;
  strategy.prepare?.(draft, undefined, moment);
  validate(resource, draft, undefined, "", caller);
  const checked = { ...request, name: metadata.name };
  check(registry, checked);
  return store(registry, checked, draft, wasNamed);
}

async function store(
  registry: Registry,
  request: AdmissionRequest,
  draft: AnyObject,
  wasNamed: boolean,
): Promise<Written> {
  const { resource, isDryRun } = request;
  const { metadata } = draft;
  if (metadata.resourceVersion) throw refusal(500, "", "resourceVersion should not be set on objects to be created");
  const table = tableOf(registry, resource);
  const existing = table.newest(makeKey(metadata.namespace, metadata.name));
  if (existing) throw taken(resource, metadata.name, wasNamed, existing.metadata.deletionTimestamp !== undefined);
  if (isDryRun) return { object: draft as AnyStoredObject, isNew: true };
  accompany(registry, request);
  const stored = await table.put(toStored(resource, draft));
  return { object: toServed(resource, stored), isNew: true };
}

/** One of several that is not taken; the last one where all are. */
function freeName(registry: Registry, resource: ServedResource, { metadata }: AnyObject, moment: Moment): string {
  const table = tableOf(registry, resource);
  let name = "";
  for (let attempt = 0; attempt < nameAttempts; attempt++) {
    name = generatedName(metadata.generateName ?? "", moment.random);
    if (!table.newest(makeKey(metadata.namespace, name))) break;
  }
  return name;
}

function taken(resource: ServedResource, name: string, wasNamed: boolean, isEnding: boolean) {
  const error = alreadyExists(subjectOf(resource, name));
  const { status } = error;
  const prefix = isEnding ? "object is being deleted: " : "";
  const suffix = wasNamed ? "" : ", the server was not able to generate a unique name for the object";
  const details = { ...status.details, ...(wasNamed ? {} : { retryAfterSeconds: 1 }) };
  return refusal(status.code, status.reason ?? "", `${prefix}${status.message}${suffix}`, details);
}
