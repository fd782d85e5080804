import { isConflict, isNotFound, type ResourceType } from "@berg/apimachinery";
import type { Client, DeleteOptions } from "../client/client.ts";

/**
 * Deletes one life of an object, by its UID. Resolves when the server has accepted it, or when that life is over
 * already; the object may stay until its finalizers and its grace period are over.
 *
 *     await deleteChild(client, Deployments, deployment, { signal });
 */
export async function deleteChild(
  client: Pick<Client, "delete" | "get">,
  type: ResourceType,
  { metadata }: { metadata: { namespace?: string | undefined; name: string; uid: string } },
  options: Pick<DeleteOptions, "propagationPolicy" | "gracePeriodSeconds"> & { signal: AbortSignal },
): Promise<void> {
  const { namespace = "", name, uid } = metadata;
  try {
    await client.delete(type, namespace, name, { ...options, preconditions: { uid } });
  } catch (error) {
    if (isNotFound(error)) return;
    if (isConflict(error) && (await isGone())) return;
    throw error;
  }

  // A conflict has other causes too, and a child that is taken for gone outlives its instance: so ask.
  async function isGone(): Promise<boolean> {
    try {
      return (await client.get(type, namespace, name, { signal: options.signal })).metadata.uid !== uid;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }
}
