/** Everything about one Cluster at one moment. */
import type { Stored } from "@berg/apimachinery";
import type { Cluster, SubscriptionRequest } from "@berg/resources";
import type { CloudProfile, Shoot } from "../gardener/kinds.ts";
import type { GardenTrouble } from "../gardener/trouble.ts";
import type { Finding } from "./judge/judge.ts";
import type { Problem } from "./shoot/problem.ts";

export interface Seen {
  readonly cluster: Stored<Cluster>;
  /** Whether our finalizer is on it. */
  readonly isHeld: boolean;
  /** Why nothing is known about the garden: its Shoots; of a Cluster that does not go, its CloudProfiles, too. */
  readonly away: GardenTrouble | undefined;
  readonly shootName: string;
  /** The one of that name, whoever made it. */
  readonly shoot: Stored<Shoot> | undefined;
  /** The one of the Cluster's name, whoever made it. */
  readonly subscription: Stored<SubscriptionRequest> | undefined;
  /** Changes with the kubeconfig of a cluster that was brought along; undefined where its Secret cannot be seen. */
  readonly secret: string | undefined;
  readonly project: string;
  readonly profiles: readonly CloudProfile[];
  /** Whether kubeconfigs of this cluster are out there that nobody has revoked yet. */
  readonly hasOpenAccess: boolean;
  /**
   * The Shoot is what Gardener made of our last write for this spec. Where it still is not as we would have it, Gardener
   * writes some values in its own way, and would do so again and again.
   */
  readonly isAnswered: boolean;
  readonly facts: Facts;
  readonly now: number;
  /** The same, for what lasts in this process: it only grows. */
  readonly monotonic: number;
  /** The same, for a status. */
  readonly time: string;
}

/** What was found out in this look, by asking or by doing. Nothing of it outlives the look but `reached`. */
export interface Facts {
  /** The garden itself says that there is no Shoot of this name. */
  shootIsGone?: true;
  /** The digest of the ConfigMap that is there now. */
  authentication?: string;
  authenticationIsGone?: true;
  /** The digest that the Shoot was told of after that. */
  told?: string | undefined;
  /** Those who are cluster-admin now. */
  administrators?: readonly string[];
  /** Gardener did not take a change of the Shoot: it is said, and nothing of it is tried again in this look. */
  unchanged?: Unchanged;
  /** Kubeconfigs of a cluster that lives on could not be revoked: it was told. */
  accessIsLeft?: true;
  /** What came of the last try to reach a cluster that was brought along. */
  reached?: Reached | undefined;
}

export interface Unchanged {
  readonly trouble: Problem;
  /** When it is of use to ask again; or what to end the look with, where that is soon. */
  readonly again: { readonly afterMs: number } | { readonly error: unknown };
}

export interface Reached extends Finding {
  /** Only a change helps. */
  readonly isFinal: boolean;
  /** Of the Cluster that was tried. */
  readonly generation: number | undefined;
  /** As it was seen before it was tried: see Seen.secret. */
  readonly secret?: string | undefined;
  readonly server?: string;
  /** See ClusterStatus.certificateAuthorityHash. */
  readonly authorityHash?: string;
  /** How often in a row it was not to be reached. */
  readonly failures?: number;
  /** When to try again. Monotonic: a wall clock that is set back would have it rest for as long. */
  readonly until: number;
}

/** Whether nothing has changed since that could make it another answer. */
export function isAbout({ generation, secret }: Reached, seen: Pick<Seen, "cluster" | "secret">): boolean {
  return generation === seen.cluster.metadata.generation && secret === seen.secret;
}
