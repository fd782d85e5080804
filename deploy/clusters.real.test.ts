/** What an administrator applies for `berg clusters`, on a real API server, and what each account may then do and what not. */
import { BlockList, isIPv6 } from "node:net";
import { join } from "node:path";
import { apiVersionOf, isForbidden, type ResourceType, type Stored, type ToCreate } from "@berg/apimachinery";
import { annotations, finalizers, labels, managedByClusters } from "@berg/clusters";
import {
  type Client,
  ConfigMaps,
  createClient,
  Deployments,
  Events,
  Leases,
  Namespaces,
  NetworkPolicies,
  type Pod,
  Pods,
  type Secret,
  Secrets,
  unlimited,
} from "@berg/kube";
import { Clusters, type KubeconfigRequest, KubeconfigRequests, SubscriptionRequests } from "@berg/resources";
import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { accessMatrix } from "./testing/access-matrix.ts";
import { tokenOf } from "./testing/installed.ts";

const here = (file: string) => join(import.meta.dirname, "clusters", file);
const home = "berg-clusters";
const kinds = {
  [Clusters.group]: [
    ...["clusters", "clusters/status", "clusters/finalizers"],
    ...["kubeconfigrequests", "kubeconfigrequests/status", "kubeconfigrequests/finalizers"],
  ],
  [SubscriptionRequests.group]: [
    ...["subscriptionrequests", "subscriptionrequests/status", "subscriptionrequests/finalizers"],
  ],
};
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

