/**
 * Adding and removing one finalizer, and no other. Both writes name the version that was seen: where the object changed
 * since, by anybody, the server refuses them as a conflict, and nobody's finalizer is lost or put back.
 */
import { isNotFound, type KubeObject, type ResourceType, type Stored } from "@berg/apimachinery";
import type { Client } from "../client/client.ts";

type Patcher = Pick<Client, "patch">;

/** Makes no request where it is there already. */
export async function addFinalizer<T extends KubeObject>(
  client: Patcher,
  type: ResourceType<T>,
  object: Stored<T>,
  finalizer: string,
  options: { signal: AbortSignal },
): Promise<Stored<T>> {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(finalizer)) return object;
  return setFinalizers(client, type, object, [...finalizers, finalizer], options);
}

/** Makes no request where it is not there. Undefined where the object is gone. */
export async function removeFinalizer<T extends KubeObject>(
  client: Patcher,
  type: ResourceType<T>,
  object: Stored<T>,
  finalizer: string,
  options: { signal: AbortSignal },
): Promise<Stored<T> | undefined> {
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(finalizer)) return object;
  const others = finalizers.filter((one) => one !== finalizer);
  try {
    return await setFinalizers(client, type, object, others, options);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function setFinalizers<T extends KubeObject>(
  client: Patcher,
  type: ResourceType<T>,
  { metadata: { namespace = "", name, resourceVersion } }: Stored<T>,
  finalizers: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<Stored<T>> {
  const operations = [
    // Not a `test`: where one fails the server calls the patch invalid, as if it were a mistake of ours.
    { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
    { op: "add", path: "/metadata/finalizers", value: finalizers },
  ];
  return client.patch(type, namespace, name, { type: "json", operations }, { signal });
}
