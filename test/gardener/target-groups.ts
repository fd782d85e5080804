/** Who may do what in a cluster of Gardener, before anybody else says so. */
import { defineResource, type KubeObject } from "@berg/apimachinery";
import { type Connection, createClient, unlimited } from "@berg/kube";

export const projectAdmins = "gardener.cloud:project:admins";
export const projectViewers = "gardener.cloud:project:viewers";

const bindings = [
  { group: projectAdmins, role: "cluster-admin" },
  { group: "gardener.cloud:system:admins", role: "cluster-admin" },
  { group: projectViewers, role: "view" },
  { group: "gardener.cloud:system:viewers", role: "view" },
];

const rbac = "rbac.authorization.k8s.io";
const ClusterRoleBindings = defineResource<KubeObject & { roleRef: object; subjects: object[] }>({
  group: rbac,
  version: "v1",
  resource: "clusterrolebindings",
  kind: "ClusterRoleBinding",
  namespaced: false,
});

/** As gardenlet does in each cluster. */
export async function bindGroups(connection: Connection): Promise<void> {
  const client = createClient({ connection, rate: unlimited });
  try {
    for (const { group, role } of bindings) {
      await client.create(ClusterRoleBindings, {
        metadata: { name: group },
        roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
        subjects: [{ apiGroup: rbac, kind: "Group", name: group }],
      });
    }
  } finally {
    await client.close();
  }
}
