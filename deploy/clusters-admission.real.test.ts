/** What the operators of deploy/clusters are kept from, whatever RBAC lets them do: on a real API server. */
import { apiVersionOf, isForbidden, type ResourceType, type Stored, type ToCreate } from "@berg/apimachinery";
import { annotations, finalizers, labels, managedByClusters } from "@berg/clusters";
import { type Client, ConfigMaps, Events, Leases, type Secret, Secrets } from "@berg/kube";
import { Clusters, type KubeconfigRequest, KubeconfigRequests, SubscriptionRequests } from "@berg/resources";
import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { home, type InstalledClusters, installedClusters } from "./testing/clusters-installed.ts";

const merge = (body: object) => ({ type: "merge", body }) as const;
const noted = (what: keyof typeof annotations, value: string | null = "true") => ({ [annotations[what]]: value });
const note = (...of: Parameters<typeof noted>) => merge({ metadata: { annotations: noted(...of) } });

describe.skipIf(await missingControlPlane())("the admission policy of deploy/clusters", () => {
  const namespace = "clusters";
  let installed: InstalledClusters;
  let admin: Client;
  let operators: Client;
  let request: Stored<KubeconfigRequest>;
  const byoc = { kubeconfigSecretRef: { name: "mine", key: "kubeconfig" } };
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }];

  const ownedBy = (type: ResourceType, { name, uid = "" }: { name: string; uid?: string }) => [
    { apiVersion: apiVersionOf(type), kind: type.kind, name, uid },
  ];
  const secretOf = (changes: Partial<Secret["metadata"]> = {}): ToCreate<Secret> => ({
    metadata: {
      namespace,
      name: "finals.viewer",
      labels: { [labels.managedBy]: managedByClusters },
      ownerReferences: ownedBy(KubeconfigRequests, request.metadata),
      ...changes,
    },
    data: { kubeconfig: "eA==" },
  });

  /** As it is called and labelled where nobody has touched it. */
  const published = () =>
    secretOf({
      name: "finals.viewer-kubeconfig",
      labels: { [labels.managedBy]: managedByClusters, [labels.requestUid]: request.metadata.uid },
    });

  beforeAll(async () => {
    installed = await installedClusters();
    ({ admin, operators } = installed);
    await admin.create(Clusters, {
      metadata: { namespace, name: "finals" },
      spec: { byoc, administrators: [], deletionPolicy: "Delete" },
    });
    const asked = { [annotations.rotate]: "true", [annotations.revoke]: "true" };
    request = await admin.create(KubeconfigRequests, {
      metadata: { namespace, name: "finals.viewer", annotations: asked },
      spec: { cluster: "finals", clusterRole: { rules }, expiration: 600, output: "Secret" },
    });
    await admin.create(Secrets, { metadata: { namespace, name: "mine" }, data: { kubeconfig: "eA==" } });
  });
  afterAll(() => installed?.[Symbol.asyncDispose]());

  test("lets the operators do their work", async () => {
    const held = { metadata: { finalizers: [finalizers.cluster] } };
    const cluster = await operators.patch(Clusters, namespace, "finals", merge(held));
    // As it does when the Cluster is deleted.
    await operators.patch(Clusters, namespace, "finals", note("revokeAll"), { dryRun: true });
    await operators.update(Clusters, { ...cluster, status: { phase: "Ready" } }, { subresource: "status" });
    const asked = await operators.create(SubscriptionRequests, {
      metadata: { namespace, name: "finals", ownerReferences: ownedBy(Clusters, cluster.metadata) },
      spec: { provider: "aws", subscriptionSelector: "shared" },
    });
    await operators.update(SubscriptionRequests, { ...asked, status: { phase: "Bound" } }, { subresource: "status" });
    await operators.delete(SubscriptionRequests, namespace, "finals");
    for (const rotated of ["2", "3"]) {
      const answered = { ...noted("rotate", null), ...noted("rotated", rotated) };
      const done = merge({ metadata: { annotations: answered } });
      await operators.patch(KubeconfigRequests, namespace, "finals.viewer", done);
    }
    await operators.get(Secrets, namespace, "mine");
    const made = await operators.create(Secrets, secretOf());
    await operators.update(Secrets, { ...made, data: { kubeconfig: "eQ==" } });
    await operators.delete(Secrets, namespace, "finals.viewer");
    for (const repair of ["give it back", "delete it"]) {
      const { ownerReferences = [], ...metadata } = published().metadata;
      const lost = await admin.create(Secrets, { ...published(), metadata });
      const owned = { ...lost, metadata: { ...lost.metadata, ownerReferences } };
      if (repair === "give it back") await operators.update(Secrets, owned);
      await operators.delete(Secrets, namespace, lost.metadata.name);
    }
    const involved = { apiVersion: apiVersionOf(Clusters), kind: "Cluster", namespace, name: "finals" };
    const event = { metadata: { namespace, name: "finals.1" }, involvedObject: involved, reason: "Ready" };
    await operators.create(Events, event as never);
  });

  const refusals: Record<string, { attempt: () => Promise<unknown>; wantReason: string }> = {
    "change what a Cluster is to be": {
      attempt: () => operators.patch(Clusters, namespace, "finals", merge({ spec: { administrators: ["thief"] } })),
      wantReason: "the operators do not change the spec of clusters.operator.kyma-project.io",
    },
    "widen a kubeconfig": {
      attempt: () =>
        operators.patch(
          KubeconfigRequests,
          namespace,
          "finals.viewer",
          merge({ spec: { clusterRole: { rules: [{ ...rules[0], verbs: ["*"] }] } } }),
        ),
      wantReason: "the operators do not change the spec of kubeconfigrequests.operator.kyma-project.io",
    },
    "lift a revocation": {
      attempt: () => operators.patch(KubeconfigRequests, namespace, "finals.viewer", note("revoke", null)),
      wantReason: "the operators do not change annotations of kubeconfigrequests.operator.kyma-project.io",
    },
    "say otherwise of a revocation": {
      attempt: () => operators.patch(KubeconfigRequests, namespace, "finals.viewer", note("revoke", "false")),
      wantReason: "the operators do not change annotations of kubeconfigrequests.operator.kyma-project.io",
    },
    "ask for another kubeconfig": {
      attempt: () => operators.patch(KubeconfigRequests, namespace, "finals.viewer", note("rotate", "yes")),
      wantReason: "the operators do not change annotations of kubeconfigrequests.operator.kyma-project.io",
    },
    "lift the revocation of a whole Cluster": {
      attempt: async () => {
        await admin.patch(Clusters, namespace, "finals", note("revokeAll"));
        return operators.patch(Clusters, namespace, "finals", note("revokeAll", null));
      },
      wantReason: "the operators do not change annotations of clusters.operator.kyma-project.io",
    },
    "have a lost Shoot made anew": {
      attempt: () => operators.patch(Clusters, namespace, "finals", note("recreateShoot", "uid")),
      wantReason: "the operators do not change annotations of clusters.operator.kyma-project.io",
    },
    "have a Cluster deleted by the garbage collector": {
      attempt: () => {
        const ownerReferences = ownedBy(ConfigMaps, { name: "none", uid: "none" });
        return operators.patch(Clusters, namespace, "finals", merge({ metadata: { ownerReferences } }));
      },
      wantReason: "the operators do not change owners and labels of clusters.operator.kyma-project.io",
    },
    "take a SubscriptionRequest of others for that of a Cluster, to delete it": {
      attempt: async () => {
        await admin.create(SubscriptionRequests, {
          metadata: { namespace, name: "theirs" },
          spec: { provider: "aws", subscriptionSelector: "shared" },
        });
        const ownerReferences = ownedBy(Clusters, { name: "finals", uid: "stolen" });
        return operators.patch(SubscriptionRequests, namespace, "theirs", merge({ metadata: { ownerReferences } }));
      },
      wantReason: "the operators do not change owners and labels of subscriptionrequests",
    },
    "label a request": {
      attempt: () =>
        operators.patch(KubeconfigRequests, namespace, "finals.viewer", merge({ metadata: { labels: { a: "b" } } })),
      wantReason: "the operators do not change owners and labels of kubeconfigrequests.operator.kyma-project.io",
    },
    "make a Cluster": {
      attempt: () =>
        operators.create(Clusters, {
          metadata: { namespace, name: "more" },
          spec: { byoc, administrators: [], deletionPolicy: "Delete" },
        }),
      wantReason: 'cannot create resource "clusters"',
    },
    "delete a Cluster": {
      attempt: () => operators.delete(Clusters, namespace, "finals"),
      wantReason: 'cannot delete resource "clusters"',
    },
    "ask for an account for nobody": {
      attempt: () =>
        operators.create(SubscriptionRequests, {
          metadata: { namespace, name: "stray" },
          spec: { provider: "aws", subscriptionSelector: "shared" },
        }),
      wantReason: "only SubscriptionRequests of a Cluster, and subscriptionrequests",
    },
    "change somebody's Secret": {
      attempt: async () => {
        const found = await operators.get(Secrets, namespace, "mine");
        return operators.update(Secrets, { ...found, data: { kubeconfig: "eQ==" } });
      },
      wantReason: "belong to a KubeconfigRequest, and clusters/mine is none",
    },
    "mark somebody's Secret as its own": {
      attempt: async () => {
        const found = await operators.get(Secrets, namespace, "mine");
        const { labels = {}, ownerReferences = [] } = secretOf().metadata;
        return operators.update(Secrets, { ...found, metadata: { ...found.metadata, labels, ownerReferences } });
      },
      wantReason: "clusters/mine is none",
    },
    "delete somebody's Secret": {
      attempt: () => operators.delete(Secrets, namespace, "mine"),
      wantReason: "clusters/mine is none",
    },
    "make a Secret that belongs to nobody": {
      attempt: () => operators.create(Secrets, secretOf({ ownerReferences: [] })),
      wantReason: "clusters/finals.viewer is none",
    },
    "take the owner off a kubeconfig": {
      attempt: async () => {
        const made = await operators.create(Secrets, published());
        const { ownerReferences: _, ...metadata } = made.metadata;
        try {
          return await operators.update(Secrets, { ...made, metadata });
        } finally {
          await operators.delete(Secrets, namespace, made.metadata.name);
        }
      },
      wantReason: "clusters/finals.viewer-kubeconfig is none",
    },
    "change a Secret that only has the name of a kubeconfig": {
      attempt: async () => {
        const { ownerReferences = [], ...metadata } = secretOf({ name: "their-kubeconfig" }).metadata;
        const made = await admin.create(Secrets, { ...secretOf(), metadata });
        return operators.update(Secrets, { ...made, metadata: { ...made.metadata, ownerReferences } });
      },
      wantReason: "clusters/their-kubeconfig is none",
    },
    "make a token of a service account": {
      attempt: () =>
        operators.create(Secrets, {
          ...secretOf({ annotations: { "kubernetes.io/service-account.name": "default" } }),
          type: "kubernetes.io/service-account-token",
        }),
      wantReason: "clusters/finals.viewer is none",
    },
    "read Secrets where nobody let it": {
      attempt: () => operators.get(Secrets, "elsewhere", "mine"),
      wantReason: 'cannot get resource "secrets"',
    },
    "read the garden's kubeconfig through the API": {
      attempt: () => operators.get(Secrets, home, "berg-clusters-garden"),
      wantReason: 'cannot get resource "secrets"',
    },
    "list the Secrets of all namespaces": {
      attempt: () => operators.list(Secrets),
      wantReason: 'cannot list resource "secrets"',
    },
    "make another lease": {
      attempt: () => operators.create(Leases, { metadata: { namespace: home, name: "other" } }),
      wantReason: "only the lease berg-clusters/berg-clusters, and this is berg-clusters/other",
    },
  };

  test.each(Object.entries(refusals))("does not let them %s", async (_, { attempt, wantReason }) => {
    const outcome = await attempt().then(
      () => "it was allowed",
      (error) => (isForbidden(error) ? error.message : error),
    );
    expect(outcome).toContain(wantReason);
  });

  test("holds even where RBAC would let them do anything", async () => {
    const { kubectl } = installed;
    const to = `--serviceaccount=${home}:${home}`;
    await kubectl("create", "clusterrolebinding", "too-much", "--clusterrole=cluster-admin", to);
    try {
      const attempt = () =>
        expect(operators.create(ConfigMaps, { metadata: { namespace, name: "more" } })).rejects.toThrow(
          "the operators write no configmaps",
        );
      await vi.waitFor(attempt, { timeout: 30_000, interval: 100 });
      const outcome = operators.delete(Clusters, namespace, "finals");
      await expect(outcome).rejects.toThrow("only SubscriptionRequests of a Cluster");
    } finally {
      await kubectl("delete", "clusterrolebinding", "too-much");
    }
  });
});
