/** The groups that come with Kubernetes. Kinds of these are answered a little differently from custom ones. */
import type { ServedResource } from "../registry/resource.ts";

/** In the order in which discovery tells them. */
export const builtInGroups = [
  "",
  "apiregistration.k8s.io",
  "apps",
  "events.k8s.io",
  "authentication.k8s.io",
  "authorization.k8s.io",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "networking.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "storage.k8s.io",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "scheduling.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "discovery.k8s.io",
];

export function isBuiltIn({ group }: Pick<ServedResource, "group">): boolean {
  return builtInGroups.includes(group);
}
