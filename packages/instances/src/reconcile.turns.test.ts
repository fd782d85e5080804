/** Many end at once: their workloads stop at once, and their namespaces go a few at a time. */
import { formatTime, parseTime } from "@berg/apimachinery";
import { type Deployment, type Namespace, Namespaces } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { type ChallengeInstance, ChallengeInstances, Challenges, labels, managedByBerg } from "@berg/resources";
import { expect, test } from "vitest";
import { home, makeChallenge, makeInstance, makeSettings } from "./testing/make-objects.ts";
import { ModelCluster } from "./testing/model-cluster.ts";
import { ModelController } from "./testing/model-controller.ts";

const second = 1000;
const owner = (n: number) => `owner-${n}`;
const namespaceOf = (n: number) => `challenge-${owner(n)}`;

/** `count` instances run, and all are deleted in turn, one a second. */
async function manyEnd(count: number, mostGoing: number, aheadMs = 0) {
  const cluster = new ModelCluster();
  const controller = new ModelController(cluster, makeSettings(), mostGoing);
  controller.aheadMs = aheadMs;
  cluster.create("hand", Challenges, makeChallenge());
  const create = (n: number, name = `i${n}`) =>
    cluster.create("hand", ChallengeInstances, makeInstance(name, owner(n)).createdAt(cluster.now).object);
  for (let n = 0; n < count; n++) create(n);
  await controller.settle();
  // They stay until a test lets them go.
  for (let n = 0; n < count; n++) cluster.stuck.add(namespaceOf(n));
  for (let n = 0; n < count; n++) {
    cluster.now += second;
    cluster.delete("hand", ChallengeInstances, `${home}/i${n}`);
    await controller.settle(0);
  }
  const going = () =>
    cluster.all<Namespace>("Namespace").flatMap(({ metadata }) => (metadata.deletionTimestamp ? metadata.name : []));
  const deletions = () =>
    controller.client.writes.filter(({ verb, kind }) => verb === "delete" && kind === "Namespace").length;
  const letGo = async (n: number) => {
    cluster.stuck.delete(namespaceOf(n));
    await controller.settle(0);
  };
  return { cluster, controller, create, going, deletions, letGo };
}

test("every workload stops at once, and the namespaces go one after another, in the order of their ends", async () => {
  const { cluster, controller, going, deletions, letGo } = await manyEnd(4, 1);
  expect(cluster.all<Deployment>("Deployment")).toEqual([]);
  expect(going()).toEqual([namespaceOf(0)]);
  for (const n of [0, 1, 2]) {
    await letGo(n);
    expect(going()).toEqual([namespaceOf(n + 1)]);
  }
  await letGo(3);
  expect(cluster.all<ChallengeInstance>("ChallengeInstance")).toEqual([]);
  expect([cluster.all("Namespace"), deletions(), controller.errors]).toEqual([[], 4, []]);
});

test("to wait costs no request", async () => {
  const { controller, going } = await manyEnd(3, 1);
  const before = controller.client.requests.length;
  await controller.settle(45 * second);
  expect(controller.client.requests.slice(before)).toEqual([]);
  expect(going()).toEqual([namespaceOf(0)]);
});

test("after a restart no more go than before", async () => {
  const { controller, going, letGo } = await manyEnd(4, 1);
  controller.restart();
  await controller.settle(0);
  expect(going()).toEqual([namespaceOf(0)]);
  await letGo(0);
  expect(going()).toEqual([namespaceOf(1)]);
});

test.each([600 * second, -600 * second])(
  "nor fewer, nor for longer, where our clock is %i ms ahead of the server's",
  async (aheadMs) => {
    const { controller, going } = await manyEnd(3, 1, aheadMs);
    controller.restart();
    await controller.settle(50 * second);
    expect(going()).toEqual([namespaceOf(0)]);
    await controller.settle(30 * second);
    expect(going()).toEqual([namespaceOf(0), namespaceOf(1)]);
  },
);

test("a namespace that the owner's next instance waits for goes at once", async () => {
  const { controller, create, going, cluster } = await manyEnd(4, 1);
  create(2, "next");
  await controller.settle(0);
  expect(going()).toEqual([namespaceOf(0), namespaceOf(2)]);
  cluster.stuck.clear();
  await controller.settle();
  expect(cluster.find<ChallengeInstance>(ChallengeInstances, `${home}/next`)?.status?.phase).toBe("Running");
});

test("a namespace that is stuck keeps the others from going for a minute, and not for longer", async () => {
  const { cluster, controller, going } = await manyEnd(3, 1);
  await controller.settle(70 * second);
  expect(going()).toEqual([namespaceOf(0), namespaceOf(1)]);
  const [first, next] = cluster
    .all<Namespace>("Namespace")
    .map(({ metadata }) => parseTime(metadata.deletionTimestamp ?? formatTime(0)));
  expect((next ?? 0) - (first ?? 0)).toBe(60 * second);
});

test("one whose namespace cannot be deleted does not keep the others from going", async () => {
  const { cluster, controller, going } = await manyEnd(4, 1);
  controller.client.beforeWrite = ({ verb, name }) => {
    if (verb === "delete" && name === namespaceOf(1)) throw refusal(500, { reason: "InternalError" });
  };
  cluster.stuck.clear();
  await controller.settle(40 * second);
  expect(cluster.all<Namespace>("Namespace").map(({ metadata }) => metadata.name)).toEqual([namespaceOf(1)]);
  expect(going()).toEqual([]);
  controller.client.beforeWrite = () => {};
  await controller.settle();
  expect(cluster.all("Namespace")).toEqual([]);
});

test("two that are looked at side by side do not both take the last turn", async () => {
  const { cluster, controller, going } = await manyEnd(3, 1);
  cluster.stuck.delete(namespaceOf(0));
  while (cluster.tick()) controller.deliver((kind) => kind === "Namespace");
  for (const n of [1, 2]) controller.enqueue(`${home}/i${n}`);
  await controller.turn(3);
  expect(going()).toEqual([namespaceOf(1)]);
});

test("what goes and belongs to nobody any more counts, too", async () => {
  const { cluster, controller, going, letGo } = await manyEnd(0, 1);
  const metadata = { name: namespaceOf(9), labels: { [labels.managedBy]: managedByBerg } };
  cluster.create("hand", Namespaces, { metadata });
  cluster.stuck.add(namespaceOf(9));
  cluster.delete("hand", Namespaces, namespaceOf(9));
  cluster.create("hand", ChallengeInstances, makeInstance("i0", owner(0)).createdAt(cluster.now).object);
  await controller.settle(0);
  cluster.delete("hand", ChallengeInstances, `${home}/i0`);
  await controller.settle(0);
  expect(going()).toEqual([namespaceOf(9)]);
  expect(cluster.all("Deployment")).toEqual([]);
  await letGo(9);
  expect(cluster.all("Namespace")).toEqual([]);
});

test("those who start come first, and when they run the others follow at once", async () => {
  const { cluster, controller, going, create } = await manyEnd(0, 2);
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
  expect(going()).toEqual([namespaceOf(0)]);
  cluster.scripts.clear();
  await controller.settle(0);
  expect(going()).toEqual([namespaceOf(0), namespaceOf(1)]);
});
