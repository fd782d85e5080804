/** What the server refuses, over whole lives in a cluster in memory. */
import { type KubeObject, keyOf, type Stored } from "@berg/apimachinery";
import { findCondition, Services } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { ChallengeInstances, Challenges } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { containerOf } from "./builders/testing/blueprints.ts";
import { begin, namespaceOf } from "./testing/begin.ts";
import { home } from "./testing/make-objects.ts";

const hours = 3_600_000;

describe("what the server refuses for good", () => {
  const refused = (refusedKind = "Deployment") => {
    const world = begin();
    world.controller.client.beforeWrite = ({ verb, kind }) => {
      if (verb === "create" && kind === refusedKind) throw refusal(422, { reason: "Invalid", message: "no" });
    };
    world.create("a");
    return world;
  };

  test("is taken back, told, and not tried again", async () => {
    const { cluster, controller, statusOf } = refused();
    await controller.settle();
    expect(cluster.all("Namespace")).toEqual([]);
    expect(statusOf("a")).toMatchObject({ phase: "Failed", reason: "ManifestRefused" });
    expect(await controller.requestsOfAnotherLook()).toEqual([]);
    controller.restart();
    await controller.settle();
    expect(cluster.all("Namespace")).toEqual([]);
  });

  // These are made beside the Deployments: pods may run by then.
  test.each(["Service", "HTTPRoute"])("is taken back with what runs already, where it is a %s", async (kind) => {
    const { cluster, controller, statusOf } = refused(kind);
    await controller.settle();
    expect(["Deployment", "Pod", "Namespace"].flatMap((gone) => cluster.all(gone))).toEqual([]);
    expect(statusOf("a")).toMatchObject({ phase: "Failed", reason: "ManifestRefused" });
    expect(await controller.requestsOfAnotherLook()).toEqual([]);
  });

  test("is tried again when the Challenge changes", async () => {
    const { cluster, controller, statusOf } = refused();
    await controller.settle();
    controller.client.beforeWrite = () => {};
    cluster.edit("hand", cluster.find(Challenges, `${home}/cookie-jar`) as never, (challenge: { spec: object }) => {
      Object.assign(challenge.spec, { containers: [containerOf("web")] });
    });
    await controller.settle();
    expect(statusOf("a")).toMatchObject({ phase: "Running" });
    expect(statusOf("a").history?.at(-1)?.reason).toBe("Admitted");
  });

  test("does not keep it from ending in time", async () => {
    const { controller, find } = refused();
    await controller.settle(3 * hours);
    expect(find("a")).toBeUndefined();
  });

  test("of a running instance is told, and its renewal is answered all the same", async () => {
    const { cluster, controller, create, statusOf, edit } = begin();
    create("a");
    await controller.settle();
    controller.client.beforeWrite = ({ kind }) => {
      if (kind === "Service") throw refusal(403, { reason: "Forbidden", message: "exceeded quota" });
    };
    cluster.delete("hand", Services, keyOf(cluster.all("Service")[0] as Stored<KubeObject>));
    edit("a", ({ spec }) => {
      spec.renewals = 1;
    });
    await controller.settle(10_000);
    expect(statusOf("a")).toMatchObject({ phase: "Running", renewals: 1 });
    expect(findCondition(statusOf("a").conditions, "ServicesCreated")?.reason).toBe("QuotaExceeded");
  });
});

