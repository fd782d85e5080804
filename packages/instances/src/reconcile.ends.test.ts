/** Ends against resistance, in a cluster in memory: our finalizer is gone, or the status cannot be written. */
import { keyOf } from "@berg/apimachinery";
import { Namespaces } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { type ChallengeInstance, ChallengeInstances, finalizers } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { begin, namespaceOf } from "./testing/begin.ts";
import { home } from "./testing/make-objects.ts";
import type { ModelCluster } from "./testing/model-cluster.ts";
import { ModelController } from "./testing/model-controller.ts";

const hours = 3_600_000;

describe("an instance that our finalizer does not hold any more", () => {
  async function running() {
    const world = begin();
    world.create("a");
    await world.controller.settle();
    const last = () => {
      const change = world.cluster.changes.findLast(({ object }) => object.kind === ChallengeInstances.kind);
      return (change?.object as ChallengeInstance | undefined)?.status;
    };
    return { ...world, last };
  }
  const left = (cluster: ModelCluster) =>
    cluster.objects().flatMap(({ kind }) => (["Challenge", "ControllerRevision"].includes(kind) ? [] : kind));

  test("and that ends with the same write is held first, so that nothing of it is left behind", async () => {
    const { cluster, controller, edit, last } = await running();
    edit("a", ({ metadata, spec }) => {
      metadata.finalizers = [];
      spec.terminationReason = "AdminTermination";
    });
    await controller.settle();
    expect(left(cluster)).toEqual([]);
    expect(last()).toMatchObject({ phase: "Terminated", terminationReason: "AdminTermination" });
    expect(controller.errors).toEqual([]);
  });

  test("and whose time is up while nobody works, too", async () => {
    const { cluster, controller, edit, last } = await running();
    edit("a", ({ metadata }) => {
      metadata.finalizers = [];
    });
    cluster.now += 3 * hours;
    controller.restart();
    await controller.settle();
    expect(left(cluster)).toEqual([]);
    expect(last()).toMatchObject({ phase: "Terminated", terminationReason: "Timeout" });
  });

  test("is not let go by a delete that has not seen that", async () => {
    const { cluster, controller, edit, last } = await running();
    controller.client.beforeWrite = ({ verb, kind }) => {
      if (verb !== "delete" || kind !== ChallengeInstances.kind) return;
      controller.client.beforeWrite = () => {};
      edit("a", ({ metadata }) => {
        metadata.finalizers = [];
      });
    };
    await controller.settle(2 * hours);
    await controller.settle();
    expect(left(cluster)).toEqual([]);
    expect(last()).toMatchObject({ phase: "Terminated", terminationReason: "Timeout" });
  });

  test("stops, though it may not be held", async () => {
    const { cluster, controller, edit, last } = await running();
    controller.client.beforeWrite = ({ verb }) => {
      if (verb === "patch") throw refusal(403, { reason: "Forbidden", message: "no" });
    };
    edit("a", ({ metadata, spec }) => {
      metadata.finalizers = [];
      spec.terminationReason = "AdminTermination";
    });
    await controller.settle();
    expect(left(cluster)).toEqual([]);
    expect(last()).toMatchObject({ phase: "Terminated" });
  });

  test.each(["once it runs", "before we have seen it"])(
    "and that is deleted %s while others hold it says its last word all the same",
    async (when) => {
      const { cluster, controller, create, edit, find, remove, statusOf } = begin();
      create("a");
      if (when === "once it runs") await controller.settle();
      edit("a", ({ metadata }) => {
        metadata.finalizers = [finalizers.api];
      });
      remove("a");
      await controller.settle();
      expect(left(cluster)).toEqual([ChallengeInstances.kind]);
      expect(statusOf("a")).toMatchObject({ phase: "Terminated", terminationReason: "UserRequest" });
      expect(find("a")?.metadata.finalizers).toEqual([finalizers.api]);
      expect(await controller.requestsOfAnotherLook()).toEqual([]);
    },
  );
});