describe.skipIf(await missingControlPlane())("deploy/clusters on a real API server", () => {
  let controlPlane: ControlPlane;
  let admin: Client;
  let operators: Client;
  const kubectl = (...args: string[]) => controlPlane.kubectl(args);
  const apply = () => kubectl("apply", "--server-side", "--validate=strict", "--kustomize", here("."));

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
    admin = createClient({ connection: controlPlane.connection, rate: unlimited });
    await apply();
    await kubectl("wait", "--for=condition=Established", "crd", "--all");
    await admin.create(Namespaces, { metadata: { name: "elsewhere" } });
    const token = await tokenOf(admin, home, home);
    operators = createClient({ connection: controlPlane.connectWith(token), rate: unlimited });
    const stray = { metadata: { namespace: "clusters", name: "stray" } };
    const inForce = () => expect(operators.create(Secrets, stray, { dryRun: true })).rejects.toThrow("is none");
    await vi.waitFor(inForce, { timeout: 30_000, interval: 100 });
  });

  afterAll(async () => {
    await operators?.close();
    await admin?.close();
    await controlPlane?.stop();
  });

  test("its pods are admitted beside it, under the strictest pod security standard", async () => {
    const { template } = (await admin.get(Deployments, home, "berg-clusters")).spec ?? {};
    const pod = {
      metadata: { ...template?.metadata, namespace: home, name: "one" },
      spec: template?.spec,
    } as ToCreate<Pod>;
    await admin.create(Pods, pod, { dryRun: true });
    const lax = { ...pod, spec: { ...pod.spec, hostNetwork: true } } as ToCreate<Pod>;
    await expect(admin.create(Pods, lax, { dryRun: true })).rejects.toThrow("restricted");
  });

  test("wherever a cluster is said to be, metadata of clouds is out of its pods' reach", async () => {
    const { spec } = await admin.get(NetworkPolicies, home, "berg-clusters");
    const isWithin = (address: string, subnets: readonly string[]) =>
      subnets.some((subnet) => {
        const [network = "", bits] = subnet.split("/");
        if (isIPv6(network) !== isIPv6(address)) return false;
        const family = isIPv6(address) ? "ipv6" : "ipv4";
        const block = new BlockList();
        block.addSubnet(network, Number(bits), family);
        return block.check(address, family);
      });
    const isReached = (address: string) =>
      (spec?.egress ?? []).some(
        ({ to, ports }) =>
          ports?.some(({ port }) => port === 443) &&
          (to ?? [{ ipBlock: { cidr: "0.0.0.0/0" } }, { ipBlock: { cidr: "::/0" } }]).some(
            ({ ipBlock }) => ipBlock && isWithin(address, [ipBlock.cidr]) && !isWithin(address, ipBlock.except ?? []),
          ),
      );
    const metadata = ["169.254.169.254", "100.100.100.200", "168.63.129.16", "fe80::a9fe:a9fe", "fd00:ec2::254"];
    expect(metadata.filter(isReached)).toEqual([]);
    const clusters = ["192.0.2.10", "10.0.0.1", "100.100.100.201", "2001:db8::1"];
    expect(clusters.filter(isReached)).toEqual(clusters);
  });

  test("can be applied again while a leader holds the lease, and leaves it alone", async () => {
    const spec = { holderIdentity: "one", leaseDurationSeconds: 15 };
    await operators.update(Leases, { ...(await operators.get(Leases, home, "berg-clusters")), spec });
    await apply();
    expect((await admin.get(Leases, home, "berg-clusters")).spec?.holderIdentity).toBe("one");
  });

  test("the operators' account may do what each of the three needs, and nothing more", async () => {
    expect(await accessMatrix(operators, ["clusters", home, "kube-system", "elsewhere"], kinds)).toEqual([
      "clusters secrets: get create update delete",
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
      await kubectl(
        "create",
        "clusterrolebinding",
        account,
        `--clusterrole=${role}`,
        `--serviceaccount=elsewhere:${account}`,
      );
      const token = await tokenOf(admin, account, "elsewhere");
      const client = createClient({ connection: controlPlane.connectWith(token), rate: unlimited });
      try {
        const found = () => accessMatrix(client, ["clusters", home], kinds);
        await expect.poll(found, { timeout: 60_000, message: role }).toEqual(want);
      } finally {
        await client.close();
      }
    }
  });

  test("nobody but administrators asks for clusters or kubeconfigs, whatever usual role they have", async () => {
    // What `admin` and `edit` are put together from, by a controller that does not run here.
    for (const part of ["admin", "edit", "view"])
      await kubectl(
        "create",
        "rolebinding",
        part,
        "-n",
        "clusters",
        `--clusterrole=system:aggregate-to-${part}`,
        "--user=ada",
      );
    const may = (verb: string, kind: string) =>
      kubectl("auth", "can-i", verb, kind, "-n", "clusters", "--as=ada").then(
        () => true,
        () => false,
      );
    await expect.poll(() => may("create", "configmaps"), { timeout: 30_000 }).toBe(true);
    for (const kind of ["clusters", "subscriptionrequests", "kubeconfigrequests"])
      expect([kind, await may("create", kind), await may("get", kind)]).toEqual([kind, false, false]);
  });

  describe("people who may ask for anything in the namespace elsewhere", () => {
    const namespace = "elsewhere";
    const patiently = { timeout: 30_000, interval: 100 };
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }];
    const common = { clusterRole: { rules }, expiration: 600, output: "Secret" as const };
    let asker: Client;

    beforeAll(async () => {
      const verbs = "--verb=create,update,patch,get";
      const asked = "clusters.operator.kyma-project.io,kubeconfigrequests.operator.kyma-project.io";
      const paid = "subscriptionrequests.control-plane.kyma-project.io";
      await kubectl("create", "clusterrole", "asker", verbs, `--resource=${asked},${paid}`);
      await kubectl("create", "serviceaccount", "asker", "-n", namespace);
      await bindRole("asker", namespace);
      const token = await tokenOf(admin, "asker", namespace);
      asker = createClient({ connection: controlPlane.connectWith(token), rate: unlimited });
    });
    afterAll(() => asker?.close());

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

      await kubectl("apply", "--validate=strict", "-f", here("tenant-role.yaml"));
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

  describe("the admission policy", () => {
    const namespace = "clusters";
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

    beforeAll(async () => {
      await admin.create(Clusters, {
        metadata: { namespace, name: "finals" },
        spec: { byoc, administrators: [], deletionPolicy: "Delete" },
      });
      request = await admin.create(KubeconfigRequests, {
        metadata: { namespace, name: "finals.viewer", annotations: { [annotations.rotate]: "true" } },
        spec: { cluster: "finals", clusterRole: { rules }, expiration: 600, output: "Secret" },
      });
      await admin.create(Secrets, { metadata: { namespace, name: "mine" }, data: { kubeconfig: "eA==" } });
    });

    test("lets the operators do their work", async () => {
      const held = { metadata: { finalizers: [finalizers.cluster] } };
      const cluster = await operators.patch(Clusters, namespace, "finals", merge(held));
      await operators.update(Clusters, { ...cluster, status: { phase: "Ready" } }, { subresource: "status" });
      const asked = await operators.create(SubscriptionRequests, {
        metadata: { namespace, name: "finals", ownerReferences: ownedBy(Clusters, cluster.metadata) },
        spec: { provider: "aws", subscriptionSelector: "shared" },
      });
      await operators.update(SubscriptionRequests, { ...asked, status: { phase: "Bound" } }, { subresource: "status" });
      await operators.delete(SubscriptionRequests, namespace, "finals");
      await operators.patch(
        KubeconfigRequests,
        namespace,
        "finals.viewer",
        merge({ metadata: { annotations: { [annotations.rotate]: null } } }),
      );
      await operators.get(Secrets, namespace, "mine");
      const made = await operators.create(Secrets, secretOf());
      await operators.update(Secrets, { ...made, data: { kubeconfig: "eQ==" } });
      await operators.delete(Secrets, namespace, "finals.viewer");
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
      "list the Secrets of a namespace": {
        attempt: () => operators.list(Secrets, { namespace }),
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
      await kubectl(
        "create",
        "clusterrolebinding",
        "too-much",
        "--clusterrole=cluster-admin",
        `--serviceaccount=${home}:${home}`,
      );
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

  test("in the garden the account makes Shoots and claims accounts, and reads no Secret", async () => {
    await admin.create(Namespaces, { metadata: { name: "garden-ctf" } });
    await kubectl("apply", "--validate=strict", "-f", here("garden/rbac.yaml"));
    const token = await tokenOf(admin, "berg-clusters", "garden-ctf");
    const gardener = createClient({ connection: controlPlane.connectWith(token), rate: unlimited });
    const gardenKinds = {
      "core.gardener.cloud": [
        ...["shoots", "shoots/status", "shoots/adminkubeconfig", "shoots/viewerkubeconfig", "shoots/binding"],
        ...["secretbindings", "cloudprofiles", "projects", "quotas", "seeds", "internalsecrets"],
      ],
      "security.gardener.cloud": ["credentialsbindings", "workloadidentities", "workloadidentities/token"],
    };
    const asked = () => accessMatrix(gardener, ["garden-ctf", "garden-other", "clusters"], gardenKinds);
    try {
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
      await kubectl("apply", "--validate=strict", "-f", here("garden/pool-credentials.yaml"));
      const read = (name: string) =>
        gardener.get(Secrets, "garden-ctf", name).catch((error) => (isForbidden(error) ? "forbidden" : "allowed"));
      await expect.poll(() => read("aws-0000"), { timeout: 30_000 }).toBe("allowed");
      expect(await read("other")).toBe("forbidden");
    } finally {
      await gardener.close();
    }
  });
});
