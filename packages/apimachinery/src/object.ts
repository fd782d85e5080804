/** The shape every Kubernetes object shares: plain JSON, times as RFC 3339 strings, no classes. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

export interface ObjectMeta {
  name: string;
  generateName?: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
}

/** What the server has filled in on every object that it returns. */
export interface StoredMeta extends ObjectMeta {
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
}

/** An object as the server returns it. */
export type Stored<T extends KubeObject> = T & { metadata: StoredMeta };

/** An object as it is sent for creation: named, or with a prefix from which the server makes a name. */
export type ToCreate<T extends KubeObject> = Omit<T, "metadata" | "apiVersion" | "kind"> & {
  apiVersion?: string;
  kind?: string;
  metadata: Omit<ObjectMeta, "name" | "generateName"> & ({ name: string } | { generateName: string });
};

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: unknown;
  subresource?: string;
}

export interface KubeList<T extends KubeObject> {
  apiVersion: string;
  kind: string;
  metadata: ListMeta;
  items: T[];
}

export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

/** A status condition, as metav1.Condition has it. */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  observedGeneration?: number;
}

/** Names an object within its resource: `namespace/name`, or `name` where there is no namespace. */
export type ObjectKey = string;

/** `keyOf({metadata: {namespace: "ctf", name: "web"}})` is `"ctf/web"`. */
export function keyOf(object: { metadata: { name: string; namespace?: string } }): ObjectKey {
  return makeKey(object.metadata.namespace, object.metadata.name);
}

export function makeKey(namespace: string | undefined, name: string): ObjectKey {
  return namespace ? `${namespace}/${name}` : name;
}

/** The reverse of `keyOf`; the namespace of a cluster-scoped object is `""`. */
export function splitKey(key: ObjectKey): { namespace: string; name: string } {
  const slash = key.indexOf("/");
  return slash < 0 ? { namespace: "", name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
