/**
 * Which objects a controller's object counts as its own: those that name it as their controller and match its selector.
 * What matches and has no controller is adopted; what names it and no longer matches is released.
 */
import {
  apiVersionOf,
  compileLabelSelector,
  isInvalid,
  isNotFound,
  type KubeObject,
  type LabelMatcher,
  type LabelSelector,
  type OwnerReference,
  ParseError,
  type ResourceType,
  type Stored,
  selectNothing,
} from "@berg/apimachinery";
import type { Client, OwnWrites } from "@berg/kube";

export type Selecting = KubeObject & { spec?: { selector?: LabelSelector } };

export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller);
}

export function controllerReference(type: ResourceType, { metadata }: Stored<KubeObject>): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion: apiVersionOf(type), kind: type.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

const matchers = new WeakMap<object, LabelMatcher>();

/** A selector that selects everything, or makes no sense, selects nothing here: rather too few than all pods. */
export function selectorOf({ spec }: Selecting): LabelMatcher {
  const selector = spec?.selector;
  if (!selector) return selectNothing;
  const known = matchers.get(selector);
  if (known) return known;
  const compiled = compile(selector);
  matchers.set(selector, compiled);
  return compiled;
}

function compile(selector: LabelSelector): LabelMatcher {
  try {
    const matcher = compileLabelSelector(selector);
    return matcher.requirements.length === 0 ? selectNothing : matcher;
  } catch (error) {
    if (error instanceof ParseError) return selectNothing;
    throw error;
  }
}

/** For an index of what may be owned: by its controller's UID, or else with all the others that have none. */
export function ownerIndexOf(object: Stored<KubeObject>): string[] {
  return [controllerOf(object)?.uid ?? orphansOf(object)];
}

/** Where the index above has what has no controller, of the same namespace as this object. */
export function orphansOf({ metadata }: KubeObject): string {
  return `orphans of ${metadata.namespace}`;
}

export interface Claim<T extends KubeObject, O extends Selecting> {
  client: Pick<Client, "get" | "patch">;
  ownerType: ResourceType<O>;
  type: ResourceType<T>;
  /** With an index `owner` by `ownerIndexOf`. */
  view: OwnWrites<T>;
  /** What is not worth an adoption, such as a pod that has ended. */
  isClaimable?: (object: Stored<T>) => boolean;
}

/** All that the owner has after adopting and releasing, what is being deleted included. */
export async function claim<T extends KubeObject, O extends Selecting>(
  { client, ownerType, type, view, isClaimable = () => true }: Claim<T, O>,
  owner: Stored<O>,
  signal: AbortSignal,
): Promise<Stored<T>[]> {
  const { namespace = "", name, uid } = owner.metadata;
  const matcher = selectorOf(owner);
  const matches = ({ metadata }: Stored<T>) => matcher.matches(metadata.labels);
  const isGoing = Boolean(owner.metadata.deletionTimestamp);
  const mine: Stored<T>[] = [];
  for (const object of view.byIndex("owner", uid)) {
    if (matches(object)) mine.push(object);
    else if (!isGoing && isClaimable(object)) await release(object);
  }
  if (isGoing) return mine;
  const orphans = view
    .byIndex("owner", orphansOf(owner))
    .filter((object) => matches(object) && !object.metadata.deletionTimestamp && isClaimable(object));
  if (orphans.length > 0 && (await mayAdopt())) for (const orphan of orphans) await adopt(orphan);
  return mine;

  // The copy may be of the past. Whoever adopts for an owner that is being deleted makes the orphans go with it.
  async function mayAdopt(): Promise<boolean> {
    const fresh = await client.get(ownerType, namespace, name, { signal });
    return fresh.metadata.uid === uid && !fresh.metadata.deletionTimestamp;
  }

  async function adopt(object: Stored<T>): Promise<void> {
    const adopted = await change(object, controllerReference(ownerType, owner));
    if (adopted) mine.push(adopted);
  }

  // Invalid where another object bears the name by now: then there is nothing to release.
  async function release(object: Stored<T>): Promise<void> {
    await change(object, { $patch: "delete", uid }).catch((error) => {
      if (!isInvalid(error)) throw error;
    });
  }

  async function change(object: Stored<T>, reference: object): Promise<Stored<T> | undefined> {
    const { metadata } = object;
    const body = { metadata: { uid: metadata.uid, ownerReferences: [reference] } };
    try {
      const patch = { type: "strategic" as const, body };
      const changed = await client.patch(type, metadata.namespace ?? "", metadata.name, patch, { signal });
      view.wrote(changed);
      return changed;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
