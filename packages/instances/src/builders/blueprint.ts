/** What every builder takes: all that decides how the objects of one instance look. Equal blueprints give equal objects. */
import type { KubeObject, ResourceType, ToCreate } from "@berg/apimachinery";
import type { ChallengeSpec } from "@berg/resources";
import type { BuildSettings } from "../settings/settings.ts";

export interface Blueprint {
  instance: InstanceIdentity;
  challenge: { name: string; namespace: string };
  workload: Workload;
  settings: BuildSettings;
}

export interface InstanceIdentity {
  /** Of the ChallengeInstance: unlike every name it is never used twice. */
  uid: string;
  instanceId: string;
  ownerId: string;
  /** Empty where none was given. Only where a container asks for it may it go into an object. */
  flag: string;
  /** `spec.restarts`: a higher one rolls the Deployments. */
  restarts: number;
}

/** The part of a Challenge that an instance runs. Never its static flag: this is recorded beside the instance. */
export type Workload = Pick<ChallengeSpec, "containers" | "allowOutboundTraffic">;

/** One object to be made, with the resource under which it is served. */
export interface Child<T extends KubeObject = KubeObject> {
  type: ResourceType<T>;
  manifest: Manifest<T>;
}

export type Manifest<T extends KubeObject> = ToCreate<T> & { metadata: { name: string } };

/** The two kinds that a cluster may serve in another version than ours, or not at all. */
export interface RouteTypes {
  httpRoute: ResourceType;
  tlsRoute: ResourceType;
}
