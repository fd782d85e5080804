/** What is seen of Clusters, for tests: at one moment, with a CloudProfile of three zones and an account. */
import type { Stored } from "@berg/apimachinery";
import type { Cluster } from "@berg/resources";
import type { CloudProfile, ShootStatus } from "../../gardener/kinds.ts";
import type { Seen } from "../seen.ts";

export const time = "2026-01-01T12:00:00Z";
export const now = Date.parse(time);

export const zones = ["eu-central-1a", "eu-central-1b", "eu-central-1c"];
export const conditionOf = (status: string, lastTransitionTime = time) => ({
  type: "EveryNodeReady",
  status,
  reason: "Because",
  message: "",
  lastTransitionTime,
});
export const done: ShootStatus = {
  observedGeneration: 1,
  lastOperation: { type: "Create", state: "Succeeded", progress: 100, description: "", lastUpdateTime: time },
  conditions: [conditionOf("True")],
};

export const profile: CloudProfile = {
  apiVersion: "core.gardener.cloud/v1beta1",
  kind: "CloudProfile",
  metadata: { name: "aws" },
  spec: {
    type: "aws",
    regions: [{ name: "eu-central-1", zones: ["a", "b", "c"].map((zone) => ({ name: `eu-central-1${zone}` })) }],
    kubernetes: { versions: [] },
  },
};

export function subscriptionOf(cluster: Stored<Cluster>): NonNullable<Seen["subscription"]> {
  const { uid, name } = cluster.metadata;
  const binding = { apiVersion: "v1alpha1", kind: "CredentialsBinding", name: "account-1", uid: "b" } as const;
  return {
    apiVersion: "control-plane.kyma-project.io/v1alpha1",
    kind: "SubscriptionRequest",
    metadata: {
      name,
      uid: "s",
      resourceVersion: "1",
      creationTimestamp: time,
      ownerReferences: [{ apiVersion: cluster.apiVersion, kind: "Cluster", name, uid }],
    },
    spec: { provider: "aws", subscriptionSelector: "shared" },
    status: { phase: "Bound", binding },
  };
}

export function look(cluster: Stored<Cluster>, more: Partial<Seen> = {}): Seen {
  return {
    cluster,
    isHeld: true,
    away: undefined,
    shootName: "c-abcdefgh",
    shoot: undefined,
    subscription: subscriptionOf(cluster),
    secret: undefined,
    project: "berg",
    profiles: [profile],
    hasOpenAccess: false,
    isAnswered: false,
    facts: {},
    now,
    monotonic: 0,
    time,
    ...more,
  };
}
