/** Each check on ours and on Kubernetes' own. Pods and their controllers are made by hand, so that both see the same. */
import type { KubeObject, OwnerReference, Stored } from "@berg/apimachinery";
import { Deployments, Events, Namespaces, PodDisruptionBudgets, Pods, ReplicaSets, systemClock } from "@berg/kube";
import { missingControlPlane, startControlPlane } from "@berg/test";
import { describe, expect, test } from "vitest";
import { servedKinds } from "../served/served-kinds.ts";
import { addServiceAccountController } from "../service-accounts/service-accounts.ts";
import { eventually } from "../testing/eventually.ts";
import { useWorld, worlds } from "../testing/worlds.ts";
import { addDisruptionController } from "./disruption.ts";

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "one", image: "none" }] } };

describe.skipIf(await missingControlPlane()).each(worlds)("a disruption budget, %s", (world) => {
  const plane = useWorld(
    startControlPlane,
    world,
    (manager) => {
      addServiceAccountController(manager);
      addDisruptionController(manager, { served: servedKinds(manager, systemClock), clock: systemClock });
    },
    // Not those that would make and delete the pods of this test.
    ["disruption-controller", "serviceaccount-controller"],
  );

  const newNamespace = (name: string) => plane.client.create(Namespaces, { metadata: { name } });
  const controlledBy = ({ apiVersion, kind, metadata: { name, uid } }: Stored<KubeObject>): OwnerReference => {
    return { apiVersion, kind, name, uid, controller: true };
  };
  const pod = (namespace: string, name: string, owners: OwnerReference[], ready: boolean) =>
    eventually("the pod is made", async () => {
      const { client } = plane;
      const metadata = { namespace, name, labels, ownerReferences: owners };
      const made = await client.create(Pods, { metadata, spec: template.spec }).catch(() => undefined);
      if (made && ready) await beReady(namespace, name, true);
      return made;
    });
  const beReady = (namespace: string, name: string, ready: boolean) => {
    const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
    return plane.client.patch(
      Pods,
      namespace,
      name,
      { type: "merge", body: { status: { phase: "Running", conditions } } },
      { subresource: "status" },
    );
  };
  const statusBecomes = async (
    namespace: string,
    name: string,
    counts: [expected: number, desired: number, healthy: number, allowed: number],
  ) => {
    let last: unknown;
    await eventually("the status is as wanted", async () => {
      const { status } = await plane.client.get(PodDisruptionBudgets, namespace, name);
      last = [status?.expectedPods, status?.desiredHealthy, status?.currentHealthy, status?.disruptionsAllowed];
      return status?.conditions !== undefined && JSON.stringify(last) === JSON.stringify(counts);
    }).catch((cause) => {
      throw new Error(`${name} says ${JSON.stringify(last)}, not ${JSON.stringify(counts)}`, { cause });
    });
  };
  const budget = (namespace: string, name: string, spec: object) =>
    plane.client.create(PodDisruptionBudgets, {
      metadata: { namespace, name },
      spec: { selector: { matchLabels: labels }, ...spec },
    });

  test("counts against what the controllers want", async () => {
    const { client } = plane;
    const namespace = "counts";
    await newNamespace(namespace);
    const selector = { matchLabels: labels };
    const deployment = await client.create(Deployments, {
      metadata: { namespace, name: "web" },
      spec: { replicas: 7, paused: true, selector, template },
    });
    const set = await client.create(ReplicaSets, {
      metadata: { namespace, name: "web-1", ownerReferences: [controlledBy(deployment)] },
      spec: { replicas: 0, selector, template },
    });
    for (const n of [0, 1, 2]) {
      const metadata = { namespace, name: `web-${n}`, labels, ownerReferences: [controlledBy(set)] };
      await eventually("the pod is made", () =>
        client.create(Pods, { metadata, spec: template.spec }).catch(() => undefined),
      );
    }
    for (const n of [0, 1, 2]) await beReady(namespace, `web-${n}`, true);
    await budget(namespace, "half", { minAvailable: "30%" });
    await budget(namespace, "two", { minAvailable: 2 });
    await budget(namespace, "max-half", { maxUnavailable: "70%" });
    await budget(namespace, "max-six", { maxUnavailable: 6 });
    await budget(namespace, "max-many", { maxUnavailable: 60 });
    await statusBecomes(namespace, "half", [7, 3, 3, 0]);
    await statusBecomes(namespace, "two", [3, 2, 3, 1]);
    await statusBecomes(namespace, "max-half", [7, 2, 3, 1]);
    await statusBecomes(namespace, "max-six", [7, 1, 3, 2]);
    await statusBecomes(namespace, "max-many", [7, 0, 3, 3]);
    // Of several budgets for one pod, Kubernetes' own keeps but one up to date.
    if (world === "real") return;
    await beReady(namespace, "web-0", false);
    await statusBecomes(namespace, "two", [3, 2, 2, 0]);
    await client.patch(Deployments, namespace, "web", { type: "merge", body: { spec: { replicas: 3 } } });
    await statusBecomes(namespace, "half", [3, 1, 2, 1]);
  });

  test("says so in its condition, and follows pods that come, go and are replaced", async () => {
    const namespace = "condition";
    await newNamespace(namespace);
    await budget(namespace, "one", { minAvailable: 1 });
    await statusBecomes(namespace, "one", [0, 1, 0, 0]);
    const condition = async () => {
      const { status } = await plane.client.get(PodDisruptionBudgets, namespace, "one");
      const { lastTransitionTime: _, ...rest } = status?.conditions?.[0] ?? {};
      return rest;
    };
    const base = { type: "DisruptionAllowed", message: "", observedGeneration: 1 };
    expect(await condition()).toEqual({ ...base, status: "False", reason: "InsufficientPods" });
    await pod(namespace, "a", [], true);
    await pod(namespace, "b", [], true);
    await statusBecomes(namespace, "one", [2, 1, 2, 1]);
    expect(await condition()).toEqual({ ...base, status: "True", reason: "SufficientPods" });
    await plane.client.delete(Pods, namespace, "a", { gracePeriodSeconds: 0 });
    await statusBecomes(namespace, "one", [1, 1, 1, 0]);
    expect(await condition()).toEqual({ ...base, status: "False", reason: "InsufficientPods" });
    await plane.client.patch(Pods, namespace, "b", { type: "merge", body: { metadata: { labels: { app: "other" } } } });
    // Kubernetes' own does not notice a pod that leaves by its labels, until something else happens.
    if (world === "real") return;
    await statusBecomes(namespace, "one", [0, 1, 0, 0]);
  });

  test("allows an eviction as often as it says, and counts it", async () => {
    const namespace = "evictions";
    await newNamespace(namespace);
    await budget(namespace, "one", { minAvailable: 1 });
    await pod(namespace, "a", [], true);
    await pod(namespace, "b", [], true);
    await statusBecomes(namespace, "one", [2, 1, 2, 1]);
    const evict = (name: string) =>
      plane.client.createSubresource(Pods, namespace, name, "eviction", {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { namespace, name },
      });
    await evict("a");
    await statusBecomes(namespace, "one", [1, 1, 1, 0]);
    await expect(evict("b")).rejects.toThrow(/disruption budget/);
    const { status } = await plane.client.get(PodDisruptionBudgets, namespace, "one");
    expect(status?.disruptedPods).toBeUndefined();
  });

  test("tells of pods that nobody makes, where it needs to know how many there should be", async () => {
    const namespace = "unmanaged";
    await newNamespace(namespace);
    await pod(namespace, "a", [], true);
    await budget(namespace, "one", { maxUnavailable: 1 });
    await statusBecomes(namespace, "one", [0, 0, 1, 0]);
    const event = await eventually("there is an event", async () => {
      const { items } = await plane.client.list(Events, { namespace });
      return items.find(({ reason }) => reason === "UnmanagedPods");
    });
    expect([event.type, event.message]).toEqual([
      "Warning",
      'Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
    ]);
  });

  test("allows nothing where a controller cannot be asked, and says why", async () => {
    const namespace = "unknown";
    await newNamespace(namespace);
    const uid = "00000000-0000-4000-8000-00000000000a";
    await budget(namespace, "one", { maxUnavailable: 1 });
    await pod(
      namespace,
      "a",
      [{ apiVersion: "nobody.test/v1", kind: "Nothing", name: "x", uid, controller: true }],
      true,
    );
    const failed = await eventually("it says so", async () => {
      const { status } = await plane.client.get(PodDisruptionBudgets, namespace, "one");
      return status?.conditions?.find(({ reason }) => reason === "SyncFailed") && status;
    });
    expect(failed.disruptionsAllowed).toBe(0);
    expect(failed.conditions?.[0]).toMatchObject({
      status: "False",
      message: 'no matches for kind "Nothing" in version "nobody.test/v1"',
    });
  });
});
