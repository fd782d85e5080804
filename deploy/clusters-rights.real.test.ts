/** What each account of deploy/clusters may do and what not: found out by asking a real API server. */

import { isForbidden } from "@berg/apimachinery";
import { Namespaces, Secrets } from "@berg/kube";
import { Clusters, SubscriptionRequests } from "@berg/resources";
import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessMatrix } from "./testing/access-matrix.ts";
import { ClusterRoles } from "./testing/cluster-roles.ts";
import { fileOf, home, type InstalledClusters, installedClusters } from "./testing/clusters-installed.ts";

const kinds = {
  [Clusters.group]: [
    ...["clusters", "clusters/status", "clusters/finalizers"],
    ...["kubeconfigrequests", "kubeconfigrequests/status", "kubeconfigrequests/finalizers"],
  ],
  [SubscriptionRequests.group]: [
    ...["subscriptionrequests", "subscriptionrequests/status", "subscriptionrequests/finalizers"],
  ],
};
/** With a verb for each that nobody is given. */
const usualRoles = { admin: "use", edit: "sign", view: "approve" };
const partOf = (role: string) => `rbac.authorization.k8s.io/aggregate-to-${role}`;

describe.skipIf(await missingControlPlane())("the rights that deploy/clusters gives", () => {
  let installed: InstalledClusters;
  beforeAll(async () => {
    installed = await installedClusters({ controllerManager: true });
  });
  afterAll(() => installed?.[Symbol.asyncDispose]());

  test("the operators' account may do what each of the three needs, and nothing more", async () => {
    expect(await accessMatrix(installed.operators, ["clusters", home, "kube-system", "elsewhere"], kinds)).toEqual([
      "clusters secrets: get list watch create update delete",
      "events: create patch",
      `${home} leases.coordination.k8s.io: create`,
      "clusters.operator.kyma-project.io: get list watch patch",
      "clusters/status.operator.kyma-project.io: update",
      "kubeconfigrequests.operator.kyma-project.io: get list watch patch",
      "kubeconfigrequests/status.operator.kyma-project.io: update",
      "subscriptionrequests.control-plane.kyma-project.io: get list watch create patch delete",
      "subscriptionrequests/status.control-plane.kyma-project.io: update",
    ]);
  });

  test("each operator's role is its own, and an operator alone could run with it", async () => {
    const { kubectl, clientOf } = installed;
    const roles = {
      "berg-clusters-cluster": [
        "clusters.operator.kyma-project.io: get list watch patch",
        "clusters/status.operator.kyma-project.io: update",
        "kubeconfigrequests.operator.kyma-project.io: get list watch",
        "subscriptionrequests.control-plane.kyma-project.io: get list watch create delete",
      ],
      "berg-clusters-subscription": [
        "subscriptionrequests.control-plane.kyma-project.io: get list watch patch",
        "subscriptionrequests/status.control-plane.kyma-project.io: update",
      ],
      "berg-clusters-kubeconfig": [
        "clusters.operator.kyma-project.io: get list watch",
        "kubeconfigrequests.operator.kyma-project.io: get list watch patch",
        "kubeconfigrequests/status.operator.kyma-project.io: update",
      ],
      "berg-clusters-viewer": [
        "clusters.operator.kyma-project.io: get list watch",
        "clusters/status.operator.kyma-project.io: get list watch",
        "subscriptionrequests.control-plane.kyma-project.io: get list watch",
        "subscriptionrequests/status.control-plane.kyma-project.io: get list watch",
      ],
    };
    for (const [role, want] of Object.entries(roles)) {
      const account = `only-${role}`;
      await kubectl("create", "serviceaccount", account, "-n", "elsewhere");
      const to = `--serviceaccount=elsewhere:${account}`;
      await kubectl("create", "clusterrolebinding", account, `--clusterrole=${role}`, to);
      const client = await clientOf(account, "elsewhere");
      const found = () => accessMatrix(client, ["clusters", home], kinds);
      await expect.poll(found, { timeout: 60_000, message: role }).toEqual(want);
    }
  });

  test("in the garden the account makes Shoots and claims accounts, and reads no Secret", async () => {
    const { admin, kubectl, clientOf } = installed;
    await admin.create(Namespaces, { metadata: { name: "garden-ctf" } });
    await kubectl("apply", "--validate=strict", "-f", fileOf("garden/rbac.yaml"));
    const gardener = await clientOf("berg-clusters", "garden-ctf");
    const gardenKinds = {
      "core.gardener.cloud": [
        ...["shoots", "shoots/status", "shoots/adminkubeconfig", "shoots/viewerkubeconfig", "shoots/binding"],
        ...["secretbindings", "cloudprofiles", "projects", "quotas", "seeds", "internalsecrets"],
      ],
      "security.gardener.cloud": ["credentialsbindings", "workloadidentities", "workloadidentities/token"],
    };
    const asked = () => accessMatrix(gardener, ["garden-ctf", "garden-other", "clusters"], gardenKinds);
    await expect
      .poll(asked, { timeout: 60_000 })
      .toEqual([
        "garden-ctf configmaps: get create update delete",
        "garden-ctf shoots.core.gardener.cloud: get list watch create update patch delete",
        "garden-ctf shoots/adminkubeconfig.core.gardener.cloud: create",
        "garden-ctf secretbindings.core.gardener.cloud: get list watch patch",
        "cloudprofiles.core.gardener.cloud: get list watch",
        "garden-ctf credentialsbindings.security.gardener.cloud: get list watch patch",
      ]);
    await kubectl("apply", "--validate=strict", "-f", fileOf("garden/pool-credentials.yaml"));
    const read = (name: string) =>
      gardener.get(Secrets, "garden-ctf", name).catch((error) => (isForbidden(error) ? "forbidden" : "allowed"));
    await expect.poll(() => read("aws-0000"), { timeout: 30_000 }).toBe("allowed");
    expect(await read("other")).toBe("forbidden");
  });

  test("nobody but administrators asks for clusters or kubeconfigs, whatever usual role they have", async () => {
    const { admin, kubectl, clientOf } = installed;
    await kubectl("create", "serviceaccount", "ada", "-n", "elsewhere");
    for (const [role, verb] of Object.entries(usualRoles)) {
      const to = "--serviceaccount=elsewhere:ada";
      await kubectl("create", "rolebinding", role, "-n", "clusters", `--clusterrole=${role}`, to);
      // Each is put together from all that are labelled so, by the controller manager: where the newest is in, ours would be.
      await admin.create(ClusterRoles, {
        metadata: { name: `newest-${role}`, labels: { [partOf(role)]: "true" } },
        rules: [{ apiGroups: [""], resources: ["nodes"], verbs: [verb] }],
      });
    }
    const ada = await clientOf("ada", "elsewhere");
    const may = () => accessMatrix(ada, ["clusters"], kinds);
    const ours = async () => (await may()).filter((line) => line.includes("kyma-project.io"));
    await expect.poll(may, { timeout: 60_000 }).toContain("clusters nodes: approve sign use");
    expect(await may()).toContainEqual(expect.stringMatching(/^clusters configmaps: get list watch create/));
    expect(await ours()).toEqual([]);

    await kubectl("label", "clusterrole", "berg-clusters-viewer", `${partOf("view")}=true`);
    const shown = "clusters clusters.operator.kyma-project.io: get list watch";
    await expect.poll(ours, { timeout: 60_000, message: "it would be seen" }).toContain(shown);
  });
});
