/** For an informer that need only know that something changed: what ConfigMaps and Secrets hold stays on the server. */
import type { Stored } from "@berg/apimachinery";
import type { ConfigMap, Secret } from "@berg/kube";

export function metadataOnly<T extends ConfigMap | Secret>({ apiVersion, kind, metadata }: Stored<T>): Stored<T> {
  const { namespace, name, uid, resourceVersion, creationTimestamp } = metadata;
  const kept = { name, uid, resourceVersion, creationTimestamp, ...(namespace !== undefined && { namespace }) };
  return { apiVersion, kind, metadata: kept } as Stored<T>;
}