describe("an instance whose status cannot be written", () => {
  const statusFails = ({ client }: ModelController, error: () => Error) => {
    client.beforeWrite = ({ verb }) => {
      if (verb === "update") throw error();
    };
  };
  const unavailable = () => refusal(503, { reason: "ServiceUnavailable" });
  const running = async () => {
    const world = begin();
    world.create("a");
    await world.controller.settle();
    return world;
  };
  type World = ReturnType<typeof begin>;
  const ends: [reason: string, end: (world: World) => void][] = [
    ["UserRequest", ({ remove }) => remove("a")],
    [
      "Timeout",
      ({ cluster }) => {
        cluster.now += 2 * hours;
      },
    ],
    [
      "AdminTermination",
      ({ edit }) => {
        edit("a", ({ spec }) => {
          spec.terminationReason = "AdminTermination";
        });
      },
    ],
  ];
  const errors: [string, () => Error][] = [
    ["the server has trouble", unavailable],
    ["the CRD was rolled back", () => refusal(422, { reason: "Invalid", message: "no" })],
    ["the connection is lost", () => new Error("socket hang up")],
  ];

  describe.each(errors)("where %s", (_, error) => {
    test.each(ends)("stops, and is told to have ended by %s as soon as it can be", async (reason, end) => {
      const world = await running();
      const { cluster, controller, find, statusOf } = world;
      statusFails(controller, error);
      end(world);
      await controller.settle(30_000);
      expect(["Deployment", "Pod", "Namespace"].flatMap((kind) => cluster.all(kind))).toEqual([]);
      expect(controller.errors.length).toBeGreaterThan(0);
      expect(statusOf("a").phase).toBe("Running");
      controller.client.beforeWrite = () => {};
      cluster.now += 3 * hours;
      await controller.settle();
      expect(find("a")).toBeUndefined();
      const last = cluster.changes.findLast(({ object }) => object.kind === ChallengeInstances.kind);
      expect(last?.object).toMatchObject({ status: { phase: "Terminated", terminationReason: reason } });
    });
  });

  test("does not wait for the garbage collector for ever", async () => {
    const { cluster, controller, remove } = await running();
    cluster.collectorIsBusy = true;
    statusFails(controller, unavailable);
    remove("a");
    await controller.settle(30_000);
    expect([cluster.all("Pod"), cluster.all("Namespace")]).toEqual([[], []]);
  });

  test("but was renewed, as a copy that is behind does not show, runs on", async () => {
    const { cluster, controller, edit, find, statusOf } = await running();
    const standby = new ModelController(cluster, controller.settings);
    edit("a", ({ spec }) => {
      spec.renewals = 1;
    });
    cluster.now += hours;
    await controller.settle();
    expect(statusOf("a").renewals).toBe(1);
    cluster.now += 1.5 * hours;
    statusFails(standby, unavailable);
    await expect(standby.look(`${home}/a`)).rejects.toMatchObject({ code: 409 });
    expect(find("a")?.metadata.deletionTimestamp).toBeUndefined();
    expect(cluster.all("Deployment")).toHaveLength(2);
  });

  test("because somebody else has written meanwhile is looked at anew first", async () => {
    const { cluster, controller, find } = await running();
    statusFails(controller, () => refusal(409, { reason: "Conflict" }));
    cluster.now += 3 * hours;
    await expect(controller.look(`${home}/a`)).rejects.toMatchObject({ code: 409 });
    expect(find("a")?.metadata.deletionTimestamp).toBeUndefined();
    expect(cluster.all("Deployment")).toHaveLength(2);
  });

  test("and whose namespace somebody has deleted is not deleted before that is written: it can be seen only now", async () => {
    const { cluster, controller, find } = await running();
    statusFails(controller, unavailable);
    cluster.delete("hand", Namespaces, keyOf(namespaceOf(cluster)));
    await controller.settle(5000);
    expect(find("a")?.metadata.deletionTimestamp).toBeUndefined();
    controller.client.beforeWrite = () => {};
    await controller.settle();
    const last = cluster.changes.findLast(({ object }) => object.kind === ChallengeInstances.kind);
    expect(last?.object).toMatchObject({ status: { terminationReason: "Failure" } });
  });
});
