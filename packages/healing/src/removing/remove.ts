/**
 * Every deletion that healing asks for. Each names one life by its UID; of a race somebody else has won, nobody is told.
 */
import { isConflict, isNotFound, type KubeObject, keyOf, type ResourceType, type Stored } from "@berg/apimachinery";
import { type Client, errorText, type Namespace, Namespaces } from "@berg/kube";
import type { GoingNamespaces } from "./going.ts";
import { instanceUidOfNamespace } from "./marks.ts";

/** What was done with one object, and why, for people to read. */
export interface Action {
  kind: string;
  /** `namespace/name`, or the name alone. */
  name: string;
  did: "deleted" | "would delete" | "waits" | "failed";
  why: string;
}

export interface Removing {
  client: Pick<Client, "get" | "delete">;
  /** Only tell. */
  dryRun?: boolean;
  report(action: Action): void;
  going: GoingNamespaces;
  signal: AbortSignal;
}

/**
 * Whether it goes by our doing. False where that life is over, or where somebody has changed the object since, with
 * `unchanged`: whoever looks again sees how it is now. What else goes wrong is told, and thrown.
 */
export async function remove<T extends KubeObject>(
  { client, dryRun = false, report, signal }: Removing,
  type: ResourceType<T>,
  object: Stored<T>,
  why: string,
  { unchanged = false } = {},
): Promise<boolean> {
  const { uid, resourceVersion, name, namespace = "" } = object.metadata;
  const told = { kind: type.kind, name: keyOf(object) };
  if (dryRun) {
    report({ ...told, did: "would delete", why });
    return true;
  }
  const preconditions = unchanged ? { uid, resourceVersion } : { uid };
  try {
    await client.delete(type, namespace, name, { preconditions, propagationPolicy: "Background", signal });
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return false;
    if (!signal.aborted) report({ ...told, did: "failed", why: `${why}; ${errorText(error)}` });
    throw error;
  }
  report({ ...told, did: "deleted", why });
  return true;
}

/** As `remove`, after the server was asked whose it is: with a namespace goes all that is in it. */
export async function removeNamespace(
  removing: Removing,
  namespace: Stored<Namespace>,
  instanceUid: string,
  why: string,
): Promise<boolean> {
  const found = await ownNamespace(removing, namespace, instanceUid);
  // Between the answer and the deletion somebody may mark it as another's: then its version differs.
  return found !== undefined && remove(removing, Namespaces, found, why, { unchanged: true });
}

/** The namespace as the server has it now, if it is the same one, of this instance, and not going. */
export async function ownNamespace(
  { client, signal }: Pick<Removing, "client" | "signal">,
  { metadata: { name, uid } }: Stored<Namespace>,
  instanceUid: string,
): Promise<Stored<Namespace> | undefined> {
  try {
    const found = await client.get(Namespaces, "", name, { signal });
    const isSame = found.metadata.uid === uid && found.metadata.deletionTimestamp === undefined;
    return isSame && instanceUidOfNamespace(found) === instanceUid ? found : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
