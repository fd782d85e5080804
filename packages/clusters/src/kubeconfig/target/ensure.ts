/** Objects of access exactly as wanted: one word more in a role is one right more, so nothing beside it is let be. */
import {
  isAlreadyExists,
  isNotFound,
  jsonEqual,
  type KubeObject,
  type ResourceType,
  type Stored,
  type ToCreate,
} from "@berg/apimachinery";
import { type Client, deleteChild, Namespaces, NotOurs, type ResourceQuota, ResourceQuotas } from "@berg/kube";
import { accessNamespace, labels, managedByClusters } from "../../vocabulary.ts";
import { isOf, type Request } from "../names.ts";
import { fieldManager } from "../vocabulary.ts";
import type { Role, RoleBinding } from "./kinds.ts";
import { type Named, noPods, sharedNamespace } from "./objects.ts";

interface Around {
  client: Client;
  request: Request;
  signal: AbortSignal;
}

/** Made where it is missing; what is there and is somebody else's is left alone (NotOurs). */
export async function ensureThere<T extends KubeObject>(
  type: ResourceType<T>,
  manifest: Named<ToCreate<T>>,
  found: Stored<T> | undefined,
  { client, request, signal }: Around,
): Promise<Stored<T>> {
  if (found) return found;
  const { namespace = "", name } = manifest.metadata;
  try {
    return await client.create(type, manifest, { fieldManager, signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const existing = await client.get(type, namespace, name, { signal });
    if (!isOf(request, existing)) throw new NotOurs(type, namespace, name);
    return existing;
  }
}

export async function ensureRole(
  type: ResourceType<Role>,
  manifest: Named<ToCreate<Role>>,
  found: Stored<Role> | undefined,
  around: Around,
): Promise<void> {
  const role = await ensureThere(type, manifest, found, around);
  if (jsonEqual(role.rules ?? [], manifest.rules ?? [])) return;
  const { aggregationRule: _, ...rest } = role as Stored<Role> & { aggregationRule?: unknown };
  const { client, signal } = around;
  await client.update(type, { ...rest, rules: manifest.rules ?? [] }, { fieldManager, signal });
}

export async function ensureBinding(
  type: ResourceType<RoleBinding>,
  manifest: Named<ToCreate<RoleBinding>>,
  found: Stored<RoleBinding> | undefined,
  around: Around,
): Promise<void> {
  const { client, signal } = around;
  let binding = await ensureThere(type, manifest, found, around);
  if (!jsonEqual(binding.roleRef, manifest.roleRef)) {
    // It cannot be changed.
    await deleteChild(client, type, binding, { signal });
    binding = await ensureThere(type, manifest, undefined, around);
  }
  const subjects = manifest.subjects ?? [];
  if (!jsonEqual(binding.subjects ?? [], subjects))
    await client.update(type, { ...binding, subjects }, { fieldManager, signal });
}

/** The namespace that all requests share, and that no pod can be in. */
export async function ensureAccessNamespace(client: Client, signal: AbortSignal): Promise<void> {
  const quota = await findQuota(client, signal);
  if (!quota) {
    await createShared(Namespaces, sharedNamespace);
    return createShared(ResourceQuotas, noPods);
  }
  const { name, labels: marks = {} } = quota.metadata;
  if (marks[labels.managedBy] !== managedByClusters) throw new NotOurs(ResourceQuotas, accessNamespace, name);
  if (!jsonEqual(quota.spec, noPods.spec))
    await client.update(ResourceQuotas, { ...quota, spec: noPods.spec }, { fieldManager, signal });

  async function createShared<T extends KubeObject>(type: ResourceType<T>, manifest: Named<ToCreate<T>>) {
    await client.create(type, manifest, { fieldManager, signal }).catch((error) => {
      // Another request was first.
      if (!isAlreadyExists(error)) throw error;
    });
  }
}

async function findQuota(client: Client, signal: AbortSignal): Promise<Stored<ResourceQuota> | undefined> {
  try {
    return await client.get(ResourceQuotas, accessNamespace, noPods.metadata.name, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** One that is on its way out takes nothing new. */
export async function isNamespaceThere(client: Client, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { metadata } = await client.get(Namespaces, "", name, { signal });
    return metadata.deletionTimestamp === undefined;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
