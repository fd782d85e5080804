/** All that a target has of one request, as its server says: found by its marks, wherever it is. */
import { isNotFound, type KubeObject, type ResourceType, type Stored } from "@berg/apimachinery";
import { type Client, type Secret, Secrets, type ServiceAccount, ServiceAccounts } from "@berg/kube";
import { accessNamespace } from "../../vocabulary.ts";
import type { Found } from "../elsewhere.ts";
import { accessName, epochOf, isOf, type Request, selectorOf } from "../names.ts";
import { ClusterRoleBindings, ClusterRoles, type Role, type RoleBinding, RoleBindings, Roles } from "./kinds.ts";

export interface Holdings {
  clusterRoles: Stored<Role>[];
  clusterRoleBindings: Stored<RoleBinding>[];
  /** Of any namespace: that of the role may have been another. */
  roles: Stored<Role>[];
  roleBindings: Stored<RoleBinding>[];
  serviceAccounts: Stored<ServiceAccount>[];
  anchors: Stored<Secret>[];
}

export async function holdingsOf(client: Client, request: Request, signal: AbortSignal): Promise<Holdings> {
  const labelSelector = selectorOf(request);
  const list = async <T extends KubeObject>(type: ResourceType<T>, namespace?: string) =>
    (await client.listAll(type, { labelSelector, namespace, signal })).items;
  const [clusterRoles, clusterRoleBindings, roles, roleBindings, serviceAccounts, anchors] = await Promise.all([
    list(ClusterRoles),
    list(ClusterRoleBindings),
    list(Roles),
    list(RoleBindings),
    list(ServiceAccounts, accessNamespace),
    list(Secrets, accessNamespace),
  ]);
  return { clusterRoles, clusterRoleBindings, roles, roleBindings, serviceAccounts, anchors };
}

/**
 * The same where all of it was as it should be once: by name, as the spec has it. What is elsewhere was removed then, and
 * what has changed since is seen as well.
 */
export async function usualHoldingsOf(client: Client, request: Request, signal: AbortSignal): Promise<Holdings> {
  const { clusterRole, role } = request.spec;
  const find = async <T extends KubeObject>(type: ResourceType<T>, namespace: string | undefined) => {
    if (namespace === undefined) return [];
    try {
      const found = await client.get(type, namespace, accessName(request), { signal });
      return isOf(request, found) ? [found] : [];
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  };
  const everywhere = clusterRole && "";
  const anchorsOf = { namespace: accessNamespace, labelSelector: selectorOf(request), signal };
  const [clusterRoles, clusterRoleBindings, roles, roleBindings, serviceAccounts, { items: anchors }] =
    await Promise.all([
      find(ClusterRoles, everywhere),
      find(ClusterRoleBindings, everywhere),
      find(Roles, role?.namespace),
      find(RoleBindings, role?.namespace),
      find(ServiceAccounts, accessNamespace),
      client.listAll(Secrets, anchorsOf),
    ]);
  return { clusterRoles, clusterRoleBindings, roles, roleBindings, serviceAccounts, anchors };
}

/** Those of the name, and of the namespace where there is one. */
export function named<T extends KubeObject>(
  objects: readonly Stored<T>[],
  request: Request,
  namespace?: string,
): Stored<T> | undefined {
  const name = accessName(request);
  return objects.find(
    ({ metadata }) => metadata.name === name && (namespace ?? metadata.namespace) === metadata.namespace,
  );
}

export function foundIn({ serviceAccounts, ...others }: Holdings, request: Request): Found {
  return {
    accountUid: named(serviceAccounts, request)?.metadata.uid,
    hasMore: Object.values(others).some((objects) => objects.length > 0),
  };
}

export function epochOfAnchor(request: Request, anchor: Stored<Secret>): number | undefined {
  return epochOf(request, anchor.metadata.name);
}
