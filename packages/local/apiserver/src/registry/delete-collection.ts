/** DELETE of all that a list would show. */
import { isNotFound } from "@berg/apimachinery";
import { deleteObject } from "./delete.ts";
import { listObjects } from "./list.ts";
import type { Registry } from "./registry.ts";
import type { AnyStoredObject, ServedResource } from "./resource.ts";
import type { Caller, DeleteOptions, ListAnswer, ListOptions } from "./verbs.ts";

export async function deleteCollection(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  list: ListOptions,
  options: DeleteOptions,
  caller: Caller,
): Promise<ListAnswer> {
  const listed = await listObjects(registry, resource, namespace, list);
  const outcomes = await Promise.allSettled(
    listed.items.map(({ metadata }) => deleteOne(metadata, registry, resource, options, caller)),
  );
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
  return listed;
}

async function deleteOne(
  { namespace = "", name }: AnyStoredObject["metadata"],
  registry: Registry,
  resource: ServedResource,
  options: DeleteOptions,
  caller: Caller,
): Promise<void> {
  try {
    await deleteObject(registry, { resource, namespace, name }, options, caller, true);
  } catch (error) {
    // Somebody else was quicker.
    if (!isNotFound(error)) throw error;
  }
}