describe("what else the server refuses", () => {
  const flag = "flag{canary-in-the-mine}";
  const world = async () => {
    const world = begin();
    const { cluster, controller, edit } = world;
    const refuse = (verb: string, kind: string, code = 403, reason = "Forbidden") => {
      let request = 0;
      controller.client.beforeWrite = (asked) => {
        if (asked.verb !== verb || asked.kind !== kind) return;
        throw refusal(code, { reason, message: `denied, FLAG=${flag} (request ${request++})` });
      };
    };
    const giveFlag = () =>
      edit("a", ({ spec }) => {
        spec.flag = flag;
      });
    const ofInstance = () => cluster.changes.filter(({ object }) => object.kind === ChallengeInstances.kind);
    const refusals = () => controller.told.filter(({ reason }) => reason === "ObjectRefused");
    const condition = (type: string) => findCondition(world.statusOf("a").conditions, type);
    world.create("a");
    return { ...world, refuse, giveFlag, ofInstance, refusals, condition };
  };
  const quoted = /: denied, FLAG=\[flag\] \(request \d+\)$/;

  test.each(["Deployment", "Namespace", "ChallengeInstance"])(
    "of the end, such as deleting the %s, is told once, without the flag, until it is got over",
    async (kind) => {
      const { controller, edit, find, giveFlag, refuse, refusals, condition, ofInstance } = await world();
      giveFlag();
      await controller.settle();
      refuse("delete", kind);
      edit("a", ({ spec }) => {
        spec.terminationReason = "AdminTermination";
      });
      await controller.settle(5000);
      if (kind !== "ChallengeInstance") {
        const told = condition("NamespaceDeleted");
        expect(told).toMatchObject({ status: "False", reason: "Forbidden", message: expect.stringMatching(quoted) });
        expect(told?.message).toMatch(new RegExp(`^The ${kind} \\S+ cannot be deleted: `));
      }
      expect(new Set(refusals().map(({ message }) => message)).size).toBeGreaterThan(0);
      const { length } = ofInstance();
      await controller.settle(20_000);
      expect(ofInstance()).toHaveLength(length);
      if (kind !== "ChallengeInstance") expect(refusals()).toHaveLength(1);
      expect(JSON.stringify([controller.told, find("a")?.status])).not.toContain(flag);
      controller.client.beforeWrite = () => {};
      await controller.settle();
      expect(find("a")).toBeUndefined();
      expect(ofInstance().at(-1)?.object).toMatchObject({
        status: {
          phase: "Terminated",
          conditions: expect.arrayContaining([expect.objectContaining({ reason: "Gone" })]),
        },
      });
    },
  );

  test("of the end is forgotten when it is got over and the rest takes time", async () => {
    const { cluster, controller, refuse, remove, condition } = await world();
    await controller.settle();
    cluster.stuck.add(namespaceOf(cluster).metadata.name);
    refuse("delete", "Deployment", 500, "InternalError");
    remove("a");
    await controller.settle(5000);
    expect(condition("NamespaceDeleted")).toMatchObject({ status: "False", reason: "ServerError" });
    controller.client.beforeWrite = () => {};
    await controller.settle(30_000);
    expect(condition("NamespaceDeleted")).toMatchObject({ status: "False", reason: "StoppingWorkload" });
  });

  test("of letting it go is told, and its last word stays as it is", async () => {
    const { controller, giveFlag, refuse, refusals, remove, statusOf, condition } = await world();
    giveFlag();
    await controller.settle();
    refuse("patch", "ChallengeInstance");
    remove("a");
    await controller.settle(5000);
    expect(statusOf("a")).toMatchObject({ phase: "Terminated", terminationReason: "UserRequest" });
    expect(condition("NamespaceDeleted")).toMatchObject({ status: "True", reason: "Gone" });
    expect(refusals()[0]).toMatchObject({ type: "Warning", message: expect.stringMatching(quoted) });
    expect(refusals()[0]?.message).toMatch(/^The finalizer \S+ cannot be removed: /);
  });

  test.each([
    [403, "Forbidden", "Forbidden"],
    [422, "Invalid", "Refused"],
    [429, "TooManyRequests", "TooManyRequests"],
    [500, "InternalError", "ServerError"],
  ])("of beginning, such as our finalizer (%d), is told, until it is got over", async (code, reason, told) => {
    const { controller, giveFlag, refuse, refusals, statusOf, condition } = await world();
    giveFlag();
    refuse("patch", "ChallengeInstance", code, reason);
    await controller.settle(10_000);
    expect(statusOf("a")).toMatchObject({ phase: "Pending", reason: told });
    expect(statusOf("a").message).toMatch(/^The finalizer \S+ cannot be added: /);
    expect(condition("Admitted")).toMatchObject({ status: "False", reason: told });
    expect(refusals()).toHaveLength(code < 429 ? 1 : 0);
    expect(JSON.stringify([controller.told, statusOf("a")])).not.toContain(flag);
    controller.client.beforeWrite = () => {};
    await controller.settle();
    expect(statusOf("a")).toMatchObject({ phase: "Running" });
    expect(condition("Admitted")).toMatchObject({ status: "True" });
  });

  test("of a running instance that has lost our finalizer is told, and its phase stays", async () => {
    const { controller, edit, refuse, refusals, statusOf, condition } = await world();
    await controller.settle();
    refuse("patch", "ChallengeInstance");
    edit("a", ({ metadata }) => {
      metadata.finalizers = [];
    });
    await controller.settle(10_000);
    expect(statusOf("a").phase).toBe("Running");
    expect(condition("Healthy")).toMatchObject({ status: "Unknown", reason: "Forbidden" });
    expect(refusals()).toHaveLength(1);
    controller.client.beforeWrite = () => {};
    await controller.settle();
    expect(condition("Healthy")).toMatchObject({ status: "True", reason: "Ready" });
  });
});
