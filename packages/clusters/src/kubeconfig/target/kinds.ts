/** Kinds of RBAC and of admission policies, as far as access is made of them. */
import { defineResource, type KubeObject } from "@berg/apimachinery";
import type { Rule } from "../rules/rule.ts";

export interface Role extends KubeObject {
  rules?: Rule[] | null;
}

export interface RoleBinding extends KubeObject {
  roleRef: { apiGroup: string; kind: string; name: string };
  subjects?: { kind: string; name: string; namespace?: string; apiGroup?: string }[] | null;
}

const rbac = { group: "rbac.authorization.k8s.io", version: "v1" } as const;

export const ClusterRoles = defineResource<Role>({
  ...rbac,
  resource: "clusterroles",
  kind: "ClusterRole",
  namespaced: false,
});

export const ClusterRoleBindings = defineResource<RoleBinding>({
  ...rbac,
  resource: "clusterrolebindings",
  kind: "ClusterRoleBinding",
  namespaced: false,
});

export const Roles = defineResource<Role>({ ...rbac, resource: "roles", kind: "Role", namespaced: true });

export const RoleBindings = defineResource<RoleBinding>({
  ...rbac,
  resource: "rolebindings",
  kind: "RoleBinding",
  namespaced: true,
});

/** A ValidatingAdmissionPolicy or its binding. */
export interface Policy extends KubeObject {
  spec: object;
}

const admission = { group: "admissionregistration.k8s.io", version: "v1", namespaced: false } as const;

export const ValidatingAdmissionPolicies = defineResource<Policy>({
  ...admission,
  resource: "validatingadmissionpolicies",
  kind: "ValidatingAdmissionPolicy",
});

export const ValidatingAdmissionPolicyBindings = defineResource<Policy>({
  ...admission,
  resource: "validatingadmissionpolicybindings",
  kind: "ValidatingAdmissionPolicyBinding",
});
