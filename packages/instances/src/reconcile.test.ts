/** Whole lives in a cluster in memory: what a look alone does not show. */
import { formatTime, type KubeObject, keyOf, type Stored } from "@berg/apimachinery";
import { ConfigMaps, Deployments, findCondition, type Namespace, Namespaces, Services } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { type ChallengeInstance, ChallengeInstances, Challenges, finalizers } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { containerOf } from "./builders/testing/blueprints.ts";
import { begin } from "./testing/begin.ts";
import { home, makeChallenge, makeInstance, makeSettings, startOfTest } from "./testing/make-objects.ts";
import { Crash } from "./testing/model-client.ts";
import type { ModelCluster } from "./testing/model-cluster.ts";
import { ModelController } from "./testing/model-controller.ts";

const hours = 3_600_000;

const namespaceOf = (cluster: ModelCluster) => cluster.all<Namespace>("Namespace")[0] as Stored<Namespace>;

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

describe("what the server refuses for good", () => {
  const refused = () => {
    const world = begin();
    world.controller.client.beforeWrite = ({ verb, kind }) => {
      if (verb === "create" && kind === "Deployment") throw refusal(422, { reason: "Invalid", message: "no" });
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
  const [service] = cluster.all<KubeObject & { spec: { selector: object } }>("Service");
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
