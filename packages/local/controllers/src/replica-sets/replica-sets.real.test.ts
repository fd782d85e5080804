/** Each check on ours, on a real API server without its controller-manager, and on Kubernetes' own: they are to agree. */
import type { Stored } from "@berg/apimachinery";
import {
  type Client,
  Events,
  type Manager,
  Pods,
  type ReplicaSet,
  ReplicaSets,
  ResourceQuotas,
  systemClock,
} from "@berg/kube";
import { missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { startWorld, type World } from "../testing/workload-world.ts";
import { isActive } from "./pods.ts";
import { addReplicaSetController } from "./replica-sets.ts";

const labels = { app: "web" };
const template = {
  metadata: { labels },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "main", image: "web:1" }] },
};

describe.skipIf(await missingControlPlane()).each(["ours", "real"] as const)("replica sets, %s", (kind) => {
  let world: World;
  let client: Client;
  let namespace: string;

  beforeAll(async () => {
    const plane = await startControlPlane({ controllerManager: kind === "real", scheduler: false });
    const add = (manager: Manager) => addReplicaSetController(manager, { clock: systemClock });
    world = await startWorld(plane, kind === "ours" ? add : undefined);
    client = world.client;
  });
  afterAll(async () => world?.[Symbol.asyncDispose]());

  async function make(replicas: number, spec: object = {}): Promise<Stored<ReplicaSet>> {
    namespace = await world.newNamespace();
    const metadata = { namespace, name: "web" };
    return client.create(ReplicaSets, {
      metadata,
      spec: { replicas, selector: { matchLabels: labels }, template, ...spec },
    });
  }
  const get = () => client.get(ReplicaSets, namespace, "web");
  const scale = (replicas: number) =>
    client.patch(ReplicaSets, namespace, "web", { type: "merge", body: { spec: { replicas } } });
  const podsNow = async () => (await client.list(Pods, { namespace })).items;
  const settled = (replicas: number) =>
    eventually(`${replicas} pods are ready and said to be`, async () => {
      const { status, metadata } = await get();
      const isSaid = status?.replicas === replicas && (status.availableReplicas ?? 0) === replicas;
      const terminating = (status as { terminatingReplicas?: number })?.terminatingReplicas;
      return isSaid && terminating === 0 && status.observedGeneration === metadata.generation && (await get());
    });

  test("makes pods from the template, and counts them", async () => {
    const made = await make(3);
    const { status } = await settled(3);
    expect(status).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    });
    const pods = await podsNow();
    expect(pods).toHaveLength(3);
    for (const pod of pods) {
      const { uid } = made.metadata;
      const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid };
      expect(pod.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
      expect(pod.metadata.generateName).toBe("web-");
      expect(pod.metadata.labels).toEqual(labels);
      expect(pod.metadata.ownerReferences).toEqual([{ ...owner, controller: true, blockOwnerDeletion: true }]);
    }
    const told = await eventually("three events are there", async () => {
      const { items } = await client.list(Events, { namespace, fieldSelector: "involvedObject.kind=ReplicaSet" });
      return items.length >= 3 && items;
    });
    expect(told.map(({ reason, message }) => `${reason} ${message}`).sort()).toEqual(
      pods.map(({ metadata }) => `SuccessfulCreate Created pod: ${metadata.name}`).sort(),
    );
  });

  test("scales to 30 and to 0, making and deleting none too many", async () => {
    await make(0);
    await settled(0);
    await scale(30);
    await settled(30);
    await scale(0);
    const { status } = await settled(0);
    expect(status).toEqual({ replicas: 0, terminatingReplicas: 0, observedGeneration: 3 });
    const { items } = await client.list(Events, { namespace, fieldSelector: "involvedObject.kind=ReplicaSet" });
    // Events come in bursts of 25 for one object; no name may stand twice.
    const messages = items.map(({ message }) => message);
    expect(new Set(messages).size).toBe(messages.length);
    expect(await podsNow()).toEqual([]);
  });

  test("replaces a pod that is deleted, and one that has ended", async () => {
    await make(2);
    await settled(2);
    const [one, other] = await podsNow();
    const ended = { type: "merge" as const, body: { status: { phase: "Failed" } } };
    await client.delete(Pods, namespace, one?.metadata.name as string);
    await client.patch(Pods, namespace, other?.metadata.name as string, ended, { subresource: "status" });
    await eventually("two other pods are there", async () => {
      const left = (await podsNow()).filter(isActive);
      const isNew = left.every(({ metadata }) => ![one?.metadata.uid, other?.metadata.uid].includes(metadata.uid));
      return left.length === 2 && isNew;
    });
    await settled(2);
  });

  test("adopts what matches, and releases what no longer does", async () => {
    namespace = await world.newNamespace();
    const orphan = await client.create(Pods, { metadata: { namespace, name: "orphan", labels }, spec: template.spec });
    const metadata = { namespace, name: "web" };
    const selector = { matchLabels: labels };
    const { metadata: owner } = await client.create(ReplicaSets, {
      metadata,
      spec: { replicas: 2, selector, template },
    });
    await settled(2);
    const adopted = await client.get(Pods, namespace, "orphan");
    expect(adopted.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([owner.uid]);
    expect(adopted.metadata.uid).toBe(orphan.metadata.uid);

    await client.patch(Pods, namespace, "orphan", { type: "merge", body: { metadata: { labels: { app: "other" } } } });
    await eventually("it is released and replaced", async () => {
      const { metadata: released } = await client.get(Pods, namespace, "orphan");
      return !released.ownerReferences?.length && (await podsNow()).length === 3;
    });
    await settled(2);
  });

  test("says in a condition why pods are refused, until they are not", async () => {
    namespace = await world.newNamespace();
    const quota = await client.create(ResourceQuotas, {
      metadata: { namespace, name: "no-pods" },
      spec: { hard: { pods: "0" } },
    });
    // Without its controller nobody else says how much is used.
    const status = { hard: { pods: "0" }, used: { pods: "0" } };
    await client.update(ResourceQuotas, { ...quota, status }, { subresource: "status" }).catch(() => {});
    const metadata = { namespace, name: "web" };
    await client.create(ReplicaSets, { metadata, spec: { replicas: 5, selector: { matchLabels: labels }, template } });
    const failed = await eventually("it says so", async () => {
      const { status } = await get();
      return status?.conditions?.[0] && status;
    });
    const message = expect.stringMatching(
      /^pods "web-[a-z0-9]{5}" is forbidden: exceeded quota: no-pods, requested: pods=1, used: pods=0, limited: pods=0$/,
    );
    const condition = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message };
    expect(failed.conditions).toEqual([{ ...condition, lastTransitionTime: expect.any(String) }]);
    expect(failed.replicas).toBe(0);
    await eventually("an event says so", async () => {
      const { items } = await client.list(Events, { namespace });
      return items.some(
        ({ reason, message }) => reason === "FailedCreate" && message?.startsWith('Error creating: pods "web-'),
      );
    });
    await client.delete(ResourceQuotas, namespace, "no-pods");
    const { status: fine } = await settled(5);
    expect(fine?.conditions).toBeUndefined();
  });

  test("counts a pod as available when it has been ready for minReadySeconds", async () => {
    await make(1, { minReadySeconds: 3 });
    const early = await eventually("it is ready", async () => {
      const { status } = await get();
      return status?.readyReplicas === 1 && status;
    });
    expect(early.availableReplicas).toBeUndefined();
    await settled(1);
  });
});
