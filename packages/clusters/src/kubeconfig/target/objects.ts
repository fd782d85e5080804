/** What access to a target is made of. Pure. */
import type { ToCreate } from "@berg/apimachinery";
import type { Namespace, ResourceQuota, Secret, ServiceAccount } from "@berg/kube";
import { accessNamespace, labels, managedByClusters } from "../../vocabulary.ts";
import { accessName, anchorName, marksOf, type Request } from "../names.ts";
import type { Rule } from "../rules/rule.ts";
import type { Role, RoleBinding } from "./kinds.ts";

/** As RBAC understands them. */
export interface WantedRules {
  clusterRole: Rule[] | undefined;
  role: { namespace: string; rules: Rule[] } | undefined;
}

export type Named<T> = T & { metadata: { name: string } };

/** Shared by all requests of a target, and never removed. */
export const sharedNamespace: Named<ToCreate<Namespace>> = {
  metadata: { name: accessNamespace, labels: { [labels.managedBy]: managedByClusters } },
};

/** In that namespace. A pod there could name any of the accounts, and be it. */
export const noPods = {
  metadata: { name: "no-pods", namespace: accessNamespace, labels: { [labels.managedBy]: managedByClusters } },
  spec: { hard: { pods: "0" } },
} satisfies Named<ToCreate<ResourceQuota>>;

export function serviceAccount(request: Request): Named<ToCreate<ServiceAccount>> {
  return {
    metadata: { name: accessName(request), namespace: accessNamespace, labels: marksOf(request) },
    // A pod that names it gets nothing by that.
    automountServiceAccountToken: false,
  };
}

/** Nothing is in it: tokens that are bound to it are good as long as it is there. */
export function anchor(request: Request, epoch: number): Named<ToCreate<Secret>> {
  return {
    metadata: { name: anchorName(request, epoch), namespace: accessNamespace, labels: marksOf(request) },
    type: "Opaque",
  };
}

export function clusterRoleFor(request: Request, rules: Rule[]): Named<ToCreate<Role>> {
  return { metadata: { name: accessName(request), labels: marksOf(request) }, rules };
}

export function roleFor(request: Request, namespace: string, rules: Rule[]): Named<ToCreate<Role>> {
  return { metadata: { name: accessName(request), namespace, labels: marksOf(request) }, rules };
}

/** Without a namespace: in the whole cluster. */
export function bindingFor(request: Request, namespace?: string): Named<ToCreate<RoleBinding>> {
  const name = accessName(request);
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  return {
    metadata: { name, labels: marksOf(request), ...(namespace !== undefined && { namespace }) },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
    subjects: [{ kind: "ServiceAccount", name, namespace: accessNamespace }],
  };
}
