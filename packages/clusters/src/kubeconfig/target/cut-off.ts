/** Takes access away in a target. What bites first goes first. */
import type { KubeObject, ResourceType, Stored } from "@berg/apimachinery";
import { type Client, deleteChild, Secrets, ServiceAccounts } from "@berg/kube";
import type { Holdings } from "./holdings.ts";
import { ClusterRoleBindings, ClusterRoles, RoleBindings, Roles } from "./kinds.ts";

/** After it nobody can do anything: at once for want of rights, and within 10 s for want of a valid token. */
export async function cutOff(client: Client, held: Holdings, signal: AbortSignal): Promise<void> {
  await removeAll(client, ClusterRoleBindings, held.clusterRoleBindings, signal);
  await removeAll(client, RoleBindings, held.roleBindings, signal);
  await removeAll(client, Secrets, held.anchors, signal);
  await removeAll(client, ServiceAccounts, held.serviceAccounts, signal);
}

export async function removeRoles(client: Client, held: Holdings, signal: AbortSignal): Promise<void> {
  await removeAll(client, ClusterRoles, held.clusterRoles, signal);
  await removeAll(client, Roles, held.roles, signal);
}

async function removeAll<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  objects: readonly Stored<T>[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(objects.map((object) => deleteChild(client, type, object, { signal })));
}
