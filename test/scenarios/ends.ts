/** How instances end: when, why, in which order, and what keeps them from it. */
import type { Stored } from "@berg/apimachinery";
import { ConfigMaps, Namespaces, systemClock } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, finalizers, labels } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../runtime/eventually.ts";
import { Cell } from "./cells.ts";
import { conditionOf, eventsOf, isIn, isRunning, namespaceOf, type StartWorld } from "./seeing.ts";
import { SkippingClock } from "./skipping-clock.ts";
import type { World } from "./world.ts";

type Instance = Stored<ChallengeInstance>;

export function describeEnds(startWorld: StartWorld): void {
  let world: World;
  let cell: Cell;

  beforeAll(async () => {
    world = await startWorld();
    cell = await Cell.start(world);
  });
  afterAll(() => world?.end());

  const challenge = () => world.challenge().container("web").port(80, "publicHttpRoute").create();
  const newInstance = async () => cell.instance(await challenge());
  const remove = ({ metadata }: Instance) =>
    world.client.delete(ChallengeInstances, metadata.namespace ?? "", metadata.name);
  const change = ({ metadata }: Instance, body: object) =>
    world.client.patch(ChallengeInstances, metadata.namespace ?? "", metadata.name, { type: "merge", body });
  const namespaceIsThere = (instance: Instance) =>
    world.followed
      .informer("namespaces")
      .list()
      .some(({ metadata }) => metadata.name === namespaceOf(instance));
  const everHadNamespace = (instance: Instance) =>
    world.followed.changes.some(
      ({ resource, object }) => resource === "namespaces" && object.metadata.name === namespaceOf(instance),
    );
  /** What a consumer without a finalizer of its own may miss: the last status. */
  const goneAs = async (instance: Instance, terminationReason: string) => {
    const last = await world.untilGone(instance, { within: 60_000 });
    expect(last.status).toMatchObject({ phase: "Terminated", terminationReason });
    expect(last.status?.terminatedAt).toBeDefined();
    expect(namespaceIsThere(instance)).toBe(false);
    return last;
  };

  // Alone, as it measures.
  test("an instance ends within a second of its time, and not before it", async () => {
    const instance = await (await newInstance()).timeout("3s").create();
    const { status } = await world.until(instance, isRunning);
    const expiresAt = Date.parse(status?.expiresAt ?? "");
    await goneAs(instance, "Timeout");
    const stop = cell.controller
      .writes()
      .find(({ verb, resource, namespace }) =>
        [verb, resource, namespace].every((part, at) => part === ["delete", "deployments", namespaceOf(instance)][at]),
      );
    const stoppedAt = performance.timeOrigin + (stop?.at ?? 0);
    expect(stoppedAt).toBeGreaterThanOrEqual(expiresAt);
    expect(stoppedAt).toBeLessThanOrEqual(expiresAt + 1000);
  });

  describe.concurrent("an early end", () => {
    test("before anybody has seen the instance leaves nothing", async () => {
      const own = await Cell.start(world);
      await own.controller.stop();
      const instance = await own.instance(await challenge()).create();
      await remove(instance);
      await world.untilGone(instance);
      await own.restart();
      expect(everHadNamespace(instance)).toBe(false);
      await own.controller.stop();
    });

    test("while it is Pending", async () => {
      const own = await Cell.start(world, { env: { MAX_INSTANCES: "1" } });
      const first = await own.instance(await challenge()).create();
      await world.until(first, isRunning);
      const waiting = await own.instance(await challenge()).create();
      await world.until(waiting, isIn("Pending", "CapacityReached"));
      await remove(waiting);
      await goneAs(waiting, "UserRequest");
      expect(everHadNamespace(waiting)).toBe(false);
      await own.controller.stop();
    });

    test.each(["reaches the server after all", "is lost"])(
      "while it is Creating, and the write that is under way %s",
      async (fate) => {
        const own = await Cell.start(world);
        const held = Promise.withResolvers<"reset" | undefined>();
        const reached = new Promise<void>((resolve) => {
          own.controller.proxy.at({ resource: "services", verb: "create", when: "before" }, () => {
            resolve();
            return held.promise;
          });
        });
        const instance = await own.instance(await challenge()).create();
        await reached;
        await world.until(instance, isIn("Creating"));
        await remove(instance);
        held.resolve(fate === "is lost" ? "reset" : undefined);
        await goneAs(instance, "UserRequest");
        await own.controller.stop();
      },
    );

    test("while nobody works, right after its namespace was made", async () => {
      const own = await Cell.start(world);
      const { controller } = own;
      const killed = new Promise<void>((resolve) => {
        controller.proxy.at({ resource: "namespaces", verb: "create", when: "after" }, () => {
          void controller.kill().then(resolve);
          return "reset";
        });
      });
      const instance = await own.instance(await challenge()).create();
      await killed;
      await remove(instance);
      await own.restart();
      await goneAs(instance, "UserRequest");
      await own.controller.stop();
    });

    test("while it is Starting", async () => {
      const slow = await world.challenge().container("web").behaving("never-ready").create();
      const instance = await cell.instance(slow).create();
      await world.until(instance, isIn("Starting"));
      await remove(instance);
      await goneAs(instance, "UserRequest");
    });

    test("while it is Running, and asked for twice", async () => {
      const instance = await (await newInstance()).create();
      await world.until(instance, isRunning);
      await remove(instance);
      await world.until(instance, isIn("Terminating"));
      await remove(instance);
      await change(instance, { spec: { terminationReason: "AdminTermination" } });
      await goneAs(instance, "UserRequest");
      expect((await eventsOf(world, instance, "InstanceTerminating")).map(({ message }) => message)).toContain(
        "Terminating due to the request of its owner",
      );
    });

    test("while it is Failed", async () => {
      const instance = await cell.instance({ ...(await challenge()), metadata: { name: "nothing" } } as never).create();
      await world.until(instance, isIn("Failed", "ChallengeMissing"));
      await remove(instance);
      await goneAs(instance, "UserRequest");
      expect(everHadNamespace(instance)).toBe(false);
    });
  });

  describe.concurrent("a reason", () => {
    test("AdminTermination: whoever sets it in the spec ends the instance, and it is deleted too", async () => {
      const instance = await (await newInstance()).create();
      await world.until(instance, isRunning);
      await change(instance, { spec: { terminationReason: "AdminTermination" } });
      await goneAs(instance, "AdminTermination");
    });

    test("Timeout: of an instance that never came to run as well", async () => {
      const missing = { ...(await challenge()), metadata: { name: "nothing" } } as never;
      const instance = await cell.instance(missing).timeout("2s").create();
      await world.until(instance, isIn("Failed", "ChallengeMissing"));
      await goneAs(instance, "Timeout");
    });

    test("Failure: somebody has deleted the namespace", async () => {
      const instance = await (await newInstance()).create();
      await world.until(instance, isRunning);
      await world.client.delete(Namespaces, "", namespaceOf(instance));
      const { status } = await world.until(instance, isIn("Terminating"));
      expect(status?.message).toContain("was deleted by somebody else");
      await goneAs(instance, "Failure");
    });

    test("survives the controller that found it", async () => {
      const own = await Cell.start(world);
      const { controller } = own;
      const instance = await own.instance(await challenge()).create();
      await world.until(instance, isRunning);
      const killed = new Promise<void>((resolve) => {
        controller.proxy.at({ resource: "challengeinstances", verb: "delete", when: "after" }, () => {
          void controller.kill().then(resolve);
          return "reset";
        });
      });
      await world.client.delete(Namespaces, "", namespaceOf(instance));
      await killed;
      await own.restart();
      await goneAs(instance, "Failure");
      await own.controller.stop();
    });
  });

  describe.concurrent("an instance that has lost our finalizer", () => {
    test("with the write that ends it, as by `kubectl replace`, leaves nothing behind", async () => {
      const instance = await (await newInstance()).create();
      await eventually("it is ended by a write that names no finalizers", async () => {
        const { namespace = "", name } = instance.metadata;
        const { metadata, ...rest } = await world.client.get(ChallengeInstances, namespace, name);
        if (rest.status?.phase !== "Running") return false;
        const spec = { ...rest.spec, terminationReason: "AdminTermination" as const };
        return world.client.update(ChallengeInstances, { ...rest, spec, metadata: { ...metadata, finalizers: [] } });
      });
      await goneAs(instance, "AdminTermination");
    });

    test("while nobody works, and its time is up, leaves nothing behind", async () => {
      const own = await Cell.start(world);
      const instance = await own
        .instance(await challenge())
        .timeout("20s")
        .create();
      const { status } = await world.until(instance, isRunning);
      await own.controller.stop();
      await change(instance, { metadata: { finalizers: [] } });
      await eventually("its time is up", () => Date.now() >= Date.parse(status?.expiresAt ?? ""));
      await own.restart();
      await goneAs(instance, "Timeout");
      await own.controller.stop();
    });

    test("and is deleted while its reader holds it, stops, and says its last word", async () => {
      const own = await Cell.start(world);
      const instance = await own.instance(await challenge()).create();
      await world.until(instance, isRunning);
      await own.controller.stop();
      await change(instance, { metadata: { finalizers: [finalizers.api] } });
      await remove(instance);
      await own.restart();
      await world.until(instance, isIn("Terminated"), { within: 60_000 });
      expect(namespaceIsThere(instance)).toBe(false);
      await change(instance, { metadata: { finalizers: [] } });
      await goneAs(instance, "UserRequest");
      await own.controller.stop();
    });
  });

  describe.concurrent("where no status can be written,", () => {
    const answers: [what: string, status: number, reason: string][] = [
      ["a webhook denies it", 403, "Forbidden"],
      ["the CRD was rolled back", 422, "Invalid"],
      ["the server has trouble", 500, "InternalError"],
    ];

    test.each(answers)(
      "because %s, workloads stop all the same, for a reason that is told later",
      async (...answer) => {
        const [, status, reason] = answer;
        const own = await Cell.start(world);
        const jar = await challenge();
        const [deleted, expired] = await Promise.all([
          own.instance(jar).create(),
          own.instance(jar).timeout("20s").create(),
        ]);
        for (const instance of [deleted, expired]) await world.until(instance, isRunning);
        own.controller.proxy.answer = ({ resource, subresource, verb }) => {
          if (resource !== "challengeinstances" || subresource !== "status" || verb !== "update") return undefined;
          const body = { kind: "Status", apiVersion: "v1", status: "Failure", code: status, reason, message: "no" };
          return { status, body };
        };
        await remove(deleted);
        for (const instance of [deleted, expired]) {
          await eventually("its namespace is gone", () => !namespaceIsThere(instance));
          await world.until(instance, isRunning);
        }
        own.controller.proxy.answer = () => undefined;
        await goneAs(deleted, "UserRequest");
        await goneAs(expired, "Timeout");
        await own.controller.stop();
      },
    );
  });

  describe.concurrent("the order at the end", () => {
    test("workloads go before their namespace, and the last status can be read until its reader lets go", async () => {
      const instance = await (await newInstance()).metadata({ finalizers: [finalizers.api] }).create();
      await world.until(instance, isRunning);
      await remove(instance);
      const ended = await world.until(instance, ({ metadata }) => metadata.finalizers?.join() === finalizers.api, {
        within: 60_000,
      });
      expect(ended.status).toMatchObject({ phase: "Terminated", terminationReason: "UserRequest" });
      expect(namespaceIsThere(instance)).toBe(false);
      const changes = world.followed.changes.filter(
        ({ object }) => object.metadata.labels?.[labels.instanceUid] === instance.metadata.uid,
      );
      const at = (resource: string, isIt: (change: (typeof changes)[number]) => boolean) =>
        Number(changes.find((one) => one.resource === resource && isIt(one))?.object.metadata.resourceVersion);
      const podGone = at(
        "pods",
        ({ type, object }) => type === "deleted" || Boolean(object.metadata.deletionTimestamp),
      );
      const deploymentGone = at("deployments", ({ type }) => type === "deleted");
      const namespaceGoing = at("namespaces", ({ object }) => Boolean(object.metadata.deletionTimestamp));
      expect(deploymentGone).toBeLessThan(namespaceGoing);
      expect(podGone).toBeLessThan(namespaceGoing);

      const written = cell.controller.writes().filter(({ name }) => name === instance.metadata.name).length;
      await change(ended, { metadata: { labels: { "stranger.example.com/read": "yes" } } });
      await change(ended, { metadata: { finalizers: [] } });
      await world.untilGone(instance);
      expect(cell.controller.writes().filter(({ name }) => name === instance.metadata.name).length).toBe(written);
    });

    test("where many end at once, every workload stops before its namespace is deleted, once", async () => {
      const own = await Cell.start(world);
      const jar = await challenge();
      const instances = await Promise.all(Array.from({ length: 20 }, () => own.instance(jar).create()));
      await Promise.all(instances.map((instance) => world.until(instance, isRunning, { within: 60_000 })));
      await Promise.all(instances.map(remove));
      await Promise.all(instances.map((instance) => goneAs(instance, "UserRequest")));
      const deletions = own.controller.writes().filter(({ verb }) => verb === "delete");
      const ofKind = (what: string) => deletions.filter(({ resource }) => resource === what);
      expect([ofKind("deployments").length, ofKind("namespaces").length]).toEqual([20, 20]);
      for (const { name, at } of ofKind("namespaces"))
        expect(ofKind("deployments").find(({ namespace }) => namespace === name)?.at).toBeLessThanOrEqual(at);
      await own.controller.stop();
    });

    test("a namespace that does not go is reported in its own words, and the instance waits for it", async () => {
      const clock = new SkippingClock();
      const own = await Cell.start(world, { clock });
      const instance = await own.instance(await challenge()).create();
      await world.until(instance, isRunning);
      const metadata = { namespace: namespaceOf(instance), name: "held", finalizers: ["example.com/mine"] };
      await world.client.create(ConfigMaps, { metadata });
      await remove(instance);
      await eventually("the namespace says what keeps it", () =>
        world.followed
          .informer("namespaces")
          .list()
          .some((namespace) => {
            const { conditions = [] } = (namespace as { status?: { conditions?: { type: string; status: string }[] } })
              .status ?? { conditions: [] };
            return (
              namespace.metadata.name === namespaceOf(instance) &&
              conditions.some(({ type, status }) => type === "NamespaceFinalizersRemaining" && status === "True")
            );
          }),
      );
      const waiting = await world.until(instance, isIn("Terminating"));
      expect(conditionOf(waiting, "NamespaceDeleted")?.reason).toBe("StoppingWorkload");
      clock.skip(61_000);
      const stuck = await world.until(
        instance,
        (object) => conditionOf(object, "NamespaceDeleted")?.reason === "NamespaceStuck",
      );
      expect(conditionOf(stuck, "NamespaceDeleted")?.message).toContain("example.com/mine");
      expect(stuck.status?.phase).toBe("Terminating");
      expect((await eventsOf(world, instance, "NamespaceStuck")).length).toBeGreaterThan(0);
      await world.client.patch(ConfigMaps, metadata.namespace, "held", {
        type: "merge",
        body: { metadata: { finalizers: [] } },
      });
      await goneAs(instance, "UserRequest");
      await own.controller.stop();
    });
  });

  test.each([600_000, -600_000])(
    "a controller whose clock is %i ms ahead gives everything its time by the server's",
    async (aheadMs) => {
      const own = await Cell.start(world, { clock: { ...systemClock, now: () => systemClock.now() + aheadMs } });
      const instance = await own
        .instance(await challenge())
        .timeout("1h")
        .create();
      const { status } = await world.until(instance, isRunning);
      expect(Math.abs(Date.parse(status?.expiresAt ?? "") - Date.now() - aheadMs - 3_600_000)).toBeLessThan(60_000);
      await remove(instance);
      await goneAs(instance, "UserRequest");
      const told = await eventsOf(world, instance, "InstanceTerminating");
      expect(told.map(({ reason }) => reason)).not.toContain("NamespaceStuck");
      expect(own.controller.writes().filter(({ resource }) => resource === "pods")).toEqual([]);
      await own.controller.stop();
    },
  );

  describe.concurrent("an owner with several instances", () => {
    const bothOf = (one: Instance) =>
      world.followed.changes.filter(
        ({ resource, object }) => resource === "namespaces" && object.metadata.name === namespaceOf(one),
      );

    test("has one at a time; the other waits, never touches its place, and goes on by itself", async () => {
      const first = await (await newInstance()).create();
      await world.until(first, isRunning);
      const { ownerId } = first.spec;
      const second = await (await newInstance())
        .ownedBy(ownerId)
        .metadata({ name: `second-${ownerId}` })
        .create();
      const busy = await world.until(second, isIn("Failed", "OwnerBusy"));
      expect(busy.status?.message).toContain(first.metadata.name);
      const third = await (await newInstance())
        .ownedBy(ownerId)
        .metadata({ name: `third-${ownerId}` })
        .create();
      await world.until(third, isIn("Failed", "OwnerBusy"));
      await remove(third);
      await goneAsNobody(third);
      expect(new Set(bothOf(first).map(({ object }) => object.metadata.labels?.[labels.instanceUid]))).toEqual(
        new Set([first.metadata.uid]),
      );
      await remove(first);
      await world.until(second, isIn("Pending", "PreviousTerminating"));
      await world.untilGone(first, { within: 60_000 });
      await world.until(second, isRunning, { within: 60_000 });
      await remove(second);
      await goneAs(second, "UserRequest");
    });

    /** Its owner's namespace is there, and is not its own. */
    const goneAsNobody = async (instance: Instance) => {
      const last = await world.untilGone(instance);
      expect(last.status).toMatchObject({ phase: "Terminated", terminationReason: "UserRequest" });
      expect(namespaceIsThere(instance)).toBe(true);
    };

    test("has one of two that were created in the same moment", async () => {
      const one = await newInstance();
      const { ownerId } = one.manifest.spec;
      const other = (await newInstance()).ownedBy(ownerId).metadata({ name: `other-${ownerId}` });
      const both = await Promise.all([one.create(), other.create()]);
      const [winner, loser] = await Promise.race(
        both.map(async (instance, at) => {
          await world.until(instance, isRunning);
          return [instance, both[1 - at] as Instance] as const;
        }),
      );
      await world.until(loser, isIn("Failed", "OwnerBusy"));
      expect(new Set(bothOf(winner).map(({ object }) => object.metadata.labels?.[labels.instanceUid]))).toEqual(
        new Set([winner.metadata.uid]),
      );
      await remove(winner);
      await world.until(loser, isRunning, { within: 60_000 });
    });

    test("starts again while the last one is still going", async () => {
      const first = await (await newInstance()).create();
      await world.until(first, isRunning);
      await remove(first);
      const again = (await newInstance()).ownedBy(first.spec.ownerId).metadata({ name: `again-${first.spec.ownerId}` });
      const second = await again.create();
      const waiting = await world.until(second, isIn("Pending", "PreviousTerminating"));
      expect(conditionOf(waiting, "NamespaceCreated")).toMatchObject({
        status: "False",
        reason: "PreviousTerminating",
      });
      const running = await world.until(second, isRunning, { within: 60_000 });
      expect(running.status?.history?.map(({ reason }) => reason)).toEqual(["Started", "Admitted"]);
    });
  });

  describe.concurrent("somebody else's namespace under our name", () => {
    test("is left alone, and the instance goes on once it is gone", async () => {
      const clock = new SkippingClock();
      const own = await Cell.start(world, { clock });
      const asked = own.instance(await challenge());
      const name = namespaceOf(asked.manifest);
      await world.client.create(Namespaces, { metadata: { name, labels: { "stranger.example.com/is": "mine" } } });
      const instance = await asked.create();
      const failed = await world.until(instance, isIn("Failed", "NameConflict"));
      expect(failed.status?.message).toContain(name);
      expect(changesOf(own, name)).toEqual([]);
      await world.client.delete(Namespaces, "", name);
      await eventually("it is gone", () => !namespaceIsThere(instance));
      clock.skip(61_000);
      await world.until(instance, isRunning);
      await remove(instance);
      await goneAs(instance, "UserRequest");
      await own.controller.stop();
    });

    test("outlives the instance", async () => {
      const asked = await newInstance();
      const name = namespaceOf(asked.manifest);
      const foreign = await world.client.create(Namespaces, { metadata: { name } });
      const instance = await asked.create();
      await world.until(instance, isIn("Failed", "NameConflict"));
      await remove(instance);
      await world.untilGone(instance);
      const { metadata } = await world.client.get(Namespaces, "", name);
      expect(metadata.uid).toBe(foreign.metadata.uid);
      expect(metadata.deletionTimestamp).toBeUndefined();
      expect(changesOf(cell, name)).toEqual([]);
    });
  });
}

/** What a controller has done to a namespace and to all in it. To be refused changes nothing. */
function changesOf({ controller }: Cell, name: string) {
  return controller
    .writes()
    .filter((write) => (write.name === name || write.namespace === name) && (write.code ?? 0) < 300);
}
