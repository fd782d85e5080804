/** Clusters and Shoots for tests, as a server would return them. */
import type { Stored } from "@berg/apimachinery";
import type { Cluster, ClusterInfrastructure, ClusterSpec, ClusterStatus } from "@berg/resources";
import type { Shoot, ShootSpec, ShootStatus } from "../../gardener/kinds.ts";
import type { Provider } from "../providers/provider.ts";
import { providerOf } from "../providers/providers.ts";
import { marksOf } from "../shoot/marks.ts";
import { renderShoot, type Wanted } from "../shoot/render.ts";

export const someInfrastructure: ClusterInfrastructure = {
  provider: "aws",
  machineType: "m5.2xlarge",
  autoScalerMin: 3,
  autoScalerMax: 5,
  numberOfZones: 3,
  subscriptionSelector: "globalaccount:abcd-0001",
  networking: { type: "calico", nodes: "10.250.0.0/16", pods: "100.96.0.0/11", services: "100.64.0.0/13" },
};

interface Given {
  name?: string;
  uid?: string;
  generation?: number;
  annotations?: Record<string, string>;
  spec?: Partial<ClusterSpec>;
  infrastructure?: Partial<ClusterInfrastructure>;
  status?: ClusterStatus;
}

export function makeCluster(given: Given = {}): Stored<Cluster> {
  const { name = "red", uid = "11111111-2222-3333-4444-555555555555", generation = 1, annotations, status } = given;
  return {
    apiVersion: "operator.kyma-project.io/v1alpha1",
    kind: "Cluster",
    metadata: {
      name,
      namespace: "clusters",
      uid,
      generation,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(annotations && { annotations }),
    },
    spec: {
      core: { purpose: "Production", region: "eu-central-1" },
      infrastructure: { ...someInfrastructure, ...given.infrastructure },
      administrators: [],
      deletionPolicy: "Delete",
      ...given.spec,
    },
    ...(status && { status }),
  };
}

export function wantedOf(
  cluster: Stored<Cluster>,
  zones = ["eu-central-1a", "eu-central-1b", "eu-central-1c"],
): Wanted {
  const infrastructure = cluster.spec.infrastructure as ClusterInfrastructure;
  const provider = providerOf(infrastructure.provider) as Provider;
  return { cluster, infrastructure, provider, zones, authentication: undefined };
}

export const account = { kind: "CredentialsBinding", name: "account-1" } as const;

export function makeShoot(cluster: Stored<Cluster>, status?: ShootStatus, spec?: Partial<ShootSpec>): Stored<Shoot> {
  return {
    apiVersion: "core.gardener.cloud/v1beta1",
    kind: "Shoot",
    metadata: {
      name: "c-abcdefgh",
      namespace: "garden-berg",
      uid: "shoot-uid",
      generation: 1,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...marksOf(cluster),
    },
    spec: { ...renderShoot(wantedOf(cluster), account), ...spec },
    ...(status && { status }),
  };
}
