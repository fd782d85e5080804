/** The deployment listener beside the controller: what is stuck is found, told in plain words, and well again by itself. */
import { setTimeout as delay } from "node:timers/promises";
import type { Stored } from "@berg/apimachinery";
import { Events, Pods } from "@berg/kube";
import { type ChallengeInstance, foreignConditions, labels } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../runtime/eventually.ts";
import { Cell } from "./cells.ts";
import type { RunningListener } from "./listeners.ts";
import { conditionOf, eventsOf, isIn, isRunning, namespaceOf, type StartWorld } from "./seeing.ts";
import { SkippingClock } from "./skipping-clock.ts";
import type { World } from "./world.ts";

type Instance = Stored<ChallengeInstance>;

/** Nobody waits for minutes here. */
const hasty = {
  STUCK_IGNORE_YOUNGER: "0s",
  STUCK_ERROR_AFTER: "1s",
  STUCK_CRASHES: "1",
  STUCK_CREATING_AFTER: "8s",
  STUCK_NOT_READY_AFTER: "8s",
  STUCK_UNSCHEDULABLE_AFTER: "1s",
};
const missing = "image-pull backoff=100ms message=manifest unknown";
const crashing = "crash-loop exitCode=3 run=0s backoff=50ms";
const cannotBePulled = "Container web: the image web:1 cannot be pulled: it does not exist";

