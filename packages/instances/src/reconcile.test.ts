/** Whole lives in a cluster in memory: what a look alone does not show. */
import { formatTime, type KubeObject, keyOf, type Stored } from "@berg/apimachinery";
import { ConfigMaps, Deployments, Namespaces } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, Challenges, finalizers } from "@berg/resources";
import { expect, test } from "vitest";
import { containerOf } from "./builders/testing/blueprints.ts";
import { begin, namespaceOf } from "./testing/begin.ts";
import { home, startOfTest } from "./testing/make-objects.ts";
import { Crash } from "./testing/model-client.ts";

const hours = 3_600_000;

test("an instance runs, costs nothing while it does, and leaves nothing behind", async () => {
  const { cluster, controller, create, statusOf, remove } = begin();
  create("a");
  await controller.settle();
  expect(statusOf("a")).toMatchObject({
    phase: "Running",
    services: [{ name: "web" }, { name: "game", port: 30_000 }],
  });
  expect(controller.client.requests.filter(({ verb }) => verb === "get")).toEqual([]);
  expect(await controller.requestsOfAnotherLook()).toEqual([]);
  remove("a");
  await controller.settle();
  expect(cluster.objects().map(({ kind }) => kind)).toEqual(["Challenge", "ControllerRevision"]);
  expect(controller.errors).toEqual([]);
  expect(controller.told.map(({ reason }) => reason)).toEqual([
    "InstanceCreating",
    "InstanceReady",
    "InstanceTerminating",
  ]);
});

test("after a restart, what is settled is not written again", async () => {
  const { cluster, controller, create } = begin();
  create("a");
  await controller.settle();
  const { length } = cluster.changes;
  controller.restart();
  await controller.settle();
  expect(cluster.changes.slice(length)).toEqual([]);
});

test("a namespace is not deleted before its pods, though the cache does not show them yet", async () => {
  const { cluster, controller, create, find, remove } = begin();
  const withoutPods = (kind: string) => kind !== "Pod";
  create("a");
  for (let round = 0; round < 3; round++) {
    controller.deliver(withoutPods);
    await controller.turn();
    while (cluster.tick());
  }
  expect(cluster.all("Pod").length).toBeGreaterThan(0);
  cluster.collectorIsBusy = true;
  remove("a");
  for (let round = 0; round < 5; round++) {
    controller.deliver(withoutPods);
    await controller.turn();
  }
  expect(cluster.all("Deployment")).toEqual([]);
  expect(cluster.all("Pod").length).toBeGreaterThan(0);
  expect(namespaceOf(cluster).metadata.deletionTimestamp).toBeUndefined();
  cluster.collectorIsBusy = false;
  await controller.settle();
  expect([find("a"), cluster.all("Namespace"), controller.errors]).toEqual([undefined, [], []]);
});

test("no pod starts without its network policy where a copy still shows the one of a namespace that is gone", async () => {
  const { cluster, controller, create } = begin();
  create("a");
  controller.deliver();
  // The namespace and its policy are made; the process dies before the rest.
  let left = 5;
  controller.client.beforeWrite = () => {
    if (left-- <= 0) throw new Crash();
  };
  await expect(controller.turn()).rejects.toBeInstanceOf(Crash);
  controller.client.beforeWrite = () => {};
  controller.restart();
  const policies = () => cluster.changes.filter(({ object }) => object.kind === "NetworkPolicy");
  expect(policies().map(({ type }) => type)).toEqual(["added"]);
  cluster.delete("hand", Namespaces, keyOf(namespaceOf(cluster)));
  while (cluster.tick());
  controller.deliver((kind) => kind === "Namespace");
  await controller.turn();
  expect(policies().map(({ type }) => type)).toEqual(["added", "deleted", "added"]);
  expect(cluster.all("Deployment")).toHaveLength(2);
});

test("its time is acted on to the second", async () => {
  const { cluster, controller, create, find, statusOf } = begin();
  create("a");
  await controller.settle();
  const end = startOfTest + 1000 + 2 * hours;
  expect(statusOf("a").expiresAt).toBe(formatTime(end));
  await controller.settle(2 * hours);
  expect(find("a")).toBeUndefined();
  const began = cluster.changes.find(({ object }) => (object as ChallengeInstance).status?.phase === "Terminating");
  expect(began?.object).toMatchObject({ status: { terminationReason: "Timeout" } });
  const gone = cluster.changes.find(({ object }) => object.kind === "Namespace" && object.metadata.deletionTimestamp);
  expect(gone?.object.metadata.deletionTimestamp).toBe(formatTime(end));
});

test("a consumer that holds the instance can read its last word, and nothing is written afterwards", async () => {
  const { controller, create, statusOf, remove, edit } = begin();
  create("a");
  await controller.settle();
  edit("a", ({ metadata }) => metadata.finalizers?.push(finalizers.api));
  remove("a");
  await controller.settle();
  expect(statusOf("a")).toMatchObject({ phase: "Terminated", terminationReason: "UserRequest" });
  controller.restart();
  expect(await controller.requestsOfAnotherLook()).toEqual([]);
});

test("what stops being in the way of an instance that is told to wait is told, too", async () => {
  const { cluster, controller, create, statusOf } = begin();
  controller.kinds.delete("HTTPRoute");
  create("a");
  await controller.settle(1000);
  expect(statusOf("a")).toMatchObject({ phase: "Pending", reason: "KindMissing" });
  controller.kinds.add("HTTPRoute");
  await controller.settle(60_000);
  expect(statusOf("a")).toMatchObject({ phase: "Running" });
  expect(cluster.all("HTTPRoute")).toHaveLength(1);
});

test("what is deleted or edited by hand is put back, and told", async () => {
  const { cluster, controller, create } = begin();
  create("a");
  await controller.settle();
  const services = cluster.all<KubeObject & { spec: { selector: object } }>("Service");
  const service = services.find(({ metadata }) => metadata.name === "web");
  cluster.edit("hand", service as NonNullable<typeof service>, ({ spec }) => {
    spec.selector = {};
  });
  cluster.delete("hand", Deployments, keyOf(cluster.all("Deployment")[0] as Stored<KubeObject>));
  await controller.settle();
  expect(cluster.all("Deployment")).toHaveLength(2);
  const repairs = controller.told.filter(({ reason }) => reason === "ObjectRepaired").map(({ message }) => message);
  expect(repairs.sort()).toEqual([
    "The Deployment web was missing and was put back",
    "The Service web was changed by somebody else and was put back",
  ]);
});

test("a flag that is given later starts the instance, and is nowhere but where it belongs", async () => {
  const { cluster, controller, create, statusOf, edit } = begin();
  const flag = "flag{canary-in-the-mine}";
  cluster.edit("hand", cluster.find(Challenges, `${home}/cookie-jar`) as never, (challenge: { spec: object }) => {
    const dynamicFlag = { content: { path: "/flag" } };
    Object.assign(challenge.spec, { containers: [containerOf("web", [], { dynamicFlag })] });
  });
  create("a");
  await controller.settle();
  expect(statusOf("a")).toMatchObject({ phase: "Failed", reason: "FlagMissing" });
  edit("a", ({ spec }) => {
    spec.flag = flag;
  });
  await controller.settle();
  expect(statusOf("a")).toMatchObject({ phase: "Running" });
  expect(JSON.stringify([statusOf("a"), controller.told])).not.toContain(flag);
  const holders = cluster.objects().filter((object) => JSON.stringify(object).includes(flag));
  expect(holders.map(({ kind }) => kind)).toEqual([ChallengeInstances.kind]);
  expect(cluster.all(ConfigMaps.kind)).toHaveLength(1);
});
