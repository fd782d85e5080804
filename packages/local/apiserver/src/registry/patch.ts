/** PATCH: a change of what is there, made on its newest state, so that only whoever names a version can be too late. */
import { strategicSchemaFor } from "@berg/apimachinery";
import { notFound, unsupportedMediaType } from "../errors/refusals.ts";
import { applied } from "./apply.ts";
import { toServed } from "./conversion.ts";
import { checkTakesNew, track } from "./create.ts";
import { fillIn } from "./decoding.ts";
import { draftOf } from "./json.ts";
import { checkName, placeInNamespace } from "./metadata.ts";
import { decodePatched, patched } from "./patched.ts";
import { keyOfPlace, type Registry, subjectOf, tableOf } from "./registry.ts";
import type { Caller, PatchBody, Place, WriteOptions, Written } from "./verbs.ts";
import { writeChanged } from "./write-changed.ts";
import { writeNew } from "./write-new.ts";

const customPatches = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];

export async function patchObject(
  registry: Registry,
  place: Place,
  subresource: string,
  patch: PatchBody,
  options: WriteOptions,
  caller: Caller,
): Promise<Written> {
  const { resource, namespace, name } = place;
  if (patch.type === "strategic" && !strategicSchemaFor(resource)) throw unsupportedMediaType("", customPatches);
  const stored = tableOf(registry, resource).newest(keyOfPlace(place));
  const live = stored && toServed(resource, stored);
  if (patch.type === "apply") {
    // A status is of an object that is there.
    if (!live && subresource !== "") throw notFound(subjectOf(resource, name));
    const draft = applied(registry, place, live, patch, subresource, options, caller);
    placeInNamespace(draft, resource, namespace);
    checkName(draft, name);
    if (stored) return writeChanged(registry, { place, stored, draft, subresource, options, caller });
    caller.checkMayCreate?.();
    checkTakesNew(resource, name);
    delete draft.metadata.resourceVersion;
    return writeNew(registry, { resource, namespace, draft, options, caller });
  }
  if (!stored || !live) throw notFound(subjectOf(resource, name));
  const value = patched(resource, live, patch, options);
  const draft = decodePatched(resource, draftOf(value), patch, options, caller);
  fillIn(resource, draft);
  placeInNamespace(draft, resource, namespace);
  checkName(draft, name);
  track(registry, resource, draft, live, subresource, options, caller);
  return writeChanged(registry, { place, stored, draft, subresource, options, caller });
}
