/** Which objects a list or a watch shows. */
import type { FieldMatcher, LabelMatcher } from "@berg/apimachinery";
import { badRequest } from "../errors/refusals.ts";
import { toServed } from "./conversion.ts";
import { isCustom } from "./registry.ts";
import type { AnyObject, ServedResource } from "./resource.ts";

interface Selectors {
  labelSelector?: LabelMatcher;
  fieldSelector?: FieldMatcher;
}

/** Asked for each object as it is stored; undefined where every object is wanted. */
export type Selection = ((stored: object) => boolean) | undefined;

export function selectionOf(resource: ServedResource, { labelSelector, fieldSelector }: Selectors): Selection {
  const labels = labelSelector && labelSelector.requirements.length > 0 ? labelSelector : undefined;
  const fields = fieldSelector && fieldSelector.requirements.length > 0 ? fieldSelector : undefined;
  if (fields) checkFields(resource, fields);
  if (!labels && !fields) return undefined;
  return (stored) => {
    const object = stored as AnyObject;
    if (labels && !labels.matches(object.metadata.labels)) return false;
    return !fields || matchesFields(resource, fields, object);
  };
}

function matchesFields(resource: ServedResource, fields: FieldMatcher, stored: AnyObject): boolean {
  const served = toServed(resource, stored);
  return fields.matches((field) => {
    if (field === "metadata.name") return served.metadata.name;
    if (field === "metadata.namespace") return served.metadata.namespace;
    return resource.selectableFields[field]?.(served);
  });
}

function checkFields(resource: ServedResource, { requirements }: FieldMatcher): void {
  const own = Object.keys(resource.selectableFields);
  const hasOwnRules = own.length > 0 || isCustom(resource);
  for (const { field } of requirements) {
    if (field === "metadata.name" || own.includes(field)) continue;
    if (field === "metadata.namespace" && (resource.namespaced || !hasOwnRules)) continue;
    if (hasOwnRules) throw badRequest(`field label not supported: ${field}`);
    throw badRequest(
      `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  }
}
