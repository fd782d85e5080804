/**
 * Who owns whom, by UID: every object that can be deleted, with its owners and its dependents. Only what watches have
 * brought stands in it. An owner that a reference names and nobody has seen is looked for at the server, by whoever
 * needs to know.
 */
import { jsonEqual, type KubeObject, type OwnerReference, type Stored } from "@berg/apimachinery";
import type { ServedKind } from "../served/read-served.ts";

export const orphan = "orphan";
export const foreground = "foregroundDeletion";

/** One object. A new one takes its place at each change. */
export interface Node {
  readonly kind: ServedKind;
  readonly object: Stored<KubeObject>;
}

/** UIDs whose objects want a look. */
export type Affected = readonly string[];

export class Graph {
  readonly #nodes = new Map<string, Node>();
  /** The UIDs of the dependents, by that of the owner, whether the owner is known or not. */
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): Node | undefined {
    return this.#nodes.get(uid);
  }

  get uids(): Iterable<string> {
    return this.#nodes.keys();
  }

  dependentsOf(uid: string): Node[] {
    return [...(this.#dependents.get(uid) ?? [])].map((dependent) => this.#nodes.get(dependent) as Node);
  }

  /** Those that the owner must wait for. */
  blockersOf(uid: string): Node[] {
    return this.dependentsOf(uid).filter(({ object }) =>
      ownersOf(object).some((owner) => owner.uid === uid && owner.blockOwnerDeletion),
    );
  }

  put(node: Node): Affected {
    const { uid } = node.object.metadata;
    const old = this.#nodes.get(uid);
    this.#nodes.set(uid, node);
    this.#link(uid, old && ownersOf(old.object), ownersOf(node.object));
    const affected: string[] = isTheSame(old?.object, node.object) ? [] : [uid];
    // What begins to wait for its dependents sends all of them on their way, those that it does not wait for as well.
    if (isDeletingDependents(node.object) && !(old && isDeletingDependents(old.object))) {
      for (const dependent of this.#dependents.get(uid) ?? []) affected.push(dependent);
    }
    // An owner that nobody knew: what it is may not be what those that named it said.
    if (!old) affected.push(...this.#misnaming(node));
    return [...affected, ...this.#waitingOwners(old?.object, node.object)];
  }

  remove(uid: string): Affected {
    const node = this.forget(uid);
    if (!node) return [];
    return [...(this.#dependents.get(uid) ?? []), ...this.#waitingOwners(node.object, undefined)];
  }

  /** For an object of which nobody will hear any more. It may still be there. */
  forget(uid: string): Node | undefined {
    const node = this.#nodes.get(uid);
    if (node) this.#link(uid, ownersOf(node.object), []);
    this.#nodes.delete(uid);
    return node;
  }

  #link(uid: string, before: readonly OwnerReference[] = [], after: readonly OwnerReference[]): void {
    for (const owner of before) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
    }
    for (const owner of after) {
      const dependents = this.#dependents.get(owner.uid);
      if (dependents) dependents.add(uid);
      else this.#dependents.set(owner.uid, new Set([uid]));
    }
  }

  #misnaming(owner: Node): string[] {
    const { uid } = owner.object.metadata;
    return this.dependentsOf(uid)
      .filter(
        ({ object }) =>
          !ownersOf(object).every((reference) => reference.uid !== uid || names(reference, object, owner)),
      )
      .map(({ object }) => object.metadata.uid);
  }

  /** The owners that wait for their dependents, and that this one no longer holds up as it did. */
  #waitingOwners(before: Stored<KubeObject> | undefined, after: Stored<KubeObject> | undefined): string[] {
    if (!before) return [];
    const holds = (object: Stored<KubeObject> | undefined, uid: string) =>
      object !== undefined && ownersOf(object).some((owner) => owner.uid === uid && owner.blockOwnerDeletion);
    return ownersOf(before)
      .filter(({ uid }) => !holds(after, uid))
      .map(({ uid }) => uid)
      .filter((uid) => {
        const owner = this.#nodes.get(uid);
        return owner && isDeletingDependents(owner.object);
      });
  }
}

/** In all that counts here: a pod's status changes often, and is nobody's owner. */
function isTheSame(old: KubeObject | undefined, object: KubeObject): boolean {
  const parts = ({ metadata: { ownerReferences, finalizers, deletionTimestamp } }: KubeObject) => {
    return { ownerReferences, finalizers, deletionTimestamp };
  };
  const { ownerReferences, deletionTimestamp } = object.metadata;
  if (!old) return !ownerReferences && !deletionTimestamp;
  return jsonEqual(parts(old), parts(object));
}

export function ownersOf({ metadata }: KubeObject): readonly OwnerReference[] {
  return metadata.ownerReferences ?? [];
}

/** Whether the reference, which stands on `dependent`, says of this owner what it is. */
export function names(reference: OwnerReference, dependent: KubeObject, owner: Node): boolean {
  const { apiVersion, kind, metadata } = owner.object;
  return (
    reference.apiVersion === apiVersion &&
    reference.kind === kind &&
    reference.name === metadata.name &&
    !isElsewhere(dependent, owner)
  );
}

/** An owner has no namespace, or that of its dependent. */
export function isElsewhere(dependent: KubeObject, owner: Node): boolean {
  const { namespace } = owner.object.metadata;
  return namespace !== undefined && namespace !== dependent.metadata.namespace;
}

export function isDeletingDependents({ metadata }: KubeObject): boolean {
  return Boolean(metadata.deletionTimestamp) && (metadata.finalizers?.includes(foreground) ?? false);
}

export function isOrphaning({ metadata }: KubeObject): boolean {
  return Boolean(metadata.deletionTimestamp) && (metadata.finalizers?.includes(orphan) ?? false);
}
