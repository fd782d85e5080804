import { isConflict, isForbidden, isTooManyRequests } from "@berg/apimachinery";
import { Deployments, Nodes, Pods, ServiceAccounts } from "@berg/kube";
import { expect, test } from "vitest";
import { createPod, eventually, type Given, PodDisruptionBudgets, refusal, tokenFor } from "./given.ts";

const labels = { app: "web" };

export function subresources(given: Given): void {
  async function bind(name: string, node: string): Promise<void> {
    const target = { apiVersion: "v1", kind: "Node", name: node };
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { name, namespace: given.namespace }, target };
    await given.client.createSubresource(Pods, given.namespace, name, "binding", binding);
  }

  test("scale of a deployment is read and patched", async () => {
    const { client, namespace } = given;
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "none" }] } };
    await client.create(Deployments, {
      metadata: { namespace, name: "web" },
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
    });
    const scale = { subresource: "scale" };
    expect(await client.get(Deployments, namespace, "web", scale)).toMatchObject({ kind: "Scale" });
    const patch = { type: "merge", body: { spec: { replicas: 2 } } } as const;
    expect(await client.patch(Deployments, namespace, "web", patch, scale)).toMatchObject({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      spec: { replicas: 2 },
    });
    expect((await client.get(Deployments, namespace, "web")).spec?.replicas).toBe(2);
  });

  test("a token of a service account signs in as that account", async () => {
    const { client, namespace, subject } = given;
    await client.create(ServiceAccounts, { metadata: { namespace, name: "player" } });
    const player = given.connect(subject.connectWith(await tokenFor(given, "player")));
    const error = await refusal(player.list(Pods, { namespace }));
    expect(isForbidden(error)).toBe(true);
    expect(error.message).toContain(`system:serviceaccount:${namespace}:player`);
  });

  test("a pod is bound once", async () => {
    const { client, namespace } = given;
    await createPod(given, "one");
    await bind("one", "node-a");
    expect((await client.get(Pods, namespace, "one")).spec?.nodeName).toBe("node-a");
    expect(isConflict(await refusal(bind("one", "node-b")))).toBe(true);
  });

  test("an eviction against the budget is refused at once; without a budget it deletes the pod", async () => {
    const { client, namespace } = given;
    await createPod(given, "web", { labels });
    await bind("web", "node-a");
    const ready = { type: "Ready", status: "True" };
    const running = { type: "strategic", body: { status: { phase: "Running", conditions: [ready] } } } as const;
    await client.patch(Pods, namespace, "web", running, { subresource: "status" });
    await client.create(PodDisruptionBudgets, {
      metadata: { namespace, name: "web" },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    });
    await eventually(async () => {
      const { status } = await client.get(PodDisruptionBudgets, namespace, "web");
      expect(status).toMatchObject({ observedGeneration: 1, currentHealthy: 1, disruptionsAllowed: 0 });
    });

    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name: "web" } };
    const evict = () => client.createSubresource(Pods, namespace, "web", "eviction", eviction);
    const askedAt = performance.now();
    const error = await refusal(evict());
    expect(isTooManyRequests(error)).toBe(true);
    expect(error.status.details?.causes).toMatchObject([{ reason: "DisruptionBudget" }]);
    expect(performance.now() - askedAt).toBeLessThan(1000);
    expect((await client.get(Pods, namespace, "web")).metadata.deletionTimestamp).toBeUndefined();

    await client.delete(PodDisruptionBudgets, namespace, "web");
    await eventually(evict);
    expect((await client.get(Pods, namespace, "web")).metadata.deletionTimestamp).toBeDefined();
  });

  test("logs say why there are none", async () => {
    const { client, namespace } = given;
    const read = async (pod: string) => (await Array.fromAsync(client.logs(namespace, pod))).join("");
    await createPod(given, "unbound");
    expect(await read("unbound")).toBe("");

    const node = await client.create(Nodes, { metadata: { generateName: "silent-" } });
    const addresses = [{ type: "InternalIP", address: "127.0.0.1" }];
    const body = { status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port: 1 } } } };
    await client.patch(Nodes, "", node.metadata.name, { type: "merge", body }, { subresource: "status" });
    await createPod(given, "bound");
    await bind("bound", node.metadata.name);
    const bound = await refusal(read("bound"));
    expect(bound.code).toBe(500);
    expect(bound.message).toMatch(/127\.0\.0\.1:1\b.*connection refused/);
    expect((await refusal(read("none"))).message).toBe('pods "none" not found');
  });
}
