/** A request as policies see it: in the version that they name, and of a scale the scale. */
import { toServed, toStored } from "../../registry/conversion.ts";
import type { AnyObject, ServedResource } from "../../registry/resource.ts";
import { scaleOf } from "../../registry/subresources/scale-object.ts";
import type { AdmissionRequest } from "../admission.ts";

export interface Kind {
  group: string;
  version: string;
  kind: string;
}

/** Those that serve the same objects under another version or group. */
export function equivalents({ resource }: AdmissionRequest, all: readonly ServedResource[]): ServedResource[] {
  return all.filter((other) => other !== resource && other.storedAs === resource.storedAs && !isSame(other, resource));
}

function isSame(one: ServedResource, other: ServedResource): boolean {
  return one.group === other.group && one.version === other.version && one.resource === other.resource;
}

/** Of what is sent, which for some subresources is not the object itself. */
export function kindAt(resource: ServedResource, subresource: string): Kind {
  const { group, version, kind } = resource.subresources[subresource] ?? resource;
  return { group, version, kind };
}

/** The object, or what it was, as `resource` shows it. */
export function shownAs(request: AdmissionRequest, object: AnyObject | undefined, resource: ServedResource): unknown {
  if (!object) return null;
  const shown = resource === request.resource ? object : toServed(resource, toStored(request.resource, object));
  return request.subresource === "scale" ? scaleOf(resource, shown as Parameters<typeof scaleOf>[1]) : shown;
}