export function describeHealing(startWorld: StartWorld): void {
  let world: World;
  let hurried: Cell;

  beforeAll(async () => {
    world = await startWorld();
    hurried = await Cell.start(world);
    await world.startListener({ only: hurried.namespace, env: hasty });
  });
  afterAll(() => world?.end());

  const challenge = (behaviour: string) => world.challenge().container("web").behaving(behaviour);

  async function podsOf({ metadata, spec }: Instance) {
    const labelSelector = `${labels.instanceUid}=${metadata.uid}`;
    return (await world.client.list(Pods, { namespace: namespaceOf({ spec }), labelSelector })).items;
  }

  async function behave(instance: Instance, behaviour: string): Promise<void> {
    for (const pod of await podsOf(instance)) await world.simulator.behave(pod, behaviour);
  }

  /** Every phase that it ever had, in order, each change once. */
  function phasesOf({ metadata }: Instance): string[] {
    const phases = world.followed.changes
      .filter(({ object }) => object.metadata.uid === metadata.uid)
      .map(({ object }) => (object as Instance).status?.phase ?? "");
    return phases.filter((phase, at) => phase !== phases[at - 1]);
  }

  describe.concurrent("an instance that is stuck", () => {
    const troubles: [behaviour: string, reason: string, message: string][] = [
      [missing, "ImageCannotBePulled", cannotBePulled],
      ["invalid-image-name", "ImageCannotBePulled", "Container web: the image web:1 cannot be pulled"],
      [
        "create-container-config-error",
        "ContainerCannotStart",
        "Container web: it cannot be started (CreateContainerConfigError)",
      ],
      [crashing, "ContainerCrashes", "Container web: it ends by itself (exit code 3)"],
      ["exits run=0s backoff=50ms", "ContainerCrashes", "Container web: it ends by itself (exit code 0)"],
      [
        "oom run=0s backoff=50ms",
        "OutOfMemory",
        "Container web: it was stopped because it used more memory than it may",
      ],
      ["unschedulable", "NoNodeFits", "Container web: no node of the cluster has room for it"],
      ["stuck-creating", "NotStarted", "Container web: its node takes too long to make it"],
      ["never-ready", "NotReady", "Container web: it runs, but is not ready"],
    ];

    test.each(troubles)("(%s) has failed, and says why until it runs", async (behaviour, reason, message) => {
      const created = await hurried.instance(await challenge(behaviour).create()).create();
      const failed = await world.until(created, isIn("Failed", reason), { within: 60_000 });
      expect(failed.status?.message).toBe(message);
      expect(conditionOf(failed, foreignConditions.stuck)).toMatchObject({ status: "True", reason, message });
      await behave(failed, "ready");
      const running = await world.until(created, isIn("Running"), { within: 60_000 });
      expect(running.status).not.toHaveProperty("message");
      const recovered = (instance: Instance) => conditionOf(instance, foreignConditions.stuck)?.status === "False";
      expect((await world.until(created, recovered)).status).toMatchObject({ phase: "Running" });
      const told = await eventsOf(world, running, "InstanceReady");
      // On a busy machine it may have taken too long to start before.
      const failures = told.filter((event) => event.reason === "InstanceFailed" && event.message === message);
      expect(failures).toEqual([{ type: "Warning", reason: "InstanceFailed", message }]);
    });

    test("after it ran has failed too, keeps its addresses and runs again", async () => {
      const created = await hurried
        .instance(await world.challenge().container("web").port(80, "publicPort").create())
        .create();
      const before = await world.until(created, isRunning);
      await behave(before, crashing);
      const failed = await world.until(created, isIn("Failed", "ContainerCrashes"), { within: 60_000 });
      expect(failed.status).toMatchObject({ readyAt: before.status?.readyAt, services: before.status?.services });
      await behave(failed, "ready");
      // One that ended again and again has to run for a while before anybody believes it.
      const well = await world.until(created, isIn("Running"), { within: 60_000 });
      expect(conditionOf(well, "Healthy")).toMatchObject({ status: "True" });
      await eventsOf(world, well, "InstanceHealthy");
      expect(phasesOf(well).slice(-3)).toEqual(["Running", "Failed", "Running"]);
    });

    test("and is ready for a moment each time it is started again stays failed", async () => {
      const created = await hurried.instance(await challenge("crash-loop run=1s backoff=200ms").create()).create();
      const failed = await world.until(created, isIn("Failed", "ContainerCrashes"), { within: 60_000 });
      const restarts = async () => (await podsOf(failed))[0]?.status?.containerStatuses?.[0]?.restartCount ?? 0;
      const before = await restarts();
      await eventually("it has been ready three times more", async () => (await restarts()) >= before + 3, 60_000);
      expect(phasesOf(failed).at(-1)).toBe("Failed");
      expect(phasesOf(failed).filter((phase) => phase === "Failed")).toHaveLength(1);
    });

    test("is ended where the organiser wants it so, and its owner reads why to the last", async () => {
      const cell = await Cell.start(world);
      const env = { ...hasty, STUCK_POLICY: "terminate" };
      const listener = await world.startListener({ only: cell.namespace, env });
      const created = await cell.instance(await challenge(missing).create()).create();
      const last = await world.untilGone(created, { within: 60_000 });
      expect(last.status).toMatchObject({
        phase: "Terminated",
        terminationReason: "Failure",
        message: `This instance has failed. ${cannotBePulled}`,
      });
      await listener.stop();
      await cell.controller.stop();
    });

    test("gets new pods where the organiser wants it so, and runs with them", async () => {
      const cell = await Cell.start(world);
      const spoilt = challenge(missing);
      const created = await cell.instance(await spoilt.create()).create();
      const sick = await world.until(created, isIn("Starting", "ImageCannotBePulled"));
      const before = await podsOf(sick);
      spoilt.behaving("ready");
      // Only image errors are found early: on a busy machine a healthy new pod must not count as stuck in its turn.
      const env = { STUCK_IGNORE_YOUNGER: "0s", STUCK_ERROR_AFTER: "1s", STUCK_POLICY: "restart" };
      const listener = await world.startListener({ only: cell.namespace, env });
      await world.until(created, isIn("Running"), { within: 60_000 });
      const after = await podsOf(sick);
      expect(after.map(({ metadata }) => metadata.uid)).not.toEqual(before.map(({ metadata }) => metadata.uid));
      await listener.stop();
      await cell.controller.stop();
    });
  });

  describe.concurrent("a slow but healthy start", () => {
    /** A listener as an organiser has it, and a clock of its own. */
    async function patiently(live: (patient: Patient) => Promise<Instance>): Promise<void> {
      const clock = new SkippingClock();
      const cell = await Cell.start(world);
      const listener = await world.startListener({ only: cell.namespace, clock });
      const instance = await live({ clock, cell, listener });
      expect(phasesOf(instance)).not.toContain("Failed");
      expect(conditionOf(instance, foreignConditions.stuck)).toBeUndefined();
      await listener.stop();
      await cell.controller.stop();
    }

    /** Once the listener knows the pod; and whatever is due by then has happened. */
    async function pass({ clock, listener }: Patient, instance: Instance, ms: number): Promise<void> {
      await eventually("its pod is noted", async () => {
        const noted = Object.values((await listener.records.get(instance.metadata.uid))?.pods ?? {});
        const [pod] = await podsOf(instance);
        return noted.some(({ uid }) => uid === pod?.metadata.uid);
      });
      clock.skip(ms);
      await delay(1000);
    }

    test("of a container that takes its time is never taken for stuck", () =>
      patiently(async (patient) => {
        const created = await patient.cell.instance(await challenge("never-ready").create()).create();
        const starting = await world.until(created, isIn("Starting"));
        await pass(patient, starting, 150_000);
        await behave(starting, "ready");
        return world.until(created, isRunning);
      }));

    test("of an image that takes long to be pulled is never taken for stuck", () =>
      patiently(async (patient) => {
        const created = await patient.cell.instance(await challenge("stuck-creating").create()).create();
        const starting = await world.until(created, isIn("Starting"));
        await eventually("its pod is there", async () => (await podsOf(starting)).length > 0);
        const [pod] = await podsOf(starting);
        const { namespace, name, uid } = pod?.metadata ?? {};
        // The kubelet tells, and the simulator does not.
        await world.client.create(Events, {
          metadata: { namespace: namespaceOf(starting), name: `${name}.pulling` },
          involvedObject: { apiVersion: "v1", kind: "Pod", namespace, name, uid },
          reason: "Pulling",
          message: 'Pulling image "web:1"',
          type: "Normal",
          lastTimestamp: new Date().toISOString().replace(/\.\d+/, ""),
        } as never);
        await pass(patient, starting, 400_000);
        await behave(starting, "ready");
        return world.until(created, isRunning);
      }));

    test("of which the first pod was evicted is never taken for stuck", () =>
      patiently(async ({ cell }) => {
        const slow = challenge("never-ready");
        const created = await cell.instance(await slow.create()).create();
        const starting = await world.until(created, isIn("Starting"));
        await eventually("its pod is there", async () => (await podsOf(starting)).length > 0);
        // One eviction and no more: three of them would fail the instance.
        slow.behaving("ready");
        await behave(starting, "evicted");
        return world.until(created, isRunning, { within: 60_000 });
      }));
  });
}

interface Patient {
  clock: SkippingClock;
  cell: Cell;
  listener: RunningListener;
}
