/** What people may ask for who may write the kinds of deploy/clusters in a namespace: on a real API server. */
import { apiVersionOf } from "@berg/apimachinery";
import { annotations, finalizers } from "@berg/clusters";
import type { Client } from "@berg/kube";
import { Clusters, KubeconfigRequests, SubscriptionRequests } from "@berg/resources";
import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fileOf, type InstalledClusters, installedClusters } from "./testing/clusters-installed.ts";

const keeping = { administrators: [] as string[], deletionPolicy: "Delete" as const };
const paidFor = (subscriptionSelector: string) => ({
  core: { purpose: "testing", region: "eu-central-1" },
  infrastructure: {
    provider: "aws" as const,
    machineType: "m5.2xlarge",
    autoScalerMin: 1,
    autoScalerMax: 3,
    numberOfZones: 1,
    subscriptionSelector,
    networking: { type: "calico", nodes: "10.250.0.0/16", pods: "100.96.0.0/11", services: "100.64.0.0/13" },
  },
});
const merge = (body: object) => ({ type: "merge", body }) as const;

describe.skipIf(await missingControlPlane())("people who may ask for anything in the namespace elsewhere", () => {
  const namespace = "elsewhere";
  const patiently = { timeout: 30_000, interval: 100 };
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }];
  const common = { clusterRole: { rules }, expiration: 600, output: "Secret" as const };
  let installed: InstalledClusters;
  let admin: Client;
  let operators: Client;
  let asker: Client;
  const kubectl = (...args: string[]) => installed.kubectl(...args);

  beforeAll(async () => {
    installed = await installedClusters();
    ({ admin, operators } = installed);
    const verbs = "--verb=create,update,patch,get";
    const asked = "clusters.operator.kyma-project.io,kubeconfigrequests.operator.kyma-project.io";
    const paid = "subscriptionrequests.control-plane.kyma-project.io";
    await kubectl("create", "clusterrole", "asker", verbs, `--resource=${asked},${paid}`);
    await kubectl("create", "serviceaccount", "asker", "-n", namespace);
    await bindRole("asker", namespace);
    asker = await installed.clientOf("asker", namespace);
  });
  afterAll(() => installed?.[Symbol.asyncDispose]());

  /** To the asker, in a namespace. */
  const bindRole = (role: string, where: string) =>
    kubectl(
      ...["create", "rolebinding", role, "-n", where],
      ...[`--clusterrole=${role}`, `--serviceaccount=${namespace}:asker`],
    );
  const allowed = (attempt: () => Promise<unknown>) => vi.waitFor(attempt, patiently);
  const refused = (attempt: () => Promise<unknown>, why: string) =>
    vi.waitFor(() => expect(attempt()).rejects.toThrow(why), patiently);

  test("who asks for access to a Cluster elsewhere could ask for it there, too, and so who changes or rotates it", async () => {
    const ask = (which: { cluster: string } | { clusterRef: { name: string; namespace: string } }) =>
      asker.create(
        KubeconfigRequests,
        { metadata: { namespace, name: "mine" }, spec: { ...common, ...which } },
        { dryRun: true },
      );
    const why = 'you may not ask for access to Clusters of the namespace "clusters"';
    const finals = { clusterRef: { name: "finals", namespace: "clusters" } };
    await admin.create(KubeconfigRequests, { metadata: { namespace, name: "far" }, spec: { ...common, ...finals } });
    const change = (client: Client, body: object) =>
      client.patch(KubeconfigRequests, namespace, "far", merge(body), { dryRun: true });
    const noted = (annotation: string, value: string | null) => ({
      metadata: { annotations: { [annotation]: value } },
    });
    const wider = { spec: { clusterRole: { rules: [{ ...rules[0], verbs: ["list", "get"] }] } } };

    await allowed(() => ask({ cluster: "own" }));
    await ask({ clusterRef: { name: "own", namespace } });
    await refused(() => ask(finals), why);
    await refused(() => change(asker, wider), why);
    for (const annotation of [annotations.rotate, annotations.revoke])
      await refused(() => change(asker, noted(annotation, "true")), why);
    await change(asker, noted("example.com/note", "mine"));

    await admin.patch(KubeconfigRequests, namespace, "far", merge(noted(annotations.revoke, "true")));
    await admin.patch(KubeconfigRequests, namespace, "far", merge(noted(annotations.rotate, "true")));
    await refused(() => change(asker, noted(annotations.revoke, null)), why);
    // Answered: the operators may not ask for access anywhere.
    await change(operators, noted(annotations.rotate, null));

    await bindRole("asker", "clusters");
    await allowed(() => ask(finals));
    await change(asker, wider);
    await change(asker, noted(annotations.revoke, null));
  });

  test("who lets a tenant pay may use that tenant", async () => {
    const cluster = (subscriptionSelector: string) => () =>
      asker.create(
        Clusters,
        { metadata: { namespace, name: "own" }, spec: { ...paidFor(subscriptionSelector), ...keeping } },
        { dryRun: true },
      );
    const subscription = (client: Client, subscriptionSelector: string, metadata = {}) =>
      client.create(
        SubscriptionRequests,
        { metadata: { namespace, name: "own", ...metadata }, spec: { provider: "aws", subscriptionSelector } },
        { dryRun: true },
      );
    const why = (tenant: string) => `you may not use the account of the tenant "${tenant}"`;
    await allowed(cluster("shared"));
    await allowed(() => subscription(asker, "shared"));
    for (const [selector, tenant] of [
      ["ctf", "ctf"],
      ["globalaccount:ctf", "ctf"],
      ["globalaccount:shared", "shared"],
    ] as const) {
      await refused(cluster(selector), why(tenant));
      await refused(() => subscription(asker, selector), why(tenant));
    }
    const owner = { apiVersion: apiVersionOf(Clusters), kind: "Cluster", name: "own", uid: "5f0c1a52-uid" };
    await subscription(operators, "globalaccount:ctf", { ownerReferences: [owner] });

    await kubectl("apply", "--validate=strict", "-f", fileOf("tenant-role.yaml"));
    const role = "--clusterrole=berg-clusters-tenant-ctf";
    await kubectl("create", "clusterrolebinding", "asker-ctf", role, `--serviceaccount=${namespace}:asker`);
    await allowed(cluster("globalaccount:ctf"));
    await allowed(() => subscription(asker, "ctf"));
    await refused(cluster("globalaccount:other"), why("other"));
  });

  test("who brings a cluster along may read the Secret that leads to it", async () => {
    const spec = (name: string) => ({ byoc: { kubeconfigSecretRef: { name, key: "kubeconfig" } }, ...keeping });
    const bring = (name: string) => () =>
      asker.create(Clusters, { metadata: { namespace, name: "brought" }, spec: spec(name) }, { dryRun: true });
    const why = 'you may not bring along the cluster of the Secret "theirs"';
    await refused(bring("theirs"), why);
    await kubectl(
      ...["create", "clusterrole", "reads-mine", "--verb=get", "--resource=secrets", "--resource-name=mine"],
    );
    await bindRole("reads-mine", namespace);
    await allowed(bring("mine"));
    await refused(bring("theirs"), why);

    await admin.create(Clusters, { metadata: { namespace, name: "brought" }, spec: spec("their-own") });
    const change = (client: Client, body: object) =>
      client.patch(Clusters, namespace, "brought", merge(body), { dryRun: true });
    await change(asker, { spec: { administrators: ["ada@example.com"] } });
    await change(operators, { metadata: { finalizers: [finalizers.cluster] } });
    await change(asker, { spec: spec("mine") });
    await refused(() => change(asker, { spec: spec("theirs") }), why);
  });
});
