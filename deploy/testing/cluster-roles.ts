import { defineResource, type KubeObject } from "@berg/apimachinery";

export const ClusterRoles = defineResource<KubeObject & { rules: object[] }>({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  resource: "clusterroles",
  kind: "ClusterRole",
  namespaced: false,
});
