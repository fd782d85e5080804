/** What the collector does to objects. Each of it names the UID, and where it can the version, that was just read. */
import {
  isConflict,
  isNotFound,
  jsonEqual,
  type KubeObject,
  type OwnerReference,
  type Stored,
} from "@berg/apimachinery";
import { type Client, removeFinalizer } from "@berg/kube";
import { type Node, ownersOf } from "./graph.ts";

export type Policy = "Background" | "Foreground" | "Orphan";
type Live = Stored<KubeObject>;

export class Effects {
  readonly #client: Pick<Client, "get" | "patch" | "delete">;

  constructor(client: Pick<Client, "get" | "patch" | "delete">) {
    this.#client = client;
  }

  /** The object as it is now; undefined where that life of it is over. */
  async read({ kind, object }: Node, signal: AbortSignal): Promise<Live | undefined> {
    const { namespace = "", name, uid } = object.metadata;
    try {
      const live = await this.#client.get(kind, namespace, name, { signal });
      return live.metadata.uid === uid ? live : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async release(node: Node, finalizer: string, signal: AbortSignal): Promise<void> {
    const live = await this.read(node, signal);
    if (live) await removeFinalizer(this.#client, node.kind, live, finalizer, { signal });
  }

  async unlink(node: Node, live: Live, uids: readonly string[], signal: AbortSignal): Promise<void> {
    const left = ownersOf(live).filter(({ uid }) => !uids.includes(uid));
    if (left.length < ownersOf(live).length) await this.#setOwners(node, live, left, signal);
  }

  unblock(node: Node, live: Live, signal: AbortSignal): Promise<Live> {
    const owners = ownersOf(live).map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    return this.#setOwners(node, live, owners, signal);
  }

  /** Where it changed meanwhile in all but its owners, it goes as well: else one that is written to often never would. */
  async remove(node: Node, { metadata }: Live, propagationPolicy: Policy, signal: AbortSignal): Promise<void> {
    const { namespace = "", name, uid, resourceVersion } = metadata;
    const options = { propagationPolicy, signal };
    try {
      await this.#client.delete(node.kind, namespace, name, { ...options, preconditions: { uid, resourceVersion } });
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
      const live = await this.read(node, signal);
      if (!live) return;
      if (!jsonEqual(live.metadata.ownerReferences, metadata.ownerReferences)) throw error;
      await this.#client.delete(node.kind, namespace, name, { ...options, preconditions: { uid } });
    }
  }

  #setOwners({ kind }: Node, live: Live, owners: readonly OwnerReference[], signal: AbortSignal): Promise<Live> {
    const { namespace = "", name, uid, resourceVersion } = live.metadata;
    const metadata = { uid, resourceVersion, ownerReferences: owners.length > 0 ? owners : null };
    return this.#client.patch(kind, namespace, name, { type: "merge", body: { metadata } }, { signal });
  }
}
