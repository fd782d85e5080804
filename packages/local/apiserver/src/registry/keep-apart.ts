/** Which part of an object a request may write: the rest stays as it was, whatever the request says. */
import { draftOf, partOf } from "./json.ts";
import { isCustom } from "./registry.ts";
import type { AnyObject, AnyStoredObject, ServedResource } from "./resource.ts";

/** Changes the draft. `status` is written through its subresource, and nothing else is. */
export function keepApart(resource: ServedResource, draft: AnyObject, old: AnyStoredObject, subresource: string): void {
  if (subresource === "ephemeralcontainers") keepAllBut(draft, old, "ephemeralContainers");
  else if (subresource === "status") keepAllButStatus(resource, draft, old);
  else if (resource.strategy.hasStatus) keep(draft, "status", old.status);
}

function keepAllButStatus(resource: ServedResource, draft: AnyObject, old: AnyStoredObject): void {
  for (const field of new Set([...Object.keys(draft), ...Object.keys(old)])) {
    if (!["apiVersion", "kind", "metadata", "status"].includes(field)) keep(draft, field, old[field]);
  }
  // Built-in kinds leave it to each of them what else of metadata may change.
  if (isCustom(resource)) keepMetadata(draft, old);
}

function keepAllBut(draft: AnyObject, old: AnyStoredObject, field: string): void {
  const written = partOf(draft, "spec")[field];
  keepMetadata(draft, old);
  for (const name of Object.keys(old)) if (name !== "metadata") keep(draft, name, old[name]);
  draft.spec = { ...partOf(draft, "spec") };
  keep(draft.spec as object, field, written);
}

/** Who wrote what is noted all the same. */
function keepMetadata(draft: AnyObject, old: AnyStoredObject): void {
  const { managedFields } = draft.metadata;
  draft.metadata = draftOf(old.metadata);
  keep(draft.metadata, "managedFields", managedFields);
}

function keep(object: object, field: string, value: unknown): void {
  if (value === undefined) delete (object as Record<string, unknown>)[field];
  else (object as Record<string, unknown>)[field] = draftOf(value);
}
