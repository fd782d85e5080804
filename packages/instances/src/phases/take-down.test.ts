/** No pod outlives the network policy that holds it, on bad days neither; and no owner waits for ever for the next. */
import { parseTime, type Stored } from "@berg/apimachinery";
import type { Namespace, Pod } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { begin } from "../testing/begin.ts";

const second = 1000;

async function ending(aheadMs = 0) {
  const world = begin();
  world.controller.aheadMs = aheadMs;
  world.create("a");
  await world.controller.settle();
  world.remove("a");
  const { cluster, controller } = world;
  const pods = () => cluster.all<Pod>("Pod");
  const namespace = () => cluster.all<Namespace>("Namespace")[0];
  const deletes = () =>
    controller.client.writes.flatMap(({ verb, kind, target, force }) =>
      verb === "delete" && kind === "Pod" ? `${force ? "force " : ""}${target?.metadata.name}` : [],
    );
  const hold = () => {
    for (const pod of pods()) {
      cluster.edit("hand", pod, ({ metadata }) => {
        metadata.finalizers = ["example.com/held"];
      });
    }
  };
  return { ...world, pods, namespace, deletes, hold, since: cluster.now };
}

describe("where the garbage collector is busy, as when a thousand end at once,", () => {
  test("pods are deleted by us with their time to end, and the namespace only when they are gone", async () => {
    const { cluster, controller, find, pods, namespace, deletes } = await ending();
    cluster.collectorIsBusy = true;
    await controller.settle(0.9 * second);
    expect([pods().length, deletes()]).toEqual([2, []]);
    cluster.nodeIsGone = true;
    await controller.settle(10 * second);
    expect(deletes()).toEqual(pods().map(({ metadata }) => metadata.name));
    expect(namespace()?.metadata.deletionTimestamp).toBeUndefined();
    cluster.nodeIsGone = false;
    await controller.settle(5 * second);
    expect([find("a"), namespace(), deletes().length]).toEqual([undefined, undefined, 2]);
    expect(controller.errors).toEqual([]);
  });

  test("where what makes them cannot be deleted, they are all the same, and that is told", async () => {
    const { cluster, controller, deletes } = await ending();
    cluster.collectorIsBusy = true;
    controller.client.beforeWrite = ({ kind }) => {
      if (kind === "ReplicaSet") throw refusal(403, { reason: "Forbidden" });
    };
    await controller.settle(2 * second);
    expect(deletes()).toHaveLength(2);
    expect(controller.errors.map(String)).toEqual([expect.stringMatching(/cannot delete the Pod .*: Forbidden/)]);
  });

  test("after a restart, too, though the end began long ago", async () => {
    const { cluster, controller, pods, namespace, deletes } = await ending();
    cluster.collectorIsBusy = true;
    cluster.nodeIsGone = true;
    controller.client.beforeWrite = ({ verb }) => {
      if (verb === "delete") throw refusal(500, { reason: "InternalError" });
    };
    await controller.settle(2 * second);
    cluster.now += 600 * second;
    controller.client.beforeWrite = () => {};
    controller.restart();
    await controller.settle(20 * second);
    expect(deletes()).toEqual(pods().map(({ metadata }) => metadata.name));
    expect(namespace()?.metadata.deletionTimestamp).toBeUndefined();
    expect(controller.errors.map(String).filter((text) => /rest in/.test(text))).toEqual([]);
  });
});

describe("where the node is gone", () => {
  test("its pods are removed without it, and the owner has the next instance within a minute", async () => {
    const { cluster, controller, create, statusOf, deletes, since } = await ending();
    cluster.nodeIsGone = true;
    create("b");
    await controller.settle(25 * second);
    expect([deletes(), statusOf("b").reason]).toEqual([[], "PreviousTerminating"]);
    await controller.settle(35 * second);
    expect(deletes()).toEqual([expect.stringMatching(/^force /), expect.stringMatching(/^force /)]);
    expect(statusOf("b").phase).toBe("Running");
    expect(parseTime(statusOf("b").readyAt ?? "") - since).toBeLessThan(60 * second);
    expect(controller.errors).toEqual([]);
  });

  test("a copy that lags behind does not make us remove them again and again", async () => {
    const { cluster, controller, deletes } = await ending();
    cluster.nodeIsGone = true;
    await controller.settle(25 * second);
    cluster.now += 30 * second;
    for (let step = 0; step < 10; step++) {
      controller.deliver((kind) => kind !== "Pod");
      await controller.turn();
    }
    expect(deletes()).toHaveLength(2);
    expect(controller.errors).toEqual([]);
  });

  test("and somebody's finalizer holds its pods, the namespace is deleted all the same, and is told to be stuck", async () => {
    const { cluster, controller, deletes, namespace, hold, statusOf } = await ending();
    cluster.nodeIsGone = true;
    hold();
    await controller.settle(45 * second);
    expect(deletes()).toHaveLength(2);
    expect((namespace() as Stored<Namespace>).metadata.deletionTimestamp).toBeUndefined();
    await controller.settle(30 * second);
    expect((namespace() as Stored<Namespace>).metadata.deletionTimestamp).toBeDefined();
    await controller.settle(70 * second);
    expect(statusOf("a").conditions?.find(({ type }) => type === "NamespaceDeleted")?.reason).toBe("NamespaceStuck");
    expect(deletes()).toHaveLength(2);
  });
});

describe.each([
  ["ahead of", 600 * second],
  ["behind", -600 * second],
])("where our clock is ten minutes %s the server's", (_, aheadMs) => {
  test("a pod has its time to end all the same, and is removed after it", async () => {
    const { cluster, controller, deletes } = await ending(aheadMs);
    cluster.nodeIsGone = true;
    await controller.settle(25 * second);
    expect(deletes()).toEqual([]);
    await controller.settle(35 * second);
    expect(deletes()).toEqual([expect.stringMatching(/^force /), expect.stringMatching(/^force /)]);
  });

  test("so has one that we delete ourselves, before a copy shows that", async () => {
    const { cluster, controller, pods, deletes } = await ending(aheadMs);
    cluster.collectorIsBusy = true;
    cluster.nodeIsGone = true;
    await controller.settle(0);
    cluster.now += 2 * second;
    await controller.turn();
    expect(deletes()).toEqual(pods().map(({ metadata }) => metadata.name));
    await controller.settle(25 * second);
    expect(deletes()).toHaveLength(2);
  });

  test("a namespace is told to be stuck after a minute", async () => {
    const { cluster, controller, namespace, statusOf } = await ending(aheadMs);
    const told = () => statusOf("a").conditions?.find(({ type }) => type === "NamespaceDeleted")?.reason;
    cluster.stuck.add(namespace()?.metadata.name ?? "");
    await controller.settle(55 * second);
    expect([namespace()?.metadata.deletionTimestamp, told()]).toEqual([expect.anything(), "StoppingWorkload"]);
    await controller.settle(65 * second);
    expect(told()).toBe("NamespaceStuck");
  });
});
