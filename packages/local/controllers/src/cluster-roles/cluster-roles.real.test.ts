/** Each check on ours and on Kubernetes' own. */
import { defineResource, type KubeObject } from "@berg/apimachinery";
import { missingControlPlane, startControlPlane } from "@berg/test";
import { describe, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { useWorld, worlds } from "../testing/worlds.ts";
import { addClusterRoleController } from "./cluster-roles.ts";

const ClusterRoles = defineResource<KubeObject & { rules?: object[] | null; aggregationRule?: object }>({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  resource: "clusterroles",
  kind: "ClusterRole",
  namespaced: false,
});

describe.skipIf(await missingControlPlane()).each(worlds)("gathered cluster roles, %s", (world) => {
  const plane = useWorld(startControlPlane, world, addClusterRoleController);

  test("follow the roles that they select, and those that these select", async () => {
    const { client } = plane;
    const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
    const select = (label: string) => ({ clusterRoleSelectors: [{ matchLabels: { [label]: "yes" } }] });
    const becomes = (name: string, ...resources: string[]) =>
      eventually(`${name} has ${resources}`, async () => {
        const { rules } = await client.get(ClusterRoles, "", name);
        return JSON.stringify(rules ?? []) === JSON.stringify(resources.map((one) => sorted(rule(one))));
      });
    const sorted = ({ apiGroups, resources, verbs }: ReturnType<typeof rule>) => ({ verbs, apiGroups, resources });
    const make = (name: string, label: string, more: object) =>
      client.create(ClusterRoles, { metadata: { name, labels: { [label]: "yes" } }, ...more });

    await make("outer", "none", { aggregationRule: select("to-outer"), rules: [rule("nodes")] });
    await make("inner", "to-outer", { aggregationRule: select("to-inner") });
    await becomes("inner");
    await make("b", "to-inner", { rules: [rule("pods"), rule("secrets")] });
    await becomes("inner", "pods", "secrets");
    await becomes("outer", "pods", "secrets");
    await make("a", "to-inner", { rules: [rule("secrets")] });
    await becomes("outer", "secrets", "pods");
    await client.delete(ClusterRoles, "", "b");
    await becomes("outer", "secrets");
    await client.delete(ClusterRoles, "", "a");
    await becomes("outer");
  });
});
