/**
 * What becomes of an instance that the listener takes for stuck. Its word is written by hand here, as the listener would,
 * so that it can come at any moment, and stay when nobody is there to take it back.
 */
import type { Stored } from "@berg/apimachinery";
import { LimitRanges, Pods } from "@berg/kube";
import {
  type ChallengeInstance,
  ChallengeInstances,
  Challenges,
  fieldManagers,
  foreignConditions,
  labels,
} from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Cell } from "./cells.ts";
import { conditionOf, endOf, eventsOf, isIn, isRunning, namespaceOf, Objects, type StartWorld } from "./seeing.ts";
import type { World } from "./world.ts";

type Instance = Stored<ChallengeInstance>;

const missing = "image-pull backoff=100ms message=manifest unknown";
const crashing = "crash-loop exitCode=1 run=0s backoff=50ms";
const message = "Container web: the image web:1 cannot be pulled: it does not exist";
const reason = "ImageCannotBePulled";
const stuck = { status: "True", reason, message } as const;
const recovered = { status: "False", reason: "Recovered", message: "It is no longer stuck." } as const;

export function describeStuck(startWorld: StartWorld): void {
  let world: World;
  let most: Cell;

  beforeAll(async () => {
    world = await startWorld();
    most = await Cell.start(world);
  });
  afterAll(() => world?.end());

  /** Everything that the listener says is its own; what it no longer says goes. */
  function say({ metadata }: Instance, finding?: typeof stuck | typeof recovered): Promise<Instance> {
    const { namespace, name, uid } = metadata;
    const said = { type: foreignConditions.stuck, lastTransitionTime: "2026-01-01T00:00:00Z", ...finding };
    const status = finding ? { conditions: [said] } : {};
    const applied = {
      apiVersion: "berg.norelect.ch/v1",
      kind: "ChallengeInstance",
      metadata: { namespace, name, uid },
    };
    return world.client.apply(ChallengeInstances, { ...applied, status } as unknown as Instance, {
      subresource: "status",
      fieldManager: fieldManagers.listener,
      force: true,
    });
  }

  async function podsOf(instance: Instance) {
    const labelSelector = `${labels.instanceUid}=${instance.metadata.uid}`;
    return (await world.client.list(Pods, { namespace: namespaceOf(instance), labelSelector })).items;
  }

  async function behave(instance: Instance, behaviour: string): Promise<void> {
    for (const pod of await podsOf(instance)) await world.simulator.behave(pod, behaviour);
  }

  function ask(instance: Instance, spec: object): Promise<Instance> {
    const { namespace = "", name } = instance.metadata;
    return world.client.patch(ChallengeInstances, namespace, name, { type: "merge", body: { spec } });
  }

  const begin = async (behaviour: string) =>
    most.instance(await world.challenge().container("web").port(80, "publicPort").behaving(behaviour).create());

  describe.concurrent("an instance that is stuck", () => {
    test("has failed until its pods are ready, and is looked after all the while", async () => {
      const created = await (await begin(missing)).create();
      const sick = await world.until(created, isIn("Starting", reason));
      await say(sick, stuck);
      const failed = await world.until(created, isIn("Failed", reason));
      expect(failed.status).toMatchObject({ message, expiresAt: sick.status?.expiresAt });
      expect(conditionOf(failed, "PodsReady")).toMatchObject({ status: "False" });
      const before = await podsOf(failed);

      // Nothing was taken down, what is missing is put back, and more time can be had.
      const objects = await Objects.of(world, failed);
      await world.client.delete(LimitRanges, namespaceOf(failed), "challenge-limits");
      await ask(failed, { renewals: 1 });
      const renewed = await world.until(created, ({ status }) => status?.renewals === 1);
      expect(renewed.status).toMatchObject({ phase: "Failed", reason, message });
      await expect.poll(async () => (await Objects.of(world, failed)).has("LimitRange")).toBe(true);
      expect((await Objects.of(world, failed)).names.sort()).toEqual([...objects.names].sort());
      expect((await podsOf(failed)).map(({ metadata }) => metadata.uid)).toEqual(
        before.map(({ metadata }) => metadata.uid),
      );

      await behave(failed, "ready");
      const running = await world.until(created, isRunning);
      expect(running.status).not.toHaveProperty("reason");
      expect(running.status).not.toHaveProperty("message");
      expect(running.status?.services).toHaveLength(1);
      const told = await eventsOf(world, running, "InstanceReady");
      expect(told.filter((event) => event.reason === "InstanceFailed")).toEqual([
        { type: "Warning", reason: "InstanceFailed", message },
      ]);
    });

    test("starts on where the listener takes it back, and says what it still waits for", async () => {
      const created = await (await begin(missing)).create();
      await say(await world.until(created, isIn("Starting", reason)), stuck);
      const failed = await world.until(created, isIn("Failed", reason));
      await behave(failed, "never-ready");
      await say(failed, recovered);
      const starting = await world.until(created, isIn("Starting"));
      expect(starting.status?.readyAt).toBeUndefined();
    });

    test("fails after it ran, keeps its addresses, and is well again", async () => {
      const created = await (await begin("ready")).create();
      const before = await world.until(created, isRunning);
      await behave(before, crashing);
      await say(await world.until(created, isIn("Running", "ContainerCrashes")), { ...stuck });
      const failed = await world.until(created, isIn("Failed", reason));
      expect(failed.status).toMatchObject({ readyAt: before.status?.readyAt, services: before.status?.services });
      expect(conditionOf(failed, "Healthy")).toMatchObject({ status: "False", reason: "ContainerCrashes" });
      await behave(failed, "ready");
      await say(failed, recovered);
      // The listener takes its word back before the pod is seen to be ready.
      const well = await world.until(
        created,
        (instance) => isRunning(instance) && conditionOf(instance, "Healthy")?.status === "True",
      );
      const told = await eventsOf(world, well, "InstanceHealthy");
      expect(told.map((event) => event.reason)).toEqual([
        "InstanceCreating",
        "InstanceReady",
        "InstanceUnhealthy",
        "InstanceFailed",
        "InstanceHealthy",
      ]);
    });

    test("that the listener left behind runs, and costs nothing", async () => {
      const cell = await Cell.start(world);
      const challenge = await world.challenge().container("web").create();
      const created = await cell.instance(challenge).create();
      const running = await world.until(created, isRunning);
      const writes = () => cell.controller.writes().filter(({ resource }) => resource !== "events");
      const before = writes().length;
      await say(running, stuck);
      await world.until(created, (instance) => conditionOf(instance, foreignConditions.stuck));
      // Any change of the instance asks for another look.
      for (const nth of ["1", "2", "3"]) {
        const body = { metadata: { annotations: { [`stranger.example.com/${nth}`]: "looks" } } };
        const { namespace, name } = created.metadata;
        await world.client.patch(ChallengeInstances, namespace ?? "", name, { type: "merge", body });
      }
      const after = await world.until(created, ({ metadata }) => metadata.annotations?.["stranger.example.com/3"]);
      expect(after.status).toMatchObject({ phase: "Running" });
      await endOf(world, created);
      const [first] = writes().slice(before);
      expect(`${first?.verb} ${first?.subresource}`).toBe("update status");
      expect(conditionOf(await world.untilGone(created), foreignConditions.stuck)).toMatchObject(stuck);
      await cell.controller.stop();
    });

    test("keeps the place that it has, until it ends", async () => {
      const cell = await Cell.start(world, { env: { MAX_INSTANCES: "1" } });
      const challenge = await world.challenge().container("web").behaving(missing).create();
      const first = await cell.instance(challenge).create();
      await say(await world.until(first, isIn("Starting", reason)), stuck);
      await world.until(first, isIn("Failed", reason));
      const second = await cell.instance(challenge).create();
      await world.until(second, isIn("Pending", "CapacityReached"));
      await ask(first, { renewals: 1 });
      await world.until(first, ({ status }) => status?.renewals === 1);
      expect((await world.until(second, () => true)).status).toMatchObject({ phase: "Pending" });
      await endOf(world, first);
      await world.until(second, isIn("Starting", reason));
      await cell.controller.stop();
    });

    test("that is ended for it tells its owner why, to the last", async () => {
      const created = await (await begin(missing)).create();
      await say(await world.until(created, isIn("Starting", reason)), stuck);
      await ask(created, { terminationReason: "Failure" });
      const last = await world.untilGone(created, { within: 60_000 });
      expect(last.status).toMatchObject({
        phase: "Terminated",
        terminationReason: "Failure",
        message: `This instance has failed. ${message}`,
      });
    });

    test("of which the time is up goes as any other", async () => {
      const created = await (await begin(missing)).create();
      await say(await world.until(created, isIn("Starting", reason)), stuck);
      await world.until(created, isIn("Failed", reason));
      await ask(created, { until: new Date(Date.now() + 1000).toISOString() });
      const last = await world.untilGone(created, { within: 60_000 });
      expect(last.status).toMatchObject({ phase: "Terminated", terminationReason: "Timeout" });
    });
  });

  describe.concurrent("what the listener writes", () => {
    test("is its own to take back, whatever the controller has written since", async () => {
      const created = await (await begin(missing)).create();
      await say(created, stuck);
      const failed = await world.until(created, isIn("Failed", reason));
      expect(failed.status?.conditions?.length).toBeGreaterThan(3);
      // By its owner, and with it every field of it: nobody else has a hand in it.
      const left = await say(failed);
      expect(conditionOf(left, foreignConditions.stuck)).toBeUndefined();
      const starting = await world.until(created, isIn("Starting", reason));
      expect(conditionOf(starting, foreignConditions.stuck)).toBeUndefined();
    });

    test("stays as it is and where it is, through a whole life", async () => {
      const created = await (await begin("ready after=1s")).create();
      await say(created, recovered);
      await world.until(created, isRunning);
      await ask(created, { renewals: 1 });
      await world.until(created, ({ status }) => status?.renewals === 1);
      await endOf(world, created);
      const versions = world.followed.changes
        .map(({ object }) => object as Instance)
        .filter(({ metadata, status }) => metadata.uid === created.metadata.uid && status?.conditions);
      expect(versions.length).toBeGreaterThan(5);
      const first = versions[0] as Instance;
      const at = first.status?.conditions?.findIndex(({ type }) => type === foreignConditions.stuck) ?? -1;
      for (const { status } of versions) {
        expect(status?.conditions?.[at]).toEqual(first.status?.conditions?.[at]);
      }
    });
  });

  test("a Challenge that is corrected helps the next instance, and not the one that runs", async () => {
    const challenge = await world.challenge().container("web").behaving(missing).create();
    const created = await most.instance(challenge).create();
    await say(await world.until(created, isIn("Starting", reason)), stuck);
    await world.until(created, isIn("Failed", reason));
    const { namespace = "", name } = challenge.metadata;
    const body = { spec: { containers: [{ hostname: "web", image: "web:2", ports: [] }] } };
    await world.client.patch(Challenges, namespace, name, { type: "merge", body });
    await ask(created, { renewals: 1 });
    const renewed = await world.until(created, ({ status }) => status?.renewals === 1);
    expect(renewed.status).toMatchObject({ phase: "Failed", reason });
    expect((await Objects.of(world, created)).container("web").image).toBe("web:1");
  });
}
