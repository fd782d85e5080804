import {
  isAlreadyExists,
  type KubeObject,
  makeKey,
  type ResourceType,
  type Stored,
  type ToCreate,
} from "@berg/apimachinery";
import type { Applied, Client } from "../client/client.ts";
import { isAsWanted } from "./is-as-wanted.ts";

/** An object that a controller makes and keeps, with the resource under which it is served. */
export interface WantedChild<T extends KubeObject> {
  type: ResourceType<T>;
  manifest: ToCreate<T> & { metadata: { name: string } };
}

export interface EnsureOptions<T extends KubeObject> {
  fieldManager: string;
  /** Whether an object carries our mark. What does not is somebody else's, whatever it is called. */
  isOurs(object: Stored<KubeObject>): boolean;
  /** The child as it was seen last; undefined where it was not. */
  found?: Stored<T> | undefined;
  signal: AbortSignal;
}

/**
 * Makes a child, or makes it as wanted again, and returns it as it is now. What is as wanted is not written.
 *
 * Never by an upsert: one that was made by somebody else in the meantime, or made anew under the same name, would be
 * taken over. A child that is not there is created; one that is there is applied with the UID that was seen, so that the
 * server refuses (a conflict) where it is another one by now.
 *
 *     await ensureChild(client, { type: ConfigMaps, manifest }, { fieldManager, isOurs, found, signal });
 */
export async function ensureChild<T extends KubeObject>(
  client: Pick<Client, "create" | "get" | "apply">,
  child: WantedChild<T>,
  { fieldManager, isOurs, found, signal }: EnsureOptions<T>,
): Promise<Stored<T>> {
  const { type, manifest } = child;
  const { namespace = "", name } = manifest.metadata;
  let existing = found;
  if (!existing) {
    try {
      return await client.create(type, manifest, { fieldManager, signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      existing = await client.get(type, namespace, name, { signal });
    }
  }
  if (!isOurs(existing)) throw new NotOurs(type, namespace, name);
  // Such as our own create, whose answer was lost or which the cache has not seen yet.
  if (isAsWanted(manifest, existing)) return existing;
  const metadata = { ...manifest.metadata, uid: existing.metadata.uid };
  return client.apply(type, { ...manifest, metadata } as unknown as Applied<T>, { fieldManager, force: true, signal });
}

/** An object of this name is there, and is somebody else's: it is neither changed nor deleted. */
export class NotOurs extends Error {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly objectName: string;

  constructor(type: ResourceType, namespace: string, name: string) {
    super(
      `the ${type.kind} "${makeKey(namespace, name)}" is there already and does not carry our mark: ` +
        "it is left alone; delete it, or give it another name",
    );
    this.name = "NotOurs";
    this.type = type;
    this.namespace = namespace;
    this.objectName = name;
  }
}
