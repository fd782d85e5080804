/** What is to be done next for one Cluster: one thing, and what its status says meanwhile. */
import type { Stored } from "@berg/apimachinery";
import type { ClusterStatus, SubscriptionRequest } from "@berg/resources";
import type { Shoot, ShootSpec } from "../gardener/kinds.ts";
import type { Authentication } from "./oidc/authentication.ts";

export type Step =
  /** Our finalizer on it. */
  | { readonly do: "hold" }
  | { readonly do: "requestSubscription" }
  /** Ask the garden itself: the copy may be behind. */
  | { readonly do: "findShoot" }
  | { readonly do: "writeAuthentication"; readonly authentication: Authentication }
  | { readonly do: "createShoot"; readonly spec: ShootSpec; readonly digest: string | undefined }
  | { readonly do: "changeShoot"; readonly shoot: Stored<Shoot>; readonly wanted: ShootChange }
  /** Ask Gardener to try again. */
  | { readonly do: "retryShoot"; readonly shoot: Stored<Shoot> }
  | { readonly do: "setAdministrators"; readonly administrators: readonly string[] }
  | { readonly do: "reach" }
  | { readonly do: "revokeAccess" }
  /** Tell that kubeconfigs were not revoked in time, and outlive the Cluster. */
  | { readonly do: "leaveAccess" }
  | { readonly do: "confirmDeletion"; readonly shoot: Stored<Shoot> }
  | { readonly do: "deleteShoot"; readonly shoot: Stored<Shoot> }
  /** Our marks off it: it is nobody's of ours any more. */
  | { readonly do: "leaveShoot"; readonly shoot: Stored<Shoot> }
  | { readonly do: "removeAuthentication" }
  | { readonly do: "releaseSubscription"; readonly subscription: Stored<SubscriptionRequest> }
  /** Our finalizer away. */
  | { readonly do: "letGo" };

/** What a Shoot is to look like. */
export interface ShootChange {
  readonly spec: ShootSpec;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
}

export interface Decision {
  readonly step?: Step;
  /** Where the step fails, the rest goes on: see Facts.unchanged. */
  readonly canWait?: true;
  /** To be written where there is no step, or where it fails. */
  readonly status: ClusterStatus;
  /** There is more to do as soon as this status is stored. */
  readonly goesOn?: boolean;
  /** When to look again, though nothing changes. */
  readonly lookAt?: number | undefined;
}
