/** Which namespaces are ghosts: ours by their marks, and made for a ChallengeInstance that does not exist. Pure. */
import { parseTime, type Stored } from "@berg/apimachinery";
import type { Namespace } from "@berg/kube";
import { instanceUidOfNamespace } from "../removing/marks.ts";

export interface Ghost {
  namespace: Stored<Namespace>;
  /** Of the ChallengeInstance that is gone. */
  instanceUid: string;
}

/** Those that are ours, not going already, and whose instance is not among the living. */
export function findGhosts(namespaces: Iterable<Stored<Namespace>>, living: ReadonlySet<string>): Ghost[] {
  const ghosts: Ghost[] = [];
  for (const namespace of namespaces) {
    const instanceUid = instanceUidOfNamespace(namespace);
    if (instanceUid === undefined || living.has(instanceUid)) continue;
    if (namespace.metadata.deletionTimestamp === undefined) ghosts.push({ namespace, instanceUid });
  }
  return ghosts;
}

/** When each was first seen, in ms since 1970. */
export type FirstSeen = (ghost: Ghost) => number;

/** For whoever looks once and remembers nothing. */
export const sinceCreation: FirstSeen = ({ namespace }) => parseTime(namespace.metadata.creationTimestamp);

/**
 * For whoever looks again and again. A namespace that was no ghost in between, or was marked for another instance, is
 * seen for the first time again.
 *
 *     const sightings = new Sightings();
 *     sightings.note(findGhosts(namespaces, living), clock.now());
 */
export class Sightings {
  #seen = new Map<string, number>();

  note(ghosts: readonly Ghost[], now: number): void {
    this.#seen = new Map(ghosts.map((ghost) => [lifeOf(ghost), this.#seen.get(lifeOf(ghost)) ?? now]));
  }

  readonly firstSeen: FirstSeen = (ghost) => this.#seen.get(lifeOf(ghost)) ?? Number.POSITIVE_INFINITY;
}

function lifeOf({ namespace, instanceUid }: Ghost): string {
  return `${namespace.metadata.uid} ${instanceUid}`;
}
