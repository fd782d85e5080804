/** Many instances end at once: workloads are deleted at once, namespaces within `NamespaceDeletionLimit`. */
import { formatTime, parseTime } from "@berg/apimachinery";
import { type Deployment, type Namespace, Namespaces } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { type ChallengeInstance, ChallengeInstances, Challenges, labels, managedByBerg } from "@berg/resources";
import { expect, test } from "vitest";
import { endingPriority } from "./observe/watches.ts";
import { home, makeChallenge, makeInstance, makeSettings } from "./testing/make-objects.ts";
import { ModelCluster } from "./testing/model-cluster.ts";
import { ModelController } from "./testing/model-controller.ts";

const second = 1000;
const owner = (n: number) => `owner-${n}`;
const namespaceOf = (n: number) => `challenge-${owner(n)}`;

/** `count` instances run, and all are deleted, one every `everyMs`. */
async function manyEnd(count: number, mostDeletions?: number, { aheadMs = 0, everyMs = second } = {}) {
  const cluster = new ModelCluster();
  const controller = new ModelController(cluster, makeSettings(), mostDeletions);
  controller.aheadMs = aheadMs;
  cluster.create("hand", Challenges, makeChallenge());
  const create = (n: number, name = `i${n}`) =>
    cluster.create("hand", ChallengeInstances, makeInstance(name, owner(n)).createdAt(cluster.now).object);
  for (let n = 0; n < count; n++) create(n);
  await controller.settle(150_000, 2000);
  // Namespaces stay until a test releases them.
  for (let n = 0; n < count; n++) cluster.stuck.add(namespaceOf(n));
  for (let n = 0; n < count; n++) {
    cluster.now += everyMs;
    cluster.delete("hand", ChallengeInstances, `${home}/i${n}`);
    if (everyMs > 0) await controller.settle(0);
  }
  await controller.settle(0, 2000);
  const inDeletion = () =>
    cluster.all<Namespace>("Namespace").flatMap(({ metadata }) => (metadata.deletionTimestamp ? metadata.name : []));
  const deletions = () =>
    controller.client.writes.filter(({ verb, kind }) => verb === "delete" && kind === "Namespace").length;
  const releaseNamespace = async (n: number) => {
    cluster.stuck.delete(namespaceOf(n));
    await controller.settle(0);
  };
  return { cluster, controller, create, inDeletion, deletions, releaseNamespace };
}

test("workloads are deleted at once, and namespaces one after another, in the order in which their instances ended", async () => {
  const { cluster, controller, inDeletion, deletions, releaseNamespace } = await manyEnd(4, 1);
  expect(cluster.all<Deployment>("Deployment")).toEqual([]);
  expect(inDeletion()).toEqual([namespaceOf(0)]);
  for (const n of [0, 1, 2]) {
    await releaseNamespace(n);
    expect(inDeletion()).toEqual([namespaceOf(n + 1)]);
  }
  await releaseNamespace(3);
  expect(cluster.all<ChallengeInstance>("ChallengeInstance")).toEqual([]);
  expect([cluster.all("Namespace"), deletions(), controller.errors]).toEqual([[], 4, []]);
});

test("while no other instance starts or stops, the namespaces of 50 that end at once are deleted at once", async () => {
  const { cluster, inDeletion } = await manyEnd(50, undefined, { everyMs: 0 });
  expect(cluster.all<Deployment>("Deployment")).toEqual([]);
  expect(inDeletion()).toHaveLength(50);
});

test("an instance whose namespace may be deleted is reconciled before ordinary ones, which have few workers", async () => {
  const { controller, releaseNamespace } = await manyEnd(3, 1);
  const priorities: (number | undefined)[] = [];
  const enqueue = controller.enqueue.bind(controller);
  controller.enqueue = (key, options) => {
    if (key === `${home}/i1`) priorities.push(options?.priority);
    enqueue(key, options);
  };
  await releaseNamespace(0);
  expect(priorities).toContain(endingPriority);
});

test("a queued instance makes no request", async () => {
  const { controller, inDeletion } = await manyEnd(3, 1);
  const before = controller.client.requests.length;
  await controller.settle(45 * second);
  expect(controller.client.requests.slice(before)).toEqual([]);
  expect(inDeletion()).toEqual([namespaceOf(0)]);
});

test("after a restart the limit holds", async () => {
  const { controller, inDeletion, releaseNamespace } = await manyEnd(4, 1);
  controller.restart();
  await controller.settle(0);
  expect(inDeletion()).toEqual([namespaceOf(0)]);
  await releaseNamespace(0);
  expect(inDeletion()).toEqual([namespaceOf(1)]);
});

