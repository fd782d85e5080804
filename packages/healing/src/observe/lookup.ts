/** Reads that no cache answers: what cannot be undone is done only after the server itself was asked. */
import { isNotFound, type KubeObject, type ResourceType, type Stored } from "@berg/apimachinery";
import type { Client } from "@berg/kube";

/** As it is now; undefined where there is none. */
export async function readNow<T extends KubeObject>(
  client: Pick<Client, "get">,
  type: ResourceType<T>,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<Stored<T> | undefined> {
  try {
    return await client.get(type, namespace, name, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
