/**
 * Two replicas of the cluster operators as the Deployment starts them: with the rights that deploy/clusters gives their
 * account here and in the garden, from a Cluster that is asked for to one that is gone.
 */
import { join } from "node:path";
import { annotations, labels } from "@berg/clusters";
import { createClient, findCondition, Leases, Namespaces, Pods, Secrets } from "@berg/kube";
import { type ClusterStatus, Clusters, KubeconfigRequests, SubscriptionRequests } from "@berg/resources";
import {
  type ControlPlane,
  fillPool,
  missingControlPlane,
  missingGardener,
  plainPool,
  startControlPlane,
  startGarden,
  startGardenlet,
  type TestGarden,
} from "@berg/test";
import { describe, expect, onTestFinished, test } from "vitest";
import { clientOf } from "../packages/clusters/src/kubeconfig/testing/place.ts";
import { refusedInTime, tried } from "../packages/clusters/src/kubeconfig/testing/tried.ts";
import { kubeconfigOf, Replica } from "./testing/replica.ts";

const here = (file: string) => join(import.meta.dirname, "clusters", file);
const namespace = "clusters";
const home = "berg-clusters";
const patiently = { timeout: 60_000, interval: 200 };

const spec = {
  core: { purpose: "Production", region: "eu-central-1" },
  infrastructure: {
    provider: "aws" as const,
    machineType: "m5.2xlarge",
    autoScalerMin: 3,
    autoScalerMax: 5,
    numberOfZones: 3,
    subscriptionSelector: "globalaccount:abcd-0001",
    networking: { type: "calico", nodes: "10.250.0.0/16", pods: "100.96.0.0/11", services: "100.64.0.0/13" },
  },
  administrators: ["ada@example.com"],
  deletionPolicy: "Delete" as const,
};

async function install(controlPlane: ControlPlane): Promise<void> {
  await controlPlane.kubectl(["apply", "--server-side", "--kustomize", here(".")]);
  await controlPlane.kubectl(["wait", "--for=condition=Established", "crd", "--all"]);
}

/** Through the front, where `adminkubeconfig` is answered. */
async function gardenKubeconfig(garden: TestGarden, gardener: "real" | "stand-ins"): Promise<string> {
  // Stand-ins do not ask for the right to read what a binding refers to. Without it, it shows that nothing is read.
  const files = gardener === "real" ? ["rbac.yaml", "pool-credentials.yaml"] : ["rbac.yaml"];
  for (const file of files) await garden.controlPlane.kubectl(["apply", "--filename", here(`garden/${file}`)]);
  const { ca = "" } = await garden.connection.tls();
  const account = { name: "berg-clusters", namespace: garden.namespace };
  return kubeconfigOf(garden.controlPlane, garden.client, account, { server: garden.connection.server, ca });
}

const missing = await missingControlPlane();
const gardens = [
  { gardener: "stand-ins", without: missing },
  { gardener: "real", without: missing ?? missingGardener() },
] as const;

