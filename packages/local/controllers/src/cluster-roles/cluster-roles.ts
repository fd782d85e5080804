/** ClusterRoles with an aggregationRule have the rules of all roles that it selects: `view` grows with what is installed. */
import { defineResource, jsonEqual, keyOf } from "@berg/apimachinery";
import { type Manager, type Watch, watchMapped } from "@berg/kube";
import { type ClusterRole, gatheredRules, rulesOf } from "./gathered-rules.ts";

const ClusterRoles = defineResource<ClusterRole>({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  resource: "clusterroles",
  kind: "ClusterRole",
  namespaced: false,
});

export function addClusterRoleController(manager: Manager): void {
  const roles = manager.informer(ClusterRoles);
  // They are few, and any of them may be selected by any other.
  const gathering = () =>
    roles
      .list()
      .filter(({ aggregationRule }) => aggregationRule)
      .map(keyOf);
  const watch: Watch = { ...watchMapped(roles, gathering), all: gathering };
  manager.addController({
    name: "cluster-roles",
    watches: [watch],
    async reconcile(key, { signal }) {
      const role = roles.get(key);
      if (!role?.aggregationRule) return;
      const rules = gatheredRules(role, roles.list());
      if (jsonEqual(rules, rulesOf(role))) return;
      // Where nothing is selected, what somebody else wrote stays, as Kubernetes leaves it.
      const wanted = { metadata: { name: role.metadata.name }, ...(rules.length > 0 && { rules }) };
      const options = { fieldManager: "clusterrole-aggregation-controller", force: true, signal };
      await manager.client.apply(ClusterRoles, wanted, options);
    },
  });
}
