import type { KubeObject, Stored } from "@berg/apimachinery";

/** Drops what nobody will read before an object is kept. It may change the object in place: no one else has it yet. */
export type Transform<T extends KubeObject> = (object: Stored<T>) => Stored<T>;

/** The bookkeeping of server-side apply: often half of an object, and of no use to a reader. */
export function withoutManagedFields<T extends KubeObject>(object: Stored<T>): Stored<T> {
  // Not by `delete`, which makes V8 turn the rest of metadata into a hash table: larger, and slower to freeze and read.
  const { managedFields, ...metadata } = object.metadata;
  if (managedFields !== undefined) object.metadata = metadata as Stored<T>["metadata"];
  return object;
}

/** Keeps a Secret's existence and labels, and none of its contents, in memory. */
export function withoutSecretData<T extends KubeObject>(object: Stored<T>): Stored<T> {
  const secret = withoutManagedFields(object) as Stored<T> & { data?: unknown; stringData?: unknown };
  delete secret.data;
  delete secret.stringData;
  // kubectl apply keeps a copy of the whole manifest here.
  delete secret.metadata.annotations?.["kubectl.kubernetes.io/last-applied-configuration"];
  return secret;
}
