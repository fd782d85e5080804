/** What an administrator applies, on a real API server, and what the controller's own account may then do and what not. */
import { join } from "node:path";
import { defineResource, isForbidden, type KubeObject, type ToCreate } from "@berg/apimachinery";
import {
  type Client,
  ConfigMaps,
  ControllerRevisions,
  Deployments,
  Events,
  Leases,
  Namespaces,
  NetworkPolicies,
  type Pod,
  Pods,
  ReplicaSets,
  Secrets,
  ServiceAccounts,
} from "@berg/kube";
import { ChallengeInstances, Challenges, finalizers, labels, managedByBerg } from "@berg/resources";
import {
  type ControlPlane,
  ciliumVerdicts,
  installForeignCrds,
  missingControlPlane,
  missingForeignCrds,
} from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ClusterRoles } from "./testing/cluster-roles.ts";
import { type Installed, installed } from "./testing/installed.ts";

const here = (file: string) => join(import.meta.dirname, file);
const noForeignCrds = await missingForeignCrds();
const marks = { [labels.managedBy]: managedByBerg, [labels.instanceUid]: "5f0c1a52-uid" };
const instanceNamespace = "challenge-ada";
const fieldManager = "berg-controller";
const HTTPRoutes = defineResource<KubeObject & { spec: object }>({
  group: "gateway.networking.k8s.io",
  version: "v1",
  resource: "httproutes",
  kind: "HTTPRoute",
  namespaced: true,
});

