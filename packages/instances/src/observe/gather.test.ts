/** What is asked for beside the copies, and what must never be waited for. */
import { Namespaces } from "@berg/kube";
import { Challenges } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { begin } from "../testing/begin.ts";
import { home, makeInstance } from "../testing/make-objects.ts";

const hours = 3_600_000;

describe("a kind that is installed and cannot be listed", () => {
  const broken = async () => {
    const world = begin();
    world.create("runs");
    await world.controller.settle();
    world.controller.unlistable.add("HTTPRoute");
    world.controller.restart();
    return world;
  };

  test("holds back those who need it, says why, and lets them go on as soon as it can", async () => {
    const { cluster, controller, create, statusOf } = await broken();
    create("new", "22222222-2222-4222-8222-222222222222");
    await controller.settle(1000);
    expect(statusOf("new")).toMatchObject({
      phase: "Pending",
      reason: "KindMissing",
      message: expect.stringMatching(/no HTTPRoute, or they cannot be listed/),
    });
    expect(statusOf("runs")).toMatchObject({ phase: "Running" });
    const before = cluster.now;
    controller.unlistable.clear();
    await controller.settle(0);
    expect([statusOf("new").phase, cluster.now - before]).toEqual(["Running", 0]);
  });

  test("keeps no instance from ending, nor does a cluster that does not say what it serves", async () => {
    const { cluster, controller, find, remove } = await broken();
    controller.discovery = () => {
      throw new Error("the aggregated API does not answer");
    };
    remove("runs");
    await controller.settle();
    expect([find("runs"), cluster.all("Namespace"), controller.errors]).toEqual([undefined, [], []]);
  });

  test("nor one whose time is up", async () => {
    const { controller, find } = await broken();
    controller.discovery = () => {
      throw new Error("the aggregated API does not answer");
    };
    await controller.settle(3 * hours, 20_000);
    expect(find("runs")).toBeUndefined();
  });
});

describe("a Challenge that is applied together with its instance", () => {
  test("is not told to be missing because the copy has the instance first", async () => {
    const { controller, create, statusOf } = begin();
    create("a");
    const withoutChallenges = () => controller.deliver((kind) => kind !== "Challenge");
    withoutChallenges();
    await controller.turn();
    expect(statusOf("a")).toMatchObject({ phase: "Starting" });
    await controller.settle();
    expect(statusOf("a")).toMatchObject({ phase: "Running" });
    expect(controller.client.requests.filter(({ kind }) => kind === "Challenge")).toHaveLength(1);
  });

  test("and is missing indeed is asked for once, not at every look", async () => {
    const { cluster, controller, create, statusOf } = begin();
    cluster.delete("hand", Challenges, `${home}/cookie-jar`);
    create("a");
    await controller.settle();
    expect(statusOf("a")).toMatchObject({ phase: "Failed", reason: "ChallengeMissing" });
    expect(await controller.requestsOfAnotherLook()).toEqual([]);
    expect(controller.client.requests.filter(({ kind }) => kind === "Challenge")).toHaveLength(1);
  });
});

test("a namespace whose instance is gone is told to be left over, and the next one starts when it is deleted", async () => {
  const { cluster, controller, create, edit, remove, statusOf } = begin();
  create("a");
  await controller.settle();
  edit("a", ({ metadata }) => delete metadata.finalizers);
  remove("a");
  create("b");
  await controller.settle();
  expect(statusOf("b")).toMatchObject({ phase: "Pending", reason: "LeftOver" });
  expect(await controller.requestsOfAnotherLook()).toEqual([]);
  cluster.delete("hand", Namespaces, `challenge-${makeInstance().object.spec.ownerId}`);
  await controller.settle();
  expect(statusOf("b")).toMatchObject({ phase: "Running" });
});
