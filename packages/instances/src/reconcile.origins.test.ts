/** Challenges that were stored under another CRD than ours, and errors of our own: neither blocks an owner. */
import { formatTime, parseDuration, type Stored } from "@berg/apimachinery";
import { InternalError, stackOf } from "@berg/kube";
import { type Challenge, ChallengeInstances, Challenges } from "@berg/resources";
import { describe, expect, test } from "vitest";
import type { Reconciler } from "./reconcile.ts";
import { begin } from "./testing/begin.ts";
import { home, makeChallenge, makeInstance, makeSettings, startOfTest } from "./testing/make-objects.ts";
import { ModelCluster } from "./testing/model-cluster.ts";
import { ModelController } from "./testing/model-controller.ts";

const hours = 3_600_000;
const flag = "flag{never-in-a-log}";

function beginWith(spec: unknown, settings = makeSettings()) {
  const cluster = new ModelCluster();
  const controller = new ModelController(cluster, settings);
  cluster.create("hand", Challenges, { ...makeChallenge(), spec } as Stored<Challenge>);
  const instance = makeInstance("a").withSpec({ flag }).createdAt(cluster.now).object;
  cluster.create("hand", ChallengeInstances, instance);
  const find = () => cluster.find<typeof instance>(ChallengeInstances, `${home}/a`);
  return { cluster, controller, find, statusOf: () => find()?.status ?? {} };
}

const container = { hostname: "web", image: "web:1" };

describe("a Challenge of another CRD runs and ends", () => {
  test.each([
    ["without any optional field", { containers: [container] }],
    [
      "with ports that name nothing",
      { containers: [{ ...container, ports: [{}, { type: "publicHttpRoute", port: 81 }] }] },
    ],
    [
      "with nulls",
      {
        displayName: null,
        containers: [
          {
            ...container,
            dynamicFlag: { content: { path: "/flag", mode: null } },
            resourceLimits: null,
            runtimeClassName: null,
            egressBandwidth: null,
          },
        ],
      },
    ],
    ["with unknown fields", { points: 500, containers: [{ ...container, command: ["sh"] }] }],
  ])("%s", async (_, spec) => {
    const { cluster, controller, find, statusOf } = beginWith(spec);
    await controller.settle();
    expect(controller.errors).toEqual([]);
    expect(statusOf()).toMatchObject({ phase: "Running" });
    expect(await controller.requestsOfAnotherLook()).toEqual([]);
    cluster.delete("hand", ChallengeInstances, `${home}/a`);
    await controller.settle();
    expect(find()).toBeUndefined();
    expect(cluster.all("Namespace")).toEqual([]);
  });
});

describe("a Challenge that makes no sense fails its instances, which end in time", () => {
  test.each([
    [undefined, /spec: Required value/],
    [{ containers: "web" }, /spec\.containers: Invalid value: "string": must be of type array/],
    [{ containers: [{ hostname: "web" }] }, /spec\.containers\[0\]\.image: Required value/],
    [{ until: "tomorrow", containers: [container] }, /spec\.until: Invalid value/],
    [{ containers: [{ ...container, dynamicFlag: { env: null } }] }, /exactly one of env, content and executable/],
  ])("%j", async (spec, message) => {
    const { controller, find, statusOf } = beginWith(spec);
    await controller.settle();
    expect(controller.errors).toEqual([]);
    expect(statusOf()).toMatchObject({ phase: "Failed", reason: "ChallengeInvalid", instanceId: expect.any(String) });
    expect(statusOf().message).toMatch(message);
    expect(statusOf().expiresAt).toBe(formatTime(startOfTest + 2 * hours));
    await controller.settle(2 * hours);
    expect(find()).toBeUndefined();
  });

  test("its own timeout still counts", async () => {
    const { statusOf, controller } = beginWith({ timeout: "10m", containers: 1 });
    await controller.settle();
    expect(statusOf().expiresAt).toBe(formatTime(startOfTest + 600_000));
  });
});

test("the record of a Challenge that our CRD has stored keeps its name, so that an upgrade starts nothing anew", async () => {
  const { controller, create, statusOf } = begin();
  create("a");
  await controller.settle();
  expect(statusOf("a").revision).toBe("cookie-jar-9ec926c1487d2cae0b18");
});