test.each([600 * second, -600 * second])(
  "the limit holds, and for as long, with our clock %i ms ahead of the server's",
  async (aheadMs) => {
    const { controller, inDeletion } = await manyEnd(3, 1, { aheadMs });
    controller.restart();
    await controller.settle(50 * second);
    expect(inDeletion()).toEqual([namespaceOf(0)]);
    await controller.settle(30 * second);
    expect(inDeletion()).toEqual([namespaceOf(0), namespaceOf(1)]);
  },
);

test("a namespace that the owner's next instance waits for is deleted at once", async () => {
  const { controller, create, inDeletion, cluster } = await manyEnd(4, 1);
  create(2, "next");
  await controller.settle(0);
  expect(inDeletion()).toEqual([namespaceOf(0), namespaceOf(2)]);
  cluster.stuck.clear();
  await controller.settle();
  expect(cluster.find<ChallengeInstance>(ChallengeInstances, `${home}/next`)?.status?.phase).toBe("Running");
});

test("a stuck namespace blocks the others for a minute, and not for longer", async () => {
  const { cluster, controller, inDeletion } = await manyEnd(3, 1);
  await controller.settle(70 * second);
  expect(inDeletion()).toEqual([namespaceOf(0), namespaceOf(1)]);
  const [first, next] = cluster
    .all<Namespace>("Namespace")
    .map(({ metadata }) => parseTime(metadata.deletionTimestamp ?? formatTime(0)));
  expect((next ?? 0) - (first ?? 0)).toBe(60 * second);
});

test("an instance whose namespace cannot be deleted does not block the others", async () => {
  const { cluster, controller, inDeletion } = await manyEnd(4, 1);
  controller.client.beforeWrite = ({ verb, name }) => {
    if (verb === "delete" && name === namespaceOf(1)) throw refusal(500, { reason: "InternalError" });
  };
  cluster.stuck.clear();
  await controller.settle(40 * second);
  expect(cluster.all<Namespace>("Namespace").map(({ metadata }) => metadata.name)).toEqual([namespaceOf(1)]);
  expect(inDeletion()).toEqual([]);
  controller.client.beforeWrite = () => {};
  await controller.settle();
  expect(cluster.all("Namespace")).toEqual([]);
});

test("two concurrent reconciles do not both take the last slot", async () => {
  const { cluster, controller, inDeletion } = await manyEnd(3, 1);
  cluster.stuck.delete(namespaceOf(0));
  while (cluster.tick()) controller.deliver((kind) => kind === "Namespace");
  for (const n of [1, 2]) controller.enqueue(`${home}/i${n}`);
  await controller.turn(3);
  expect(inDeletion()).toEqual([namespaceOf(1)]);
});

test("a namespace in deletion without an instance is counted", async () => {
  const { cluster, controller, inDeletion, releaseNamespace } = await manyEnd(0, 1);
  const metadata = { name: namespaceOf(9), labels: { [labels.managedBy]: managedByBerg } };
  cluster.create("hand", Namespaces, { metadata });
  cluster.stuck.add(namespaceOf(9));
  cluster.delete("hand", Namespaces, namespaceOf(9));
  cluster.create("hand", ChallengeInstances, makeInstance("i0", owner(0)).createdAt(cluster.now).object);
  await controller.settle(0);
  cluster.delete("hand", ChallengeInstances, `${home}/i0`);
  await controller.settle(0);
  expect(inDeletion()).toEqual([namespaceOf(9)]);
  expect(cluster.all("Deployment")).toEqual([]);
  await releaseNamespace(9);
  expect(cluster.all("Namespace")).toEqual([]);
});

test("starting instances delay deletions, and when they run, deletions go on at once", async () => {
  const { cluster, controller, inDeletion, create } = await manyEnd(0, 2);
  for (const n of [0, 1]) create(n);
  await controller.settle(0);
  cluster.scripts.set("web", "unready");
  cluster.now += 20 * second;
  for (const n of [2, 3, 4]) create(n);
  await controller.settle(0);
  for (const n of [0, 1]) {
    cluster.stuck.add(namespaceOf(n));
    cluster.delete("hand", ChallengeInstances, `${home}/i${n}`);
    await controller.settle(0);
  }
  expect(inDeletion()).toEqual([namespaceOf(0)]);
  cluster.scripts.clear();
  await controller.settle(0);
  expect(inDeletion()).toEqual([namespaceOf(0), namespaceOf(1)]);
});
