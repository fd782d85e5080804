/** What instances share and take from each other, in a cluster in memory: namespaces, places, owners. */
import { findCondition, Namespaces } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { type ChallengeInstance, ChallengeInstances, Challenges } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { begin, namespaceOf } from "./testing/begin.ts";
import { home, makeChallenge, makeInstance, makeSettings } from "./testing/make-objects.ts";
import { ModelController } from "./testing/model-controller.ts";

describe("the owner's namespace", () => {
  test("under our name that is not ours is never touched", async () => {
    const { cluster, controller, create, statusOf, remove, find } = begin();
    const name = `challenge-${makeInstance().object.spec.ownerId}`;
    cluster.create("hand", Namespaces, { metadata: { name } });
    create("a");
    await controller.settle();
    expect(statusOf("a")).toMatchObject({ phase: "Failed", reason: "NameConflict" });
    remove("a");
    await controller.settle();
    expect(find("a")).toBeUndefined();
    expect(namespaceOf(cluster).metadata.generation).toBe(1);
    const touching = controller.client.writes.filter((one) => one.kind === "Namespace" && one.verb !== "create");
    expect(touching).toEqual([]);
  });

  test("is waited for while the previous instance goes, and the next one starts by itself", async () => {
    const { cluster, controller, create, statusOf, remove } = begin();
    create("a");
    await controller.settle();
    cluster.stuck.add(namespaceOf(cluster).metadata.name);
    remove("a");
    create("b");
    await controller.settle();
    expect(statusOf("b")).toMatchObject({ phase: "Pending", reason: "PreviousTerminating" });
    expect(findCondition(statusOf("a").conditions, "NamespaceDeleted")?.reason).toBe("NamespaceStuck");
    cluster.stuck.clear();
    await controller.settle();
    expect(statusOf("b")).toMatchObject({ phase: "Running" });
  });

  test("that a copy shows as the previous instance's is not taken for lost", async () => {
    const { cluster, controller, create, statusOf, remove } = begin();
    create("a");
    await controller.settle();
    remove("a");
    create("b");
    // A standby whose copy of the namespaces is behind takes over when the next one runs.
    const standby = new ModelController(cluster, controller.settings);
    await controller.settle();
    expect(statusOf("b")).toMatchObject({ phase: "Running" });
    standby.deliver((kind) => kind !== "Namespace");
    while (!standby.isIdle) await standby.turn();
    expect(statusOf("b")).toMatchObject({ phase: "Running" });
    expect(statusOf("b")).not.toHaveProperty("terminationReason");
  });

  test("that is not ours any more is not deleted, though the copy still says so, and is not asked for again and again", async () => {
    const { cluster, controller, create, remove, statusOf } = begin();
    create("a");
    await controller.settle();
    cluster.edit("hand", namespaceOf(cluster), ({ metadata }) => delete metadata.labels);
    remove("a");
    for (let step = 0; step < 20; step++) {
      controller.deliver((kind) => kind !== "Namespace");
      cluster.tick();
      await controller.turn();
    }
    expect(cluster.all("Deployment")).toEqual([]);
    expect(namespaceOf(cluster).metadata.deletionTimestamp).toBeUndefined();
    expect(findCondition(statusOf("a").conditions, "NamespaceDeleted")?.reason).toBe("NameConflict");
    expect(controller.errors).toEqual([]);
  });

  test("that is gone already is known to be gone, though the copy still has it", async () => {
    const { cluster, controller, create, remove, find } = begin();
    create("a");
    await controller.settle();
    const { name } = namespaceOf(cluster).metadata;
    remove("a");
    for (let step = 0; step < 20; step++) {
      if (cluster.all("Deployment").length === 0)
        cluster.find(Namespaces, name) && cluster.delete("hand", Namespaces, name);
      controller.deliver((kind) => kind !== "Namespace");
      cluster.tick();
      await controller.turn();
    }
    expect(controller.errors).toEqual([]);
    await controller.settle();
    expect(find("a")).toBeUndefined();
  });
});

describe("places", () => {
  const full = () => {
    const world = begin(makeSettings({ maxInstances: 1 }));
    world.create("a", "11111111-1111-4111-8111-111111111111");
    world.create("b", "22222222-2222-4222-8222-222222222222");
    world.create("c", "33333333-3333-4333-8333-333333333333");
    return world;
  };

  test("go to who came first, one after the other", async () => {
    const { controller, statusOf, remove } = full();
    await controller.settle();
    expect(["a", "b", "c"].map((name) => statusOf(name).phase)).toEqual(["Running", "Pending", "Pending"]);
    remove("a");
    await controller.settle();
    expect(["b", "c"].map((name) => statusOf(name).phase)).toEqual(["Running", "Pending"]);
  });

  test("are not given to two who are looked at side by side", async () => {
    const { cluster, controller } = full();
    controller.deliver();
    await controller.turn(3);
    await controller.settle();
    expect(cluster.all("Namespace")).toHaveLength(1);
  });

  test("that a failed one leaves go to the next", async () => {
    const { controller, statusOf } = full();
    const refuse = (code: number, reason: string) => {
      controller.client.beforeWrite = ({ verb, kind }) => {
        if (verb === "create" && kind === "Deployment") throw refusal(code, { reason, message: "no" });
      };
    };
    refuse(403, "Forbidden");
    await controller.settle(5000);
    expect(["a", "b", "c"].map((name) => statusOf(name).phase)).toEqual(["Creating", "Pending", "Pending"]);
    refuse(422, "Invalid");
    await controller.settle();
    expect(["a", "b", "c"].map((name) => statusOf(name).reason)).toEqual(Array(3).fill("ManifestRefused"));
  });

  test("are not kept free for one that cannot use them any more", async () => {
    const { cluster, controller, create, statusOf, remove } = begin(makeSettings({ maxInstances: 1 }));
    cluster.create("hand", Challenges, makeChallenge({}, "other"));
    create("a", "11111111-1111-4111-8111-111111111111");
    await controller.settle();
    const { object } = makeInstance("b", "22222222-2222-4222-8222-222222222222");
    cluster.create("hand", ChallengeInstances, {
      ...object,
      spec: { ...object.spec, challengeRef: { name: "other" } },
    });
    create("c", "33333333-3333-4333-8333-333333333333");
    await controller.settle();
    cluster.delete("hand", Challenges, `${home}/other`);
    remove("a");
    await controller.settle();
    expect(statusOf("b")).toMatchObject({ phase: "Failed", reason: "ChallengeMissing" });
    expect(statusOf("c")).toMatchObject({ phase: "Running" });
  });
});

describe("two instances of one owner", () => {
  test("that are looked at side by side do not both begin", async () => {
    const { cluster, controller } = begin();
    const uids = ["uid-2", "uid-1"];
    for (const uid of uids)
      cluster.create("hand", ChallengeInstances, makeInstance(`of-${uid}`).named(`of-${uid}`, uid).object);
    controller.deliver();
    await controller.turn(2);
    await controller.settle();
    const phases = cluster.all<ChallengeInstance>("ChallengeInstance").map(({ status }) => status?.phase);
    expect(phases.sort()).toEqual(["Failed", "Running"]);
  });

  test("change places when the first one goes", async () => {
    const { controller, create, statusOf, remove } = begin();
    create("a");
    create("b");
    await controller.settle();
    expect(statusOf("b")).toMatchObject({ phase: "Failed", reason: "OwnerBusy" });
    remove("a");
    await controller.settle();
    expect(statusOf("b")).toMatchObject({ phase: "Running" });
  });
});