describe.each(gardens)("the cluster operators as they are deployed, Gardener: $gardener", ({ gardener, without }) => {
  test.skipIf(without)(
    "make a cluster, give access to it, take that back and remove it, with their own rights alone",
    {
      timeout: 400_000,
    },
    async () => {
      await using garden = await startGarden({ project: "ctf", targets: 1, gardener });
      await using _gardenlet = await startGardenlet(garden);
      await fillPool(garden, plainPool("aws", 1));
      await using controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
      const admin = createClient({ connection: controlPlane.connection });
      onTestFinished(() => admin.close());
      await install(controlPlane);
      const env = {
        KUBECONFIG: await kubeconfigOf(controlPlane, admin, { name: home, namespace: home }),
        GARDEN_KUBECONFIG: await gardenKubeconfig(garden, gardener),
        GARDEN_PROJECT: "ctf",
        POD_NAMESPACE: home,
        // So that nobody waits for it here.
        ROTATION_GRACE: "1s",
      };
      const first = new Replica("clusters", env);
      await expect.poll(() => first.said("caches are filled"), patiently).toBe(true);
      // Not after the 15 s for which a Lease of unknown history is left alone.
      await expect.poll(() => first.said("leading"), { timeout: 5_000 }).toBe(true);
      const second = new Replica("clusters", env);
      await expect.poll(() => second.said("waiting for the lease"), patiently).toBe(true);

      const finals = await admin.create(Clusters, { metadata: { namespace, name: "finals" }, spec });
      const cluster = async () => storyOf((await admin.get(Clusters, namespace, "finals")).status, first);
      await expect.poll(cluster, patiently).toMatch(/^Ready/);
      const subscription = await admin.get(SubscriptionRequests, namespace, "finals");
      expect(subscription.status).toMatchObject({ phase: "Bound", gardenerSecretName: "aws-0000" });
      await expect.poll(cluster, patiently).toMatch(/^AdministratorsConfigured True/m);
      expect(await administratorsIn(garden, finals.metadata.uid)).toBe("cluster-admin: ada@example.com");

      const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }];
      await admin.create(KubeconfigRequests, {
        metadata: { namespace, name: "finals.viewer" },
        spec: { cluster: "finals", clusterRole: { rules }, expiration: 600, output: "Secret" },
      });
      const request = async () => (await admin.get(KubeconfigRequests, namespace, "finals.viewer")).status;
      await expect.poll(request, patiently).toMatchObject({ phase: "Issued" });
      const { secretRef = { name: "", key: "" } } = (await request()) ?? {};
      const published = async () => {
        const { data = {} } = await admin.get(Secrets, namespace, secretRef.name);
        return Buffer.from(data[secretRef.key] ?? "", "base64").toString("utf8");
      };
      const viewer = await clientOf(await published());
      onTestFinished(() => viewer.close());
      expect((await viewer.list(Pods, { namespace: "default" })).items).toEqual([]);
      await expect(viewer.list(Namespaces)).rejects.toThrow("cannot list resource");
      const epoch = async () => (await request())?.epoch;
      await admin.delete(Secrets, namespace, secretRef.name);
      await expect.poll(epoch, patiently).toBe(2);
      const former = await published();
      expect(await tried(former)).toBe("works");

      first.stop();
      expect(await first.exit).toEqual([0, null]);
      await expect.poll(() => second.said("leading"), { timeout: 10_000 }).toBe(true);
      const ask = (what: string, value: string) => {
        const body = { metadata: { annotations: { [what]: value } } };
        return admin.patch(KubeconfigRequests, namespace, "finals.viewer", { type: "merge", body });
      };
      await ask(annotations.rotate, "true");
      await expect.poll(request, patiently).toMatchObject({ epoch: 3, phase: "Issued" });
      const newest = await published();
      await refusedInTime(former, "the one that was replaced");
      expect(await tried(newest)).toBe("works");

      await ask(annotations.revoke, "true");
      const revoked = async () => findCondition((await request())?.conditions, "Revoked");
      await expect.poll(revoked, patiently).toMatchObject({ status: "True", reason: "Revoked" });
      await refusedInTime(newest, "the one that was revoked");
      await expect(published()).rejects.toThrow("not found");
      await ask(annotations.revoke, "false");
      await expect.poll(request, patiently).toMatchObject({ epoch: 4, phase: "Issued" });

      await admin.delete(KubeconfigRequests, namespace, "finals.viewer");
      await admin.delete(Clusters, namespace, "finals");
      const left = async () =>
        (
          await Promise.all(
            [Clusters, SubscriptionRequests, KubeconfigRequests].map((type) => admin.list(type as never)),
          )
        )
          .flatMap(({ items }) => items)
          .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      await expect.poll(left, patiently).toEqual([]);
      const account = [
        "get",
        "credentialsbinding",
        "aws-0000",
        "-n",
        garden.namespace,
        "-o",
        "jsonpath={.metadata.labels}",
      ];
      const given = JSON.parse(await garden.controlPlane.kubectl(account));
      expect(given).toMatchObject({ tenantName: "abcd-0001", dirty: "true" });

      second.stop();
      expect(await second.exit).toEqual([0, null]);
      expect((await admin.get(Leases, home, "berg-clusters")).spec?.holderIdentity).toBe("");
      const lines = [...first.lines, ...second.lines];
      expect(lines.filter((line) => /forbidden|cannot \w+ resource/i.test(JSON.stringify(line)))).toEqual([]);
      expect(lines.filter(({ level }) => level === "error")).toEqual([]);
    },
  );
});

/** Where it is, and what stands in the way: what a test that fails has to say. */
function storyOf(status: ClusterStatus | undefined, { lines }: Replica): string {
  const conditions = (status?.conditions ?? []).map((each) =>
    [each.type, each.status, `${each.reason}:`, each.message].join(" "),
  );
  const warnings = lines.filter(({ level }) => level !== "info").map((line) => JSON.stringify(line));
  return [status?.phase, ...conditions, ...warnings.slice(-5)].join("\n");
}

/** In the only cluster of the garden. */
async function administratorsIn({ targets }: TestGarden, clusterUid: string): Promise<string | undefined> {
  const of = ["get", "clusterrolebindings", "--selector", `${labels.clusterUid}=${clusterUid}`];
  const told = "jsonpath={.items[*].roleRef.name}: {.items[*].subjects[*].name}";
  return targets[0]?.controlPlane.kubectl([...of, "--output", told]);
}
