/** Each check on ours and on Kubernetes' own. */
import { defineResource, type KubeObject } from "@berg/apimachinery";
import { type Client, ConfigMaps, Namespaces, Pods, ResourceQuotas, Secrets, Services, systemClock } from "@berg/kube";
import { missingControlPlane, startControlPlane } from "@berg/test";
import { describe, expect, test } from "vitest";
import { servedKinds } from "../served/served-kinds.ts";
import { addServiceAccountController } from "../service-accounts/service-accounts.ts";
import { eventually } from "../testing/eventually.ts";
import { useWorld, worlds } from "../testing/worlds.ts";
import { addQuotaController } from "./quota.ts";

const Claims = defineResource<KubeObject & { spec: object }>({
  group: "",
  version: "v1",
  resource: "persistentvolumeclaims",
  kind: "PersistentVolumeClaim",
  namespaced: true,
});
const Roles = defineResource<KubeObject>({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  resource: "roles",
  kind: "Role",
  namespaced: true,
});

describe.skipIf(await missingControlPlane()).each(worlds)("quota, %s", (world) => {
  const plane = useWorld(startControlPlane, world, (manager) => {
    addServiceAccountController(manager);
    addQuotaController(manager, { served: servedKinds(manager, systemClock), clock: systemClock });
  });

  const used = async (client: Client, namespace: string, name = "quota") =>
    (await client.get(ResourceQuotas, namespace, name)).status?.used;
  const becomes = async (namespace: string, want: Record<string, string>, name = "quota") => {
    let last: unknown;
    await eventually(`${name} says ${JSON.stringify(want)}`, async () => {
      last = await used(plane.client, namespace, name);
      return JSON.stringify(sorted(last)) === JSON.stringify(sorted(want));
    }).catch((cause) => {
      throw new Error(`it says ${JSON.stringify(last)}`, { cause });
    });
  };
  const sorted = (amounts: unknown) => Object.entries(amounts ?? {}).sort();
  const pod = (namespace: string, name: string, spec: object = {}) =>
    eventually("the pod is made", () =>
      plane.client
        .create(Pods, {
          metadata: { namespace, name },
          spec: { containers: [{ name: "one", image: "none", resources: limits("100m", "64Mi") }], ...spec },
        })
        .catch((error) => (String(error).includes("exceeded") ? Promise.reject(error) : undefined)),
    );
  const limits = (cpu: string, memory: string) => ({
    requests: { cpu, memory },
    limits: { cpu: "1", memory: "1Gi", "ephemeral-storage": "1Gi" },
  });

  test("counts what is there before it, all kinds, and what goes", async () => {
    const { client } = plane;
    const namespace = "counts";
    await client.create(Namespaces, { metadata: { name: namespace } });
    await client.create(Secrets, { metadata: { namespace, name: "one" } });
    await client.create(ConfigMaps, { metadata: { namespace, name: "one" } });
    await client.create(ConfigMaps, { metadata: { namespace, name: "two" } });
    await client.create(Roles, { metadata: { namespace, name: "one" } });
    const ports = [80, 81].map((port) => ({ name: `p${port}`, port }));
    await client.create(Services, { metadata: { namespace, name: "plain" }, spec: { ports } });
    await client.create(Services, { metadata: { namespace, name: "node" }, spec: { type: "NodePort", ports } });
    await client.create(Services, { metadata: { namespace, name: "lb" }, spec: { type: "LoadBalancer", ports } });
    const claim = {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "fast",
      resources: { requests: { storage: "1.5Gi" } },
    };
    await client.create(Claims, { metadata: { namespace, name: "one" }, spec: claim });
    await pod(namespace, "one");
    const hard: Record<string, string> = {
      "count/configmaps": "50",
      "count/secrets": "50",
      secrets: "50",
      "count/roles.rbac.authorization.k8s.io": "50",
      "count/nothings.nobody.test": "50",
      services: "50",
      "services.nodeports": "50",
      "services.loadbalancers": "50",
      persistentvolumeclaims: "50",
      "requests.storage": "1Ti",
      "fast.storageclass.storage.k8s.io/requests.storage": "1Ti",
      "slow.storageclass.storage.k8s.io/persistentvolumeclaims": "5",
      pods: "50",
      "count/pods": "50",
      "requests.cpu": "50",
      cpu: "50",
      "limits.cpu": "50",
      "requests.memory": "500Gi",
      "limits.memory": "500Gi",
      "limits.ephemeral-storage": "500Gi",
      "requests.ephemeral-storage": "500Gi",
    };
    await client.create(ResourceQuotas, { metadata: { namespace, name: "quota" }, spec: { hard } });
    const maps = (await client.list(ConfigMaps, { namespace })).items.length;
    const want: Record<string, string> = {
      "count/configmaps": `${maps}`,
      "count/secrets": "1",
      secrets: "1",
      "count/roles.rbac.authorization.k8s.io": "1",
      services: "3",
      "services.nodeports": "4",
      "services.loadbalancers": "1",
      persistentvolumeclaims: "1",
      "requests.storage": "1536Mi",
      "fast.storageclass.storage.k8s.io/requests.storage": "1536Mi",
      "slow.storageclass.storage.k8s.io/persistentvolumeclaims": "0",
      pods: "1",
      "count/pods": "1",
      "requests.cpu": "100m",
      cpu: "100m",
      "limits.cpu": "1",
      "requests.memory": "64Mi",
      "limits.memory": "1Gi",
      "limits.ephemeral-storage": "1Gi",
      // The server itself asks for what is limited.
      "requests.ephemeral-storage": "1Gi",
    };
    await becomes(namespace, want);
    expect((await client.get(ResourceQuotas, namespace, "quota")).status?.hard).toEqual(hard);
    await client.delete(Secrets, namespace, "one");
    await client.delete(Services, namespace, "lb");
    await client.delete(Roles, namespace, "one");
    await becomes(namespace, {
      ...want,
      secrets: "0",
      "count/secrets": "0",
      "count/roles.rbac.authorization.k8s.io": "0",
      services: "2",
      "services.nodeports": "2",
      "services.loadbalancers": "0",
    });
  });

  test("counts pods that run, frees what ended, and adds init containers as they run", async () => {
    const { client } = plane;
    const namespace = "pods";
    await client.create(Namespaces, { metadata: { name: namespace } });
    const hard = { pods: "10", "count/pods": "10", "requests.cpu": "10", "requests.memory": "10Gi" };
    await client.create(ResourceQuotas, { metadata: { namespace, name: "quota" }, spec: { hard } });
    await becomes(namespace, { pods: "0", "count/pods": "0", "requests.cpu": "0", "requests.memory": "0" });
    await pod(namespace, "plain");
    await pod(namespace, "init", {
      initContainers: [
        { name: "first", image: "none", resources: limits("500m", "8Mi") },
        { name: "sidecar", image: "none", restartPolicy: "Always", resources: limits("50m", "16Mi") },
        { name: "last", image: "none", resources: limits("300m", "100Mi") },
      ],
    });
    await becomes(namespace, { pods: "2", "count/pods": "2", "requests.cpu": "600m", "requests.memory": "180Mi" });
    await client.patch(
      Pods,
      namespace,
      "plain",
      { type: "merge", body: { status: { phase: "Succeeded" } } },
      { subresource: "status" },
    );
    await becomes(namespace, { pods: "1", "count/pods": "2", "requests.cpu": "500m", "requests.memory": "116Mi" });
    await client.delete(Pods, namespace, "init", { gracePeriodSeconds: 0 });
    await becomes(namespace, { pods: "0", "count/pods": "1", "requests.cpu": "0", "requests.memory": "0" });
  });

  test("counts those in its scopes alone", async () => {
    const { client } = plane;
    const namespace = "scopes";
    await client.create(Namespaces, { metadata: { name: namespace } });
    const scopes: Record<string, object> = {
      "best-effort": { scopes: ["BestEffort"] },
      "not-best-effort": { scopes: ["NotBestEffort"] },
      terminating: { scopes: ["Terminating"] },
      "not-terminating": { scopes: ["NotTerminating", "NotBestEffort"] },
      important: {
        scopeSelector: {
          matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["system-node-critical"] }],
        },
      },
      "no-priority": {
        scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "DoesNotExist" }] },
      },
    };
    await pod(namespace, "best", { containers: [{ name: "one", image: "none" }] });
    await pod(namespace, "plain");
    await pod(namespace, "brief", { activeDeadlineSeconds: 3600 });
    for (const [name, scope] of Object.entries(scopes)) {
      await client.create(ResourceQuotas, { metadata: { namespace, name }, spec: { hard: { pods: "10" }, ...scope } });
    }
    const want = {
      "best-effort": "1",
      "not-best-effort": "2",
      terminating: "1",
      "not-terminating": "1",
      important: "0",
      "no-priority": "3",
    };
    for (const [name, pods] of Object.entries(want)) await becomes(namespace, { pods }, name);
  });

  test("follows what is asked of it", async () => {
    const { client } = plane;
    const namespace = "changes";
    await client.create(Namespaces, { metadata: { name: namespace } });
    await client.create(ResourceQuotas, { metadata: { namespace, name: "quota" }, spec: { hard: { secrets: "5" } } });
    await becomes(namespace, { secrets: "0" });
    const body = { spec: { hard: { secrets: null, configmaps: "7", services: "1k" } } };
    await client.patch(ResourceQuotas, namespace, "quota", { type: "merge", body });
    const maps = (await client.list(ConfigMaps, { namespace })).items.length;
    await becomes(namespace, { configmaps: `${maps}`, services: "0" });
    const { status } = await client.get(ResourceQuotas, namespace, "quota");
    expect(status?.hard).toEqual({ configmaps: "7", services: "1k" });
  });
});
