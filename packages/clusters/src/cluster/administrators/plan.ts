/** Which bindings make exactly the administrators of a Cluster cluster-admin. Pure. */
import { defineResource, type KubeObject, type Stored, type ToCreate } from "@berg/apimachinery";
import type { Cluster } from "@berg/resources";
import { labels, managedByClusters } from "../../vocabulary.ts";
import { adminBindingNameOf } from "../names.ts";

export interface ClusterRoleBinding extends KubeObject {
  roleRef: { apiGroup: string; kind: string; name: string };
  subjects?: { apiGroup?: string; kind: string; name: string; namespace?: string }[];
}

export const ClusterRoleBindings = defineResource<ClusterRoleBinding>({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  resource: "clusterrolebindings",
  kind: "ClusterRoleBinding",
  namespaced: false,
});

const apiGroup = "rbac.authorization.k8s.io";

export function bindingSelectorOf({ metadata }: Stored<Cluster>): string {
  return `${labels.managedBy}=${managedByClusters},${labels.clusterUid}=${metadata.uid}`;
}

export function isBindingOf({ metadata }: KubeObject, cluster: Stored<Cluster>): boolean {
  const marks = metadata.labels ?? {};
  return marks[labels.managedBy] === managedByClusters && marks[labels.clusterUid] === cluster.metadata.uid;
}

export type WantedBinding = ToCreate<ClusterRoleBinding> & { metadata: { name: string } };

export interface BindingPlan {
  /** First: one that was tampered with is made anew, for its role cannot be changed. */
  readonly remove: readonly Stored<ClusterRoleBinding>[];
  readonly create: readonly WantedBinding[];
}

/** `found`: those with our marks. Others are nobody's business of ours. */
export function planBindings(
  administrators: readonly string[],
  found: readonly Stored<ClusterRoleBinding>[],
  cluster: Stored<Cluster>,
): BindingPlan {
  const wanted = new Map(administrators.map((user) => [adminBindingNameOf(user), user]));
  const isRight = ({ metadata, roleRef, subjects = [] }: ClusterRoleBinding) => {
    const [subject] = subjects;
    const isAdmin = roleRef.kind === "ClusterRole" && roleRef.name === "cluster-admin";
    const isOne = subjects.length === 1 && subject?.kind === "User" && subject.name === wanted.get(metadata.name);
    return isAdmin && isOne;
  };
  const right = new Set(found.filter(isRight).map(({ metadata }) => metadata.name));
  return {
    remove: found.filter(({ metadata }) => !right.has(metadata.name)),
    create: [...wanted].filter(([name]) => !right.has(name)).map(([name, user]) => bindingOf(name, user, cluster)),
  };
}

function bindingOf(name: string, user: string, { metadata }: Stored<Cluster>): WantedBinding {
  return {
    metadata: { name, labels: { [labels.managedBy]: managedByClusters, [labels.clusterUid]: metadata.uid } },
    roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup, kind: "User", name: user }],
  };
}
