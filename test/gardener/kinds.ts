/**
 * The kinds of a garden, with the fields that it plays with itself. They are not taken from the package under test, so
 * that a mistake there is none here.
 */
import { defineResource, type KubeObject } from "@berg/apimachinery";

const core = { group: "core.gardener.cloud", version: "v1beta1" } as const;
const security = { group: "security.gardener.cloud", version: "v1alpha1" } as const;

export type OperationType = "Create" | "Reconcile" | "Delete" | "Migrate" | "Restore" | "LiveMigrate";
export type OperationState = "Processing" | "Succeeded" | "Error" | "Failed" | "Pending" | "Aborted";

export interface ShootCondition {
  type: string;
  status: "True" | "False" | "Unknown" | "Progressing";
  reason: string;
  message: string;
  lastTransitionTime: string;
  lastUpdateTime: string;
}

export interface LastError {
  description: string;
  taskID?: string;
  codes?: string[];
  lastUpdateTime?: string;
}

export interface RotationState {
  phase: string;
  lastInitiationTime?: string;
  lastCompletionTime?: string;
}

export interface TestShootStatus {
  observedGeneration?: number;
  technicalID?: string;
  uid?: string;
  seedName?: string;
  clusterIdentity?: string;
  hibernated?: boolean;
  gardener?: { id: string; name: string; version: string };
  advertisedAddresses?: { name: string; url: string }[];
  lastOperation?: {
    type: OperationType;
    state: OperationState;
    progress: number;
    description: string;
    lastUpdateTime: string;
  };
  lastErrors?: LastError[];
  conditions?: ShootCondition[];
  credentials?: { rotation?: { certificateAuthorities?: RotationState; serviceAccountKey?: RotationState } };
}

export interface TestShoot extends KubeObject {
  spec: Record<string, unknown> & { hibernation?: { enabled?: boolean } };
  status?: TestShootStatus;
}

export interface TestCredentialsBinding extends KubeObject {
  provider: { type: string };
  credentialsRef: { apiVersion: string; kind: string; name: string; namespace: string };
}

export interface TestSecretBinding extends KubeObject {
  provider: { type: string };
  secretRef: { name: string; namespace: string };
}

export const Shoots = defineResource<TestShoot>({ ...core, resource: "shoots", kind: "Shoot", namespaced: true });

export const SecretBindings = defineResource<TestSecretBinding>({
  ...core,
  resource: "secretbindings",
  kind: "SecretBinding",
  namespaced: true,
});

export const CredentialsBindings = defineResource<TestCredentialsBinding>({
  ...security,
  resource: "credentialsbindings",
  kind: "CredentialsBinding",
  namespaced: true,
});

type WithSpec = KubeObject & { spec: Record<string, unknown> };

export const CloudProfiles = defineResource<WithSpec>({
  ...core,
  resource: "cloudprofiles",
  kind: "CloudProfile",
  namespaced: false,
});

export const Projects = defineResource<WithSpec>({
  ...core,
  resource: "projects",
  kind: "Project",
  namespaced: false,
});
