/** Restarts over whole lives in a cluster in memory: the pods are other ones, and everything else stays. */
import type { Pod } from "@berg/kube";
import { findCondition } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { annotations, foreignConditions } from "@berg/resources";
import { expect, test } from "vitest";
import { begin } from "./testing/begin.ts";
import { Crash } from "./testing/model-client.ts";

async function running() {
  const world = begin();
  world.create("a");
  await world.controller.settle();
  const ask = (restarts: number) =>
    world.edit("a", ({ spec }) => {
      spec.restarts = restarts;
    });
  const pods = () => world.cluster.all<Pod>("Pod").map(({ metadata }) => metadata.uid);
  const told = () => world.controller.told.map(({ reason }) => reason);
  return { ...world, ask, pods, told };
}

test("a restart replaces all pods; id, flag, addresses, expiry and objects stay", async () => {
  const { cluster, controller, ask, pods, told, statusOf } = await running();
  const before = { status: statusOf("a"), pods: pods(), told: told().length };
  const others = () =>
    cluster
      .objects()
      .filter(({ kind }) => !["Pod", "ReplicaSet", "Deployment", "ChallengeInstance"].includes(kind))
      .map(({ metadata }) => [metadata.uid, metadata.resourceVersion]);
  const kept = others();
  ask(1);
  await controller.settle();
  expect(pods()).toHaveLength(before.pods.length);
  expect(pods().filter((uid) => before.pods.includes(uid))).toEqual([]);
  const { instanceId, services, expiresAt, startedAt, readyAt, renewals, history } = before.status;
  expect(statusOf("a")).toMatchObject({ instanceId, services, expiresAt, startedAt, readyAt, renewals, history });
  expect(statusOf("a")).toMatchObject({ phase: "Running", restarts: 1 });
  expect(others()).toEqual(kept);
  // Nobody has edited the Deployments, and nothing is unhealthy that was asked for.
  expect(told().slice(before.told)).toEqual(["InstanceRestarted", "InstanceHealthy"]);
  expect(await controller.requestsOfAnotherLook()).toEqual([]);
});

test("from its answer on the instance is not ready, until the new pods are", async () => {
  const { cluster, controller, ask, statusOf } = await running();
  ask(1);
  controller.deliver();
  await controller.turn();
  expect(statusOf("a")).toMatchObject({ phase: "Running", reason: "WaitingForPods", restarts: 1 });
  expect(findCondition(statusOf("a").conditions, "Healthy")?.status).toBe("False");
  while (cluster.tick());
  await controller.settle();
  expect(findCondition(statusOf("a").conditions, "Healthy")?.status).toBe("True");
});

test("several restarts that are asked for at once are one, and the same number asks for nothing", async () => {
  const { controller, ask, pods, told, statusOf } = await running();
  ask(3);
  await controller.settle();
  expect(statusOf("a").restarts).toBe(3);
  const after = pods();
  ask(3);
  controller.restart();
  await controller.settle();
  expect(pods()).toEqual(after);
  expect(told().filter((reason) => reason === "InstanceRestarted")).toHaveLength(1);
});

test.each([0, 1, 2])("a crash after %i writes leads to the same restart, and to one", async (writes) => {
  const { cluster, controller, ask, statusOf } = await running();
  const { length } = cluster.changes;
  ask(1);
  controller.deliver();
  let left = writes;
  controller.client.beforeWrite = () => {
    if (left-- <= 0) throw new Crash();
  };
  await expect(controller.turn()).rejects.toBeInstanceOf(Crash);
  controller.client.beforeWrite = () => {};
  controller.restart();
  await controller.settle();
  expect(statusOf("a")).toMatchObject({ phase: "Running", restarts: 1 });
  const made = cluster.changes.slice(length).filter(({ type, object }) => type === "added" && object.kind === "Pod");
  expect(made.map(({ object }) => object.metadata.annotations?.[annotations.restarts])).toEqual(["1", "1"]);
});

test("a restart that the server refuses is not answered, and happens once it does not", async () => {
  const { controller, ask, pods, statusOf } = await running();
  const before = pods();
  controller.client.beforeWrite = ({ kind }) => {
    if (kind === "Deployment") throw refusal(403, { reason: "Forbidden", message: "exceeded quota" });
  };
  ask(1);
  await controller.settle(10_000);
  expect(statusOf("a").restarts).toBeUndefined();
  expect(pods()).toEqual(before);
  controller.client.beforeWrite = () => {};
  await controller.settle(120_000);
  expect(statusOf("a").restarts).toBe(1);
  expect(pods().filter((uid) => before.includes(uid))).toEqual([]);
});

test("a Failed instance whose pods crash gets new ones, and runs where they are well", async () => {
  const { cluster, controller, find, ask, pods, statusOf } = await running();
  cluster.scripts.set("web", "crashing");
  const { conditions = [] } = statusOf("a");
  const stuck = { type: foreignConditions.stuck, status: "True", reason: "ContainerCrashes", message: "It crashes" };
  cluster.updateStatus("hand", {
    ...find("a"),
    status: { ...statusOf("a"), conditions: [...conditions, stuck] },
  } as never);
  await controller.settle();
  expect(statusOf("a").phase).toBe("Failed");
  const before = pods();
  cluster.scripts.clear();
  ask(1);
  await controller.settle();
  expect(pods().filter((uid) => before.includes(uid))).toEqual([]);
  expect(statusOf("a")).toMatchObject({ phase: "Running", restarts: 1 });
});

test("asked for before there are pods, a restart is answered and told to nobody", async () => {
  const { controller, create, edit, statusOf } = begin();
  create("a");
  edit("a", ({ spec }) => {
    spec.restarts = 2;
  });
  await controller.settle();
  expect(statusOf("a")).toMatchObject({ phase: "Running", restarts: 2 });
  expect(controller.told.map(({ reason }) => reason)).toEqual(["InstanceCreating", "InstanceReady"]);
});