describe.skipIf(await missingControlPlane())("deploy/ on a real API server", () => {
  let cluster: Installed;
  let controlPlane: ControlPlane;
  let admin: Client;
  let controller: Client;
  const kubectl = (...args: string[]) => controlPlane.kubectl(args);

  beforeAll(async () => {
    cluster = await installed();
    ({ controlPlane, admin, controller } = cluster);
    await admin.create(Namespaces, { metadata: { name: "elsewhere" } });
    await admin.create(Namespaces, { metadata: { name: "challenge-foreign" } });
    await admin.create(Namespaces, { metadata: { name: "renamed", labels: marks } });
    await controller.create(Namespaces, { metadata: { name: instanceNamespace, labels: marks } });
  });

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  test("its pods are admitted beside it, under the strictest pod security standard", async () => {
    const { metadata } = await admin.get(Namespaces, "", "berg");
    expect(metadata.labels).toHaveProperty(["pod-security.kubernetes.io/enforce"], "restricted");
    const { template } = (await admin.get(Deployments, "berg", "berg-controller")).spec ?? {};
    const pod = {
      metadata: { ...template?.metadata, namespace: "berg", name: "one" },
      spec: template?.spec,
    } as ToCreate<Pod>;
    await admin.create(Pods, pod, { dryRun: true });
    const lax = { ...pod, spec: { ...pod.spec, hostNetwork: true } } as ToCreate<Pod>;
    await expect(admin.create(Pods, lax, { dryRun: true })).rejects.toThrow("restricted");
  });

  test("can be applied again while a leader holds the lease, and leaves it alone", async () => {
    const { metadata } = await admin.get(Leases, "berg", "berg-controller");
    await controller.update(Leases, { ...(await controller.get(Leases, "berg", "berg-controller")), spec: held });
    await kubectl("apply", "-k", here("."));
    const { spec, metadata: after } = await admin.get(Leases, "berg", "berg-controller");
    expect([spec?.holderIdentity, after.uid]).toEqual(["one", metadata.uid]);
  });

  describe("the controller's account may", () => {
    const configMap = { metadata: { namespace: instanceNamespace, name: "flag" }, data: { flag: "x" } };
    const instance = () => controller.get(ChallengeInstances, "berg", "cookie-jar");

    beforeAll(async () => {
      const spec = {
        ownerId: "0190b5a4-7c1e-7d3a-8f00-0123456789ab",
        challengeRef: { name: "cookie-jar" },
        renewals: 0,
        restarts: 0,
      };
      await admin.create(ChallengeInstances, { metadata: { namespace: "berg", name: "cookie-jar" }, spec });
    });

    test("create, apply and delete in the namespace of an instance", async () => {
      const deployment = deploymentIn(instanceNamespace);
      await controller.create(Deployments, deployment, { fieldManager });
      await controller.apply(Deployments, { ...deployment, spec: { ...deployment.spec, replicas: 0 } }, force);
      await controller.delete(Deployments, instanceNamespace, "web");
      await admin.create(ReplicaSets, deploymentIn(instanceNamespace));
      await controller.delete(ReplicaSets, instanceNamespace, "web");
      const { metadata } = await controller.create(ConfigMaps, configMap, { fieldManager });
      await controller.delete(ConfigMaps, instanceNamespace, "flag", { preconditions: { uid: metadata.uid } });
      await controller.create(NetworkPolicies, {
        metadata: { namespace: instanceNamespace, name: "isolation" },
        spec: { podSelector: {} },
      });
    });

    test("label and delete a namespace that it made", async () => {
      const metadata = { name: "challenge-bob", labels: marks };
      await controller.create(Namespaces, { metadata });
      await controller.apply(
        Namespaces,
        { metadata: { ...metadata, labels: { ...marks, [labels.challenge]: "one" } } },
        force,
      );
      await controller.delete(Namespaces, "", "challenge-bob");
    });

    test("write an instance's finalizers and status, tell about it, and delete it", async () => {
      const add = { metadata: { finalizers: [finalizers.controller] } };
      await controller.patch(ChallengeInstances, "berg", "cookie-jar", { type: "merge", body: add });
      const status = { phase: "Pending" } as const;
      await controller.update(ChallengeInstances, { ...(await instance()), status }, { subresource: "status" });
      await controller.create(Events, eventIn("berg"));
      await controller.create(Events, eventIn("elsewhere"));
      await controller.delete(ChallengeInstances, "berg", "cookie-jar");
    });

    test("keep what an instance started with beside it, and take it away", async () => {
      const revision = {
        metadata: { namespace: "elsewhere", name: "cookie-jar-1", labels: marks },
        revision: 1,
        data: {},
      };
      await controller.create(ControllerRevisions, revision);
      await controller.delete(ControllerRevisions, "elsewhere", "cookie-jar-1");
    });

    test("make its lease anew", async () => {
      await admin.delete(Leases, "berg", "berg-controller");
      await controller.create(Leases, { metadata: { namespace: "berg", name: "berg-controller" }, spec: held });
    });
  });

  describe("the controller's account may not", () => {
    const revisionIn = (namespace: string, labels = {}) => ({
      metadata: { namespace, name: "revision-1", labels },
      revision: 1,
      data: {},
    });
    const refusals: Record<string, { attempt: () => Promise<unknown>; wantReason: string }> = {
      "make a namespace without the marks": {
        attempt: () => controller.create(Namespaces, { metadata: { name: "challenge-bare" } }),
        wantReason: 'managed-by=berg and berg.norelect.ch/instance-uid, and "challenge-bare" is not',
      },
      "make a namespace that belongs to no instance": {
        attempt: () =>
          controller.create(Namespaces, {
            metadata: { name: "challenge-half", labels: { [labels.managedBy]: managedByBerg } },
          }),
        wantReason: '"challenge-half" is not',
      },
      "make a namespace of another name": {
        attempt: () => controller.create(Namespaces, { metadata: { name: "default-2", labels: marks } }),
        wantReason: "only namespaces named challenge-… that are labelled app.kubernetes.io/managed-by=berg",
      },
      "delete somebody else's namespace": {
        attempt: () => controller.delete(Namespaces, "", "elsewhere"),
        wantReason: "changes and deletes only namespaces named challenge-… that are labelled",
      },
      "delete one that has our prefix alone": {
        attempt: () => controller.delete(Namespaces, "", "challenge-foreign"),
        wantReason: '"challenge-foreign" is not',
      },
      "delete one that has our marks alone": {
        attempt: () => controller.delete(Namespaces, "", "renamed"),
        wantReason: '"renamed" is not',
      },
      "mark somebody else's namespace as its own": {
        attempt: () => controller.apply(Namespaces, { metadata: { name: "challenge-foreign", labels: marks } }, force),
        wantReason: '"challenge-foreign" is not',
      },
      "write into kube-system": {
        attempt: () => controller.create(Deployments, deploymentIn("kube-system")),
        wantReason: "writes deployments.apps only in namespaces named challenge-…",
      },
      "write into a namespace without our mark": {
        attempt: () => controller.create(ConfigMaps, { metadata: { namespace: "challenge-foreign", name: "flag" } }),
        wantReason:
          'writes configmaps only in namespaces named challenge-… that are labelled app.kubernetes.io/managed-by=berg, and "challenge-foreign" is not',
      },
      "write into one that has our marks alone": {
        attempt: () => controller.create(ConfigMaps, { metadata: { namespace: "renamed", name: "flag" } }),
        wantReason: 'and "renamed" is not',
      },
      "change what others keep beside it": {
        attempt: () =>
          controller.patch(ConfigMaps, "berg", "berg-controller", { type: "merge", body: { data: { LOG_LEVEL: "" } } }),
        wantReason: 'and "berg" is not',
      },
      "start a pod itself": {
        attempt: () => controller.create(Pods, podIn(instanceNamespace)),
        wantReason: 'cannot create resource "pods"',
      },
      "delete a pod elsewhere": {
        attempt: () => controller.delete(Pods, "elsewhere", "pod"),
        wantReason: "writes pods only in namespaces named challenge-…",
      },
      "delete what makes pods elsewhere": {
        attempt: () => controller.delete(ReplicaSets, "elsewhere", "web"),
        wantReason: "writes replicasets.apps only in namespaces named challenge-…",
      },
      "change a Challenge": {
        attempt: () => controller.patch(Challenges, "berg", "cookie-jar", { type: "merge", body: {} }),
        wantReason: 'cannot patch resource "challenges"',
      },
      "read Secrets": {
        attempt: () => controller.list(Secrets, { namespace: "kube-system" }),
        wantReason: 'cannot list resource "secrets"',
      },
      "read one in its own namespace": {
        attempt: () => controller.get(Secrets, "berg", "pull-secret"),
        wantReason: 'cannot get resource "secrets"',
      },
      "read another lease": {
        attempt: () => controller.get(Leases, "berg", "berg-listener"),
        wantReason: 'cannot get resource "leases"',
      },
      "make another lease": {
        attempt: () => controller.create(Leases, { metadata: { namespace: "berg", name: "berg-listener" } }),
        wantReason: "only the lease berg/berg-controller, and this is berg/berg-listener",
      },
      "delete its lease": {
        attempt: () => controller.delete(Leases, "berg", "berg-controller"),
        wantReason: 'cannot delete resource "leases"',
      },
      "write the history of somebody else's workload": {
        attempt: () => controller.create(ControllerRevisions, revisionIn("elsewhere")),
        wantReason:
          'only ControllerRevisions that are labelled app.kubernetes.io/managed-by=berg, and "revision-1" is not',
      },
      "keep revisions within an instance": {
        attempt: () => controller.create(ControllerRevisions, revisionIn(instanceNamespace, marks)),
        wantReason: `"${instanceNamespace}" is the namespace of an instance`,
      },
      "give itself more rights": {
        attempt: () => controller.apply(ClusterRoles, { metadata: { name: "berg-controller" }, rules: [] }, force),
        wantReason: 'cannot patch resource "clusterroles"',
      },
    };

    beforeAll(async () => {
      // The controller manager would make it.
      await admin.create(ServiceAccounts, { metadata: { namespace: "elsewhere", name: "default" } });
      await admin.create(Pods, podIn("elsewhere"));
      await admin.create(ReplicaSets, deploymentIn("elsewhere"));
    });

    test.each(Object.entries(refusals))("%s", async (_, { attempt, wantReason }) => {
      const outcome = await attempt().then(
        () => "it was allowed",
        (error) => (isForbidden(error) ? error.message : error),
      );
      expect(outcome).toContain(wantReason);
    });

    test("write cluster-wide objects, even where RBAC would let it", async () => {
      await kubectl("create", "clusterrolebinding", "too-much", "--clusterrole=cluster-admin", subject);
      try {
        const role = { metadata: { name: "more" }, rules: [] };
        const wanted = "the controller writes no clusterroles.rbac.authorization.k8s.io";
        const attempt = () => expect(controller.create(ClusterRoles, role)).rejects.toThrow(wanted);
        await vi.waitFor(attempt, { timeout: 30_000, interval: 100 });
      } finally {
        await kubectl("delete", "clusterrolebinding", "too-much");
      }
    });
  });

  test("the account of the example may start instances in its namespace, and people with usual roles nowhere", async () => {
    await kubectl("apply", "--validate=strict", "-f", here("examples/starter-role.yaml"));
    await kubectl("create", "rolebinding", "editor", "-n", "berg", "--clusterrole=admin", "--user=ada");
    const may = (who: string, namespace: string) =>
      kubectl("auth", "can-i", "create", "challengeinstances", "-n", namespace, `--as=${who}`).then(
        () => true,
        () => false,
      );
    const starter = "system:serviceaccount:berg:instance-starter";
    await expect.poll(() => may(starter, "berg"), { timeout: 30_000 }).toBe(true);
    expect([await may(starter, "elsewhere"), await may("ada", "berg")]).toEqual([false, false]);
  });

  describe.skipIf(noForeignCrds)("with Gateway API and Cilium", () => {
    beforeAll(() => installForeignCrds(admin));

    test("the Gateway of the example takes routes from instances alone", async () => {
      await kubectl("apply", "--validate=strict", "-f", here("examples/gateway.yaml"));
      const gateway = JSON.parse(await kubectl("get", "gateway", "berg-gateway", "-n", "berg", "-o", "json"));
      const selector = { matchLabels: { [labels.managedBy]: managedByBerg } };
      for (const { allowedRoutes } of gateway.spec.listeners)
        expect(allowedRoutes.namespaces).toEqual({ from: "Selector", selector });
    });

    test("Cilium's form of the network policy is one", async () => {
      await kubectl("apply", "--validate=strict", "-f", here("network-policy-cilium.yaml"));
      const policy = await kubectl("get", "cnp", "berg-controller", "-n", "berg", "-o", "json");
      const [verdict] = await ciliumVerdicts([JSON.parse(policy)]);
      expect(verdict).toMatchObject({ rules: [{}] });
      expect(verdict?.problem).toBeUndefined();
    });

    test("the controller writes routes into instances, and nowhere else", async () => {
      const route = (namespace: string) => ({ metadata: { namespace, name: "web" }, spec: {} });
      await controller.create(HTTPRoutes, route(instanceNamespace));
      const wanted = "writes httproutes.gateway.networking.k8s.io only in namespaces named challenge-…";
      await expect(controller.create(HTTPRoutes, route("elsewhere"))).rejects.toThrow(wanted);
    });
  });

  describe("with secrets/ as well", () => {
    const secretIn = (namespace: string) => ({ metadata: { namespace, name: "pull-secret" } });

    beforeAll(async () => {
      await kubectl("apply", "--validate=strict", "-k", here("secrets"));
      // RBAC is in force a moment after it is made.
      await vi.waitFor(() => controller.list(Secrets, { namespace: "berg" }), { timeout: 30_000, interval: 100 });
    });

    test("it writes Secrets into instances, and nowhere else", async () => {
      await controller.create(Secrets, secretIn(instanceNamespace));
      await controller.delete(Secrets, instanceNamespace, "pull-secret");
      const refused = await controller.create(Secrets, secretIn("elsewhere")).catch((error) => error);
      expect(refused.message).toContain("writes secrets only in namespaces named challenge-…");
    });
  });
});

const subject = "--serviceaccount=berg:berg-controller";
const force = { fieldManager, force: true };
const held = { holderIdentity: "one", leaseDurationSeconds: 15 };
const container = { name: "web", image: "web" };

function deploymentIn(namespace: string) {
  const matchLabels = { app: "web" };
  const securityContext = { seccompProfile: { type: "RuntimeDefault" } };
  const spec = { automountServiceAccountToken: false, securityContext, containers: [container] };
  const template = { metadata: { labels: matchLabels }, spec };
  return { metadata: { namespace, name: "web" }, spec: { selector: { matchLabels }, template } };
}

function podIn(namespace: string) {
  return { metadata: { namespace, name: "pod" }, spec: { containers: [container] } };
}

function eventIn(namespace: string) {
  const involvedObject = {
    apiVersion: "berg.norelect.ch/v1",
    kind: "ChallengeInstance",
    name: "cookie-jar",
    namespace,
  };
  return { metadata: { namespace, name: "cookie-jar.1" }, involvedObject, reason: "Created", type: "Normal" };
}
