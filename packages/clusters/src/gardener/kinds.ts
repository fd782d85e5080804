/**
 * The kinds of Gardener that the operators touch, with the fields that they read or write. Whatever else an object has is
 * somebody else's, and survives every write of ours.
 */
import { defineResource, type KubeObject } from "@berg/apimachinery";

/** A blob whose meaning is the provider extension's. */
export type ProviderBlob = { apiVersion: string; kind: string } & Record<string, unknown>;

export interface ShootWorker {
  name: string;
  machine: { type: string; image?: { name: string; version?: string }; architecture?: string };
  minimum: number;
  maximum: number;
  maxSurge?: number | string;
  maxUnavailable?: number | string;
  volume?: { type?: string; size: string };
  zones?: string[];
  providerConfig?: ProviderBlob;
  [other: string]: unknown;
}

export interface ShootSpec {
  cloudProfile?: { kind: string; name: string };
  credentialsBindingName?: string;
  secretBindingName?: string;
  region: string;
  purpose?: string;
  exposureClassName?: string;
  controlPlane?: { highAvailability?: { failureTolerance: { type: string } } };
  extensions?: { type: string; disabled?: boolean; providerConfig?: ProviderBlob }[];
  networking?: { type?: string; nodes?: string; pods?: string; services?: string; [other: string]: unknown };
  kubernetes?: {
    version?: string;
    kubeAPIServer?: { structuredAuthentication?: { configMapName: string }; [other: string]: unknown };
    [other: string]: unknown;
  };
  maintenance?: {
    timeWindow?: { begin: string; end: string };
    autoUpdate?: { kubernetesVersion?: boolean; machineImageVersion?: boolean };
    [other: string]: unknown;
  };
  hibernation?: { enabled?: boolean; [other: string]: unknown };
  provider: {
    type: string;
    infrastructureConfig?: ProviderBlob;
    controlPlaneConfig?: ProviderBlob;
    workers?: ShootWorker[];
    [other: string]: unknown;
  };
  [other: string]: unknown;
}

export interface ShootLastOperation {
  type: "Create" | "Reconcile" | "Delete" | "Migrate" | "Restore" | "LiveMigrate";
  state: "Processing" | "Succeeded" | "Error" | "Failed" | "Pending" | "Aborted";
  progress: number;
  description: string;
  lastUpdateTime: string;
}

export interface ShootStatus {
  observedGeneration?: number;
  technicalID?: string;
  uid?: string;
  seedName?: string;
  hibernated?: boolean;
  advertisedAddresses?: { name: string; url: string }[];
  lastOperation?: ShootLastOperation;
  lastErrors?: { description: string; taskID?: string; codes?: string[]; lastUpdateTime?: string }[];
  /** `status` is True, False, Unknown or Progressing. */
  conditions?: { type: string; status: string; reason: string; message: string; lastTransitionTime: string }[];
  credentials?: {
    rotation?: { certificateAuthorities?: { phase?: string }; serviceAccountKey?: { phase?: string } };
  };
  [other: string]: unknown;
}

export interface Shoot extends KubeObject {
  spec: ShootSpec;
  status?: ShootStatus;
}

/** One account of a cloud. It has no spec: these are its top-level fields, and none of them can be changed. */
export interface CredentialsBinding extends KubeObject {
  provider: { type: string };
  credentialsRef: { apiVersion: string; kind: string; name: string; namespace: string };
}

/** The same as it was before CredentialsBinding. */
export interface SecretBinding extends KubeObject {
  provider?: { type: string };
  secretRef: { name: string; namespace?: string };
}

export interface CloudProfile extends KubeObject {
  spec: {
    type: string;
    regions: { name: string; zones?: { name: string; [other: string]: unknown }[]; [other: string]: unknown }[];
    machineTypes?: { name: string; usable?: boolean; architecture?: string; [other: string]: unknown }[];
    machineImages?: {
      name: string;
      versions: { version: string; classification?: string; [other: string]: unknown }[];
      [other: string]: unknown;
    }[];
    kubernetes: { versions: { version: string; classification?: string; expirationDate?: string }[] };
    volumeTypes?: { name: string; [other: string]: unknown }[];
    [other: string]: unknown;
  };
}

const core = { group: "core.gardener.cloud", version: "v1beta1" } as const;

export const Shoots = defineResource<Shoot>({ ...core, resource: "shoots", kind: "Shoot", namespaced: true });

export const SecretBindings = defineResource<SecretBinding>({
  ...core,
  resource: "secretbindings",
  kind: "SecretBinding",
  namespaced: true,
});

export const CloudProfiles = defineResource<CloudProfile>({
  ...core,
  resource: "cloudprofiles",
  kind: "CloudProfile",
  namespaced: false,
});

export const CredentialsBindings = defineResource<CredentialsBinding>({
  group: "security.gardener.cloud",
  version: "v1alpha1",
  resource: "credentialsbindings",
  kind: "CredentialsBinding",
  namespaced: true,
});
