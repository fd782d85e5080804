/** What each check of the contract is given, and the few words in which checks speak. */
import {
  defineResource,
  isNotFound,
  type KubeObject,
  type ResourceType,
  StatusError,
  type Stored,
} from "@berg/apimachinery";
import { type Client, type Connection, type CoreEvent, Events, type Pod, Pods, ServiceAccounts } from "@berg/kube";
import { vi } from "vitest";
import type { Ask } from "./wire.ts";

/** A control plane as far as the contract needs to know it: a real one, or another that claims to be like it. */
export interface Subject {
  /** Of somebody who may do everything. */
  readonly connection: Connection;
  /** Path of a kubeconfig for the same. */
  readonly kubeconfig: string;
  /** The connection of whoever has this token. */
  connectWith(token: string): Connection;
  /** A certificate for a user, signed by a CA whose users the server takes. */
  issueClientCertificate(user: string): Promise<{ cert: string; key: string }>;
  /** Makes the server forget how events came to be what they are now. */
  forgetHistory(): Promise<unknown>;
  stop(): Promise<void>;
}

export interface Given {
  readonly subject: Subject;
  /** Of somebody who may do everything. */
  readonly client: Client;
  /** New for each test. */
  readonly namespace: string;
  /** A request of the same somebody, as it goes over the wire. */
  readonly ask: Ask;
  /** A client that is closed when everything is over. */
  connect(connection: Connection): Client;
}

/** The refusal of a call that must be refused. */
export async function refusal(call: Promise<unknown>): Promise<StatusError> {
  const outcome = await call.catch((error: unknown) => error);
  if (outcome instanceof StatusError) return outcome;
  throw new Error("want a refusal", { cause: outcome });
}

/** Tries until it does not throw. */
export function eventually<T>(check: () => T | Promise<T>, withinMs = 30_000): Promise<T> {
  return vi.waitFor(check, { timeout: withinMs, interval: 50 });
}

export async function exists(
  client: Client,
  type: ResourceType,
  { namespace = "", name }: KubeObject["metadata"],
): Promise<boolean> {
  return client.get(type, namespace, name).then(
    () => true,
    (error) => {
      if (isNotFound(error)) return false;
      throw error;
    },
  );
}

export function untilGone(client: Client, type: ResourceType, metadata: KubeObject["metadata"]): Promise<void> {
  return eventually(async () => {
    if (await exists(client, type, metadata)) throw new Error(`${metadata.name} is still there`);
  });
}

/** A pod that nobody runs. Its namespace may be so new that it has no service account yet. */
export async function createPod({ client, namespace }: Given, name: string, metadata: object = {}, spec: object = {}) {
  await eventually(() => client.get(ServiceAccounts, namespace, "default"));
  return client.create<Pod>(Pods, {
    metadata: { namespace, name, ...metadata },
    spec: { containers: [{ name: "main", image: "none" }], ...spec },
  });
}

/** Events are the kind whose history no server keeps in memory: it is forgotten with `forgetHistory`. */
export function recordEvent({ client, namespace }: Given, name: string, more: object = {}): Promise<Stored<CoreEvent>> {
  return client.create(Events, {
    metadata: { namespace, name },
    involvedObject: { namespace, kind: "Pod", name: "none" },
    reason: "Recorded",
    type: "Normal",
    ...more,
  });
}

export function tokenFor({ client, namespace }: Given, account: string): Promise<string> {
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  return client
    .createSubresource<{ status: { token: string } }>(ServiceAccounts, namespace, account, "token", request)
    .then(({ status }) => status.token);
}

// KINDS THAT ONLY THE CONTRACT USES

export type WithSpec = KubeObject & { spec: Record<string, unknown>; status?: Record<string, unknown> };

export const PodDisruptionBudgets = defineResource<WithSpec>({
  group: "policy",
  version: "v1",
  resource: "poddisruptionbudgets",
  kind: "PodDisruptionBudget",
  namespaced: true,
});

export const CustomResourceDefinitions = defineResource<WithSpec>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});

export const Roles = defineResource<KubeObject>({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  resource: "roles",
  kind: "Role",
  namespaced: true,
});

export const ResourceQuotas = defineResource<KubeObject & { spec: { hard: Record<string, string> } }>({
  group: "",
  version: "v1",
  resource: "resourcequotas",
  kind: "ResourceQuota",
  namespaced: true,
});

export const CSIStorageCapacities = defineResource<KubeObject & { storageClassName: string; capacity?: string }>({
  group: "storage.k8s.io",
  version: "v1",
  resource: "csistoragecapacities",
  kind: "CSIStorageCapacity",
  namespaced: true,
});
