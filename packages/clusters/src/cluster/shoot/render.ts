/** The Shoot that a Cluster asks for. Pure. What of it is taken over by a Shoot that is there is in with-changes.ts. */
import type { Cluster, ClusterInfrastructure } from "@berg/resources";
import type { ShootSpec, ShootWorker } from "../../gardener/kinds.ts";
import { parseRange, type Range } from "../providers/cidr.ts";
import type { Provider } from "../providers/provider.ts";

export interface Wanted {
  readonly cluster: Cluster;
  readonly infrastructure: ClusterInfrastructure;
  readonly provider: Provider;
  /** In the order in which they were chosen. */
  readonly zones: readonly string[];
  /** The ConfigMap that says who may sign in; undefined where nobody may but by certificates. */
  readonly authentication: string | undefined;
}

/** Which account pays. */
export interface Account {
  readonly kind: "CredentialsBinding" | "SecretBinding";
  readonly name: string;
}

/** Of the machines that the Cluster asks for; others are somebody else's. */
export const workerName = "cpu-worker-0";
const networkingFilter = "shoot-networking-filter";

/** As it is created. */
export function renderShoot(wanted: Wanted, { kind, name }: Account): ShootSpec {
  return {
    ...renderSpec(wanted),
    ...(kind === "SecretBinding" ? { secretBindingName: name } : { credentialsBindingName: name }),
  };
}

export function renderSpec(wanted: Wanted): ShootSpec {
  const { cluster, infrastructure, provider, zones, authentication } = wanted;
  const { networking } = infrastructure;
  const { core, extensions } = cluster.spec;
  const layout = { nodes: parseRange(networking.nodes) as Range, zones };
  const filterDisabled = extensions?.shootNetworkingFilterDisabled;
  return {
    cloudProfile: { kind: "CloudProfile", name: core?.cloudProfile ?? provider.type },
    region: core?.region ?? "",
    ...(core && { purpose: core.purpose.toLowerCase() }),
    ...(core?.exposureClassName !== undefined && { exposureClassName: core.exposureClassName }),
    ...(core?.highAvailability !== undefined && {
      controlPlane: { highAvailability: { failureTolerance: { type: core.highAvailability } } },
    }),
    ...(filterDisabled !== undefined && { extensions: [{ type: networkingFilter, disabled: filterDisabled }] }),
    networking: { ...networking },
    kubernetes: {
      ...(core?.kubernetesVersion !== undefined && { version: core.kubernetesVersion }),
      ...(authentication !== undefined && {
        kubeAPIServer: { structuredAuthentication: { configMapName: authentication } },
      }),
    },
    ...(core?.maintenance !== undefined && { maintenance: core.maintenance }),
    provider: {
      type: provider.type,
      infrastructureConfig: provider.infrastructureConfig(layout),
      controlPlaneConfig: provider.controlPlaneConfig(layout),
      workers: [workerOf(infrastructure, provider, zones)],
    },
  };
}

function workerOf(infrastructure: ClusterInfrastructure, provider: Provider, zones: readonly string[]): ShootWorker {
  const { machineType, machineImage, autoScalerMin, autoScalerMax, volume } = infrastructure;
  return {
    name: workerName,
    machine: { type: machineType, ...(machineImage && { image: machineImage }) },
    minimum: autoScalerMin,
    maximum: autoScalerMax,
    // One more machine in each zone at a time while they are replaced, and never one less.
    maxSurge: zones.length,
    maxUnavailable: 0,
    volume: { ...provider.volume, ...volume },
    zones: [...zones],
    ...(provider.workerConfig && { providerConfig: provider.workerConfig }),
  };
}