describe("an error of our own", () => {
  const spec = makeChallenge().spec;
  const minute = 60_000;
  const broken = (): never => {
    throw new TypeError(`Cannot read properties of ${flag}`);
  };

  /** A life of a minute. `breakDown` makes the code of one step throw, `repair` ends that. */
  function beginToBreak(step: keyof typeof steps) {
    const settings = { ...makeSettings(), expiry: { ...makeSettings().expiry, timeout: parseDuration("1m") } };
    const world = beginWith(spec, settings);
    const { around } = world.controller;
    const { target, name } = steps[step](around);
    const working = Object.getOwnPropertyDescriptor(target, name) as PropertyDescriptor;
    const breakDown = () => Object.defineProperty(target, name, { get: broken, configurable: true });
    const repair = () => Object.defineProperty(target, name, working);
    world.controller.deliver();
    return { ...world, breakDown, repair };
  }

  const steps = {
    "when kinds are looked for and objects are built": ({ settings }: Reconciler) => ({
      target: settings,
      name: "build",
    }),
    "when the expiry is counted": ({ settings }: Reconciler) => ({ target: settings, name: "expiry" }),
    "when a snapshot is taken": (around: Reconciler) => ({ target: around, name: "settled" }),
  };
  type Step = keyof typeof steps;

  test.each(["when kinds are looked for and objects are built", "when a snapshot is taken"] satisfies Step[])(
    "%s fails an instance without identity, with a reason, and it ends in time",
    async (step) => {
      const { controller, find, statusOf, breakDown, repair } = beginToBreak(step);
      breakDown();
      await controller.settle(5_000);
      expect(statusOf()).toMatchObject({
        phase: "Failed",
        reason: "InternalError",
        message: expect.stringMatching(/error in Berg itself/),
        instanceId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        startedAt: formatTime(startOfTest),
        expiresAt: formatTime(startOfTest + minute),
      });
      await controller.settle(minute);
      // Without a snapshot nobody knows what is left of it.
      if (step === "when a snapshot is taken") repair();
      await controller.settle(3_000);
      expect(find()).toBeUndefined();
    },
  );

  test("is thrown with its stack and without a flag, so that it is logged", async () => {
    const { controller, breakDown } = beginToBreak("when kinds are looked for and objects are built");
    breakDown();
    await controller.settle(3_000);
    const [error] = controller.errors;
    expect(error).toBeInstanceOf(InternalError);
    expect((error as Error).message).toBe("Cannot read properties of [flag]");
    expect(stackOf(error)).toContain("reconcile.origins.test.ts");
    expect(stackOf(error)).not.toContain(flag);
  });

  test("that is fixed lets the instance start", async () => {
    const { controller, statusOf, breakDown, repair } = beginToBreak("when kinds are looked for and objects are built");
    breakDown();
    await controller.settle(3_000);
    const { instanceId } = statusOf();
    repair();
    await controller.settle(3_000);
    expect(statusOf()).toMatchObject({ phase: "Running", instanceId });
    expect(statusOf().reason).toBeUndefined();
  });

  describe.each(["when kinds are looked for and objects are built", "when the expiry is counted"] satisfies Step[])(
    "%s, while an instance runs,",
    (step) => {
      test.each(["its expiry", "its deletion"])("changes nothing, and does not block %s", async (end) => {
        const { cluster, controller, find, statusOf, breakDown } = beginToBreak(step);
        await controller.settle(10_000);
        breakDown();
        controller.enqueue(`${home}/a`);
        await controller.settle(5_000);
        expect(statusOf().phase).toBe("Running");
        if (end === "its deletion") cluster.delete("hand", ChallengeInstances, `${home}/a`);
        await controller.settle(end === "its deletion" ? 10_000 : minute);
        expect(find()).toBeUndefined();
        expect(cluster.all("Namespace")).toEqual([]);
      });
    },
  );

  test("in the words about a failure does not block the end of the instance that has failed", async () => {
    const { cluster, controller, find } = beginWith(spec);
    await controller.settle();
    const [pod] = cluster.all("Pod");
    // The API server stores no such pod.
    cluster.edit("hand", pod as never, (draft: { status?: unknown }) => {
      draft.status = { phase: "Running", conditions: 5 };
    });
    cluster.edit("hand", find() as never, (draft: { spec: object }) => {
      Object.assign(draft.spec, { terminationReason: "Failure" });
    });
    controller.deliver();
    await controller.turn();
    await controller.settle();
    expect(find()).toBeUndefined();
    expect(cluster.all("Namespace")).toEqual([]);
    expect(controller.errors).toEqual(expect.arrayContaining([expect.any(InternalError)]));
  });
});
