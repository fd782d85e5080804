/** `scale` of any kind that has one: how many there are to be, without knowing what they are. */
import { parentEntries, replicasPath, scaleEntries } from "../../apply/scale-managers.ts";
import { invalid as invalidField } from "../../errors/field-error.ts";
import { invalid, notFound, unsupportedMediaType } from "../../errors/refusals.ts";
import type { AnyStored } from "../../storage/table.ts";
import { applied } from "../apply.ts";
import { toServed } from "../conversion.ts";
import { track } from "../create.ts";
import { decodeObject } from "../decoding.ts";
import { draftOf, isObject, partOf } from "../json.ts";
import { checkName, placeInNamespace } from "../metadata.ts";
import { decodePatched, patched } from "../patched.ts";
import { isCustom, keyOfPlace, type Registry, subjectOf, tableOf } from "../registry.ts";
import type { AnyObject, AnyStoredObject, ServedResource } from "../resource.ts";
import { checkUid } from "../update.ts";
import type { Body, Caller, PatchBody, Place, WriteOptions, Written } from "../verbs.ts";
import { writeChanged } from "../write-changed.ts";
import { pathsOf, scaleOf, scales, setAt } from "./scale-object.ts";

export async function getScale(registry: Registry, place: Place): Promise<AnyObject> {
  const stored = tableOf(registry, place.resource).get(keyOfPlace(place));
  if (!stored) throw notFound(subjectOf(place.resource, place.name));
  return scaleOf(place.resource, toServed(place.resource, stored));
}

export async function updateScale(
  registry: Registry,
  place: Place,
  body: Body,
  options: WriteOptions,
  caller: Caller,
): Promise<Written> {
  // Kubernetes notes nothing of a custom kind where nobody says which version a scale is of.
  const isNoted = !isCustom(place.resource) || (isObject(body.value) && Boolean(body.value.apiVersion));
  const scale = decodeObject(registry, scales, body, options, caller);
  placeInNamespace(scale, scales, place.namespace);
  checkName(scale, place.name);
  const stored = newest(registry, place);
  if (isNoted) note(registry, scale, ownedScale(place, stored), options, caller);
  else delete scale.metadata.managedFields;
  return write(registry, place, stored, scale, options, caller);
}

export async function patchScale(
  registry: Registry,
  place: Place,
  patch: PatchBody,
  options: WriteOptions,
  caller: Caller,
): Promise<Written> {
  if (patch.type === "strategic" && isCustom(place.resource)) throw unsupportedMediaType("", customPatches);
  const stored = newest(registry, place);
  const live = ownedScale(place, stored);
  const scale =
    patch.type === "apply"
      ? applied(registry, { ...place, resource: scales }, live, patch, "scale", options, caller)
      : decodePatched(scales, draftOf(patched(scales, live, patch, options)), patch, options, caller);
  placeInNamespace(scale, scales, place.namespace);
  checkName(scale, place.name);
  if (patch.type !== "apply") note(registry, scale, live, options, caller);
  return write(registry, place, stored, scale, options, caller);
}

const customPatches = ["application/json-patch+json", "application/merge-patch+json"];

/** Of a scale 0 is no number, and so nobody's. */
function note(registry: Registry, scale: AnyObject, live: AnyObject, options: WriteOptions, caller: Caller): void {
  const spec = partOf(scale, "spec");
  if (spec.replicas === 0) delete spec.replicas;
  track(registry, scales, scale, live, "scale", options, caller);
}

/** With those who own its number. */
function ownedScale({ resource }: Place, stored: AnyStored): AnyStoredObject {
  const object = toServed(resource, stored);
  const path = replicasPath(pathsOf(resource).specReplicasPath);
  const managedFields = scaleEntries(object.metadata.managedFields ?? [], path);
  const { metadata, ...scale } = scaleOf(resource, object);
  return { ...scale, metadata: { ...metadata, ...(managedFields && { managedFields }) } } as AnyStoredObject;
}

function newest(registry: Registry, place: Place): AnyStored {
  const stored = tableOf(registry, place.resource).newest(keyOfPlace(place));
  if (!stored) throw notFound(subjectOf(place.resource, place.name));
  return stored;
}

async function write(
  registry: Registry,
  place: Place,
  stored: AnyStored,
  scale: AnyObject,
  options: WriteOptions,
  caller: Caller,
): Promise<Written> {
  const { resource, name } = place;
  const live = toServed(resource, stored);
  checkUid(place, scale, stored.metadata.uid);
  const { replicas = 0 } = (scale.spec ?? {}) as { replicas?: number };
  // Of a custom kind its own schema says what is too few.
  if (replicas < 0 && !isCustom(resource)) {
    const problem = invalidField("spec.replicas", replicas, "must be greater than or equal to 0");
    throw invalid({ group: scales.group, kind: scales.kind, name }, [problem]);
  }
  const draft = draftOf(live) as AnyObject;
  setAt(draft, pathsOf(resource).specReplicasPath, replicas);
  if (scale.metadata.resourceVersion) draft.metadata.resourceVersion = scale.metadata.resourceVersion;
  own(resource, draft, scale);
  const written = await writeChanged(registry, { place, stored, draft, subresource: "scale", options, caller });
  return { object: scaleOf(resource, written.object) as AnyStoredObject, isNew: false };
}

function own(resource: ServedResource, { metadata }: AnyObject, scale: AnyObject): void {
  const path = replicasPath(pathsOf(resource).specReplicasPath);
  const owners = parentEntries(resource, metadata.managedFields ?? [], path, scale.metadata.managedFields ?? []);
  if (owners) metadata.managedFields = owners;
  else delete metadata.managedFields;
}
