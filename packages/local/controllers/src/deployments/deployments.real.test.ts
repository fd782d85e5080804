/** Each check on ours, on a real API server without its controller-manager, and on Kubernetes' own: they are to agree. */
import type { Stored } from "@berg/apimachinery";
import {
  type Client,
  type Deployment,
  Deployments,
  Events,
  findCondition,
  type Manager,
  Pods,
  ReplicaSets,
  systemClock,
} from "@berg/kube";
import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addReplicaSetController } from "../replica-sets/replica-sets.ts";
import { eventually } from "../testing/eventually.ts";
import { startWorld, type World } from "../testing/workload-world.ts";
import { addDeploymentController } from "./deployments.ts";
import { olderFirst, sizeOf } from "./sizes.ts";

const labels = { app: "web" };
const templateOf = (image: string, behaviour = "ready") => ({
  metadata: { labels, annotations: { "simulator.berg.norelect.ch/behaviour": behaviour } },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: "main", image }] },
});
const any = expect.any(String);

describe.skipIf(await missingControlPlane()).each(["ours", "real"] as const)("deployments, %s", (kind) => {
  let plane: ControlPlane;
  let world: World;
  let client: Client;
  let namespace: string;

  beforeAll(async () => {
    plane = await startControlPlane({ controllerManager: kind === "real", scheduler: false });
    const add = (manager: Manager) => {
      addReplicaSetController(manager, { clock: systemClock });
      addDeploymentController(manager, { clock: systemClock });
    };
    world = await startWorld(plane, kind === "ours" ? add : undefined);
    client = world.client;
  });
  afterAll(async () => world?.[Symbol.asyncDispose]());

  async function make(spec: object = {}, behaviour?: string): Promise<Stored<Deployment>> {
    namespace = await world.newNamespace();
    const template = templateOf("web:1", behaviour);
    const wanted = { replicas: 3, selector: { matchLabels: labels }, template, ...spec };
    return client.create(Deployments, { metadata: { namespace, name: "web" }, spec: wanted });
  }
  const get = () => client.get(Deployments, namespace, "web");
  const change = (spec: object) => client.patch(Deployments, namespace, "web", { type: "merge", body: { spec } });
  const rollOut = (image: string, behaviour?: string) => change({ template: templateOf(image, behaviour) });
  const setsNow = async () => (await client.list(ReplicaSets, { namespace })).items.sort(olderFirst);
  const sizesNow = async () =>
    Object.fromEntries((await setsNow()).map((set) => [set.spec?.template?.spec?.containers?.[0]?.image, sizeOf(set)]));
  const complete = () =>
    eventually("the rollout is complete", async () => {
      const { metadata, spec, status } = await get();
      const isSeen = status?.observedGeneration === metadata.generation;
      const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas];
      const isDone = counts.every((count) => (count ?? 0) === spec?.replicas);
      const left = (status as { terminatingReplicas?: number })?.terminatingReplicas;
      const reason = findCondition(status?.conditions, "Progressing")?.reason;
      return isSeen && isDone && left === 0 && reason === "NewReplicaSetAvailable" && (await get());
    });
  const kubectl = (...args: string[]) => plane.kubectl(["-n", namespace, ...args]);

  test("makes one ReplicaSet, and says when its pods are there", async () => {
    const made = await make();
    const { status, metadata } = await complete();
    const [set] = await setsNow();
    const hash = set?.metadata.labels?.["pod-template-hash"] as string;
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
    expect(set?.metadata).toMatchObject({
      name: `web-${hash}`,
      labels: { ...labels, "pod-template-hash": hash },
      annotations: {
        "deployment.kubernetes.io/desired-replicas": "3",
        "deployment.kubernetes.io/max-replicas": "4",
        "deployment.kubernetes.io/revision": "1",
      },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "Deployment",
          name: "web",
          uid: made.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(set?.spec?.selector).toEqual({ matchLabels: { ...labels, "pod-template-hash": hash } });
    expect(set?.spec?.template?.metadata?.labels).toEqual({ ...labels, "pod-template-hash": hash });
    expect(metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "1" });
    expect(metadata.generation).toBe(1);
    const times = { lastUpdateTime: any, lastTransitionTime: any };
    expect(status).toEqual({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      conditions: [
        {
          type: "Available",
          status: "True",
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
          ...times,
        },
        {
          type: "Progressing",
          status: "True",
          reason: "NewReplicaSetAvailable",
          message: `ReplicaSet "web-${hash}" has successfully progressed.`,
          ...times,
        },
      ],
    });
    expect(await kubectl("rollout", "status", "deployment/web")).toBe('deployment "web" successfully rolled out\n');
    await eventually("the event is there", async () => {
      const { items } = await client.list(Events, { namespace, fieldSelector: "involvedObject.kind=Deployment" });
      const scaled = items.find(({ message }) => message === `Scaled up replica set web-${hash} from 0 to 3`);
      if (scaled) expect(scaled.source?.component).toBe("deployment-controller");
      return scaled !== undefined;
    });
  });

  test("rolls out within maxSurge and maxUnavailable, and back by the same template", async () => {
    const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    await make({ strategy });
    await complete();
    await rollOut("web:2", "ready after=100ms");
    const seen: { pods: number; available: number }[] = [];
    await eventually("the second one has all pods", async () => {
      const sets = await setsNow();
      const available = sets.map(({ status }) => status?.availableReplicas ?? 0).reduce((a, b) => a + b, 0);
      seen.push({ pods: sets.map(sizeOf).reduce((a, b) => a + b, 0), available });
      const sizes = await sizesNow();
      return sizes["web:1"] === 0 && sizes["web:2"] === 3;
    });
    expect(Math.max(...seen.map(({ pods }) => pods))).toBe(4);
    expect(Math.min(...seen.map(({ available }) => available))).toBeGreaterThanOrEqual(3);
    await complete();
    expect(await kubectl("rollout", "history", "deployment/web")).toContain("1         <none>\n2         <none>");

    await kubectl("rollout", "undo", "deployment/web");
    await eventually("the first one is back", async () => (await sizesNow())["web:1"] === 3);
    const { metadata } = await complete();
    expect(metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("3");
    const first = (await setsNow()).find((set) => set.spec?.template?.spec?.containers[0]?.image === "web:1");
    expect(first?.metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/revision": "3",
      "deployment.kubernetes.io/revision-history": "1",
    });
    expect(await setsNow()).toHaveLength(2);
  });

  test("with Recreate no pod of the new template is there before the last old one is gone", async () => {
    await make({ strategy: { type: "Recreate" } });
    await complete();
    await rollOut("web:2");
    await eventually("the new pods are there", async () => {
      const { items } = await client.list(Pods, { namespace });
      const images = new Set(items.map(({ spec }) => spec?.containers[0]?.image));
      expect(images.size).toBeLessThanOrEqual(1);
      return images.has("web:2");
    });
    await complete();
    expect(await sizesNow()).toEqual({ "web:1": 0, "web:2": 3 });
  });

  test("scales, and during a rollout by shares", async () => {
    await make({ replicas: 2 });
    await complete();
    await change({ replicas: 4 });
    await complete();
    await rollOut("web:2", "never-ready");
    await eventually("it is stuck half way", async () => {
      const sizes = await sizesNow();
      return sizes["web:1"] === 3 && sizes["web:2"] === 2;
    });
    await change({ replicas: 10 });
    // Of 13 pods the shares of 3 and 2 in 5.
    await eventually("both have grown", async () => {
      const sizes = await sizesNow();
      return sizes["web:1"] === 8 && sizes["web:2"] === 5;
    });
    await change({ replicas: 0 });
    await eventually("both are empty", async () => Object.values(await sizesNow()).every((size) => size === 0));
  });

  test("keeps as much history as it is told", async () => {
    await make({ replicas: 1, revisionHistoryLimit: 1 });
    for (const image of ["web:2", "web:3", "web:4"]) {
      await complete();
      await rollOut(image);
      await eventually(`${image} is there`, async () => (await sizesNow())[image] === 1);
    }
    await complete();
    await eventually("the rest is gone", async () => Object.keys(await sizesNow()).join() === "web:3,web:4");
  });

  test("does nothing but scale while it is paused", async () => {
    await make({ replicas: 1 });
    await complete();
    await change({ paused: true });
    await rollOut("web:2");
    await change({ replicas: 2 });
    await eventually("it has scaled what is there", async () => (await sizesNow())["web:1"] === 2);
    const paused = await eventually("it says that it is paused", async () => {
      const progressing = findCondition((await get()).status?.conditions, "Progressing");
      return progressing?.status === "Unknown" && progressing;
    });
    expect(paused).toMatchObject({ reason: "DeploymentPaused", message: "Deployment is paused" });
    await change({ paused: false });
    await eventually("the new one is there", async () => (await sizesNow())["web:2"] === 2);
    await complete();
  });

  test("says that it is late, and goes on when it gets on", async () => {
    await make({ replicas: 1, progressDeadlineSeconds: 2 }, "never-ready");
    const late = await eventually("it is late", async () => {
      const { status } = await get();
      const progressing = findCondition(status?.conditions, "Progressing");
      return progressing?.status === "False" && progressing;
    });
    const [set] = await setsNow();
    expect(late).toMatchObject({
      reason: "ProgressDeadlineExceeded",
      message: `ReplicaSet "${set?.metadata.name}" has timed out progressing.`,
    });
    expect(findCondition((await get()).status?.conditions, "Available")).toMatchObject({
      status: "False",
      reason: "MinimumReplicasUnavailable",
      message: "Deployment does not have minimum availability.",
    });
    await rollOut("web:2");
    await complete();
  });

  test("says what keeps its ReplicaSet from making pods", async () => {
    const template = { ...templateOf("web:1"), spec: { ...templateOf("web:1").spec, serviceAccountName: "nobody" } };
    await make({ replicas: 1, template });
    const failure = await eventually("it says so", async () =>
      findCondition((await get()).status?.conditions, "ReplicaFailure"),
    );
    expect(failure).toMatchObject({ status: "True", reason: "FailedCreate" });
    expect(failure.message).toMatch(
      /^pods "web-.*-" is forbidden: error looking up service account test-\d+\/nobody: serviceaccount "nobody" not found$/,
    );
    await rollOut("web:2");
    const body = { spec: { template: { spec: { serviceAccountName: null, serviceAccount: null } } } };
    await client.patch(Deployments, namespace, "web", { type: "merge", body });
    await complete();
    await eventually("it no longer says so", async () => {
      const { status } = await get();
      return status?.conditions?.every(({ type }) => type === "Available" || type === "Progressing");
    });
  });
});
