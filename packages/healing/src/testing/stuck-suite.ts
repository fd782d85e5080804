/** Stuck instances, with the real controller and simulated pods: the same on every control plane. */
import { setTimeout as delay } from "node:timers/promises";
import type { Stored } from "@berg/apimachinery";
import { Events, Namespaces, type Pod, Pods } from "@berg/kube";
import { describe, expect, test } from "vitest";
import type { StartWorld } from "../../../../test/scenarios/seeing.ts";
import { SkippingClock } from "../../../../test/scenarios/skipping-clock.ts";
import { stuckRestartsAnnotation } from "../vocabulary.ts";
import { isStuck, listenerWorld, longEnoughMs, poll, settled, stuckOf } from "./listener-world.ts";

export function describeStuck(startWorld: StartWorld): void {
  const here = listenerWorld(startWorld);
  const { start, podsOf, eventsOf, instanceThat, read } = here;

  describe("each way of being stuck is told in the words of a player:", { timeout: 90_000 }, () => {
    const notFound = "rpc error: failed to resolve reference: web:1: not found";
    test.for([
      {
        behaviour: `image-pull backoff=100ms message=${notFound}`,
        state: "ImagePullBackOff",
        reason: "ImageCannotBePulled",
        text: "the image web:1 cannot be pulled: it does not exist",
      },
      {
        behaviour: "invalid-image-name",
        state: "InvalidImageName",
        reason: "ImageCannotBePulled",
        text: "the image web:1 cannot be pulled",
      },
      {
        behaviour: "create-container-config-error",
        state: "CreateContainerConfigError",
        reason: "ContainerCannotStart",
        text: "it cannot be started (CreateContainerConfigError)",
      },
      {
        behaviour: "crash-loop exitCode=3 run=0s backoff=100ms",
        state: '"restartCount":3',
        reason: "ContainerCrashes",
        text: "it ends by itself (exit code 3)",
      },
      {
        behaviour: "oom run=0s backoff=100ms",
        state: '"restartCount":3',
        reason: "OutOfMemory",
        text: "it was stopped because it used more memory than it may",
      },
      {
        behaviour: "unschedulable",
        state: "Unschedulable",
        reason: "NoNodeFits",
        text: "no node of the cluster has room for it",
      },
      {
        behaviour: "stuck-creating",
        state: "ContainerCreating",
        reason: "NotStarted",
        text: "its node takes too long to make it",
      },
      { behaviour: "never-ready", state: '"running"', reason: "NotReady", text: "it runs, but is not ready" },
    ])("$behaviour", async ({ behaviour, state, reason, text }) => {
      const instance = await instanceThat(behaviour, state);
      const clock = new SkippingClock();
      await using listener = await start({ clock });
      await settled(listener);
      clock.skip(longEnoughMs);
      const stuck = await here.world.until(instance, isStuck);
      expect(stuckOf(stuck)).toMatchObject({ reason, message: `Container web: ${text}` });
      await poll(async () => expect(await eventsOf(instance)).toEqual(["InstanceStuck"]));
      const managers = stuck.metadata.managedFields?.filter(({ fieldsV1 }) =>
        JSON.stringify(fieldsV1).includes("Stuck"),
      );
      expect(managers?.map(({ manager }) => manager)).toEqual(expect.arrayContaining(["berg-listener"]));
      expect((await listener.metrics.render()).body).toContain(`berg_listener_stuck_instances{reason="${reason}"}`);
    });

    test("one that is well is told nothing, however long it lives", async () => {
      const instance = await instanceThat("ready", '"running"');
      const clock = new SkippingClock();
      await using listener = await start({ clock });
      await settled(listener);
      clock.skip(longEnoughMs);
      await settled(listener);
      expect(stuckOf(await read(instance))).toBeUndefined();
    });

    test("one of which somebody has put a copy elsewhere that cannot run is not stuck", async () => {
      const instance = await instanceThat("ready", '"running"');
      const [pod] = await podsOf(instance);
      const elsewhere = await here.world.client.create(Namespaces, { metadata: { generateName: "elsewhere-" } });
      const metadata = { namespace: elsewhere.metadata.name, name: "copy", labels: pod?.metadata.labels ?? {} };
      const spec = { containers: [{ name: "web", image: "web:1" }] };
      // Refused until the namespace has its account.
      const copy = await poll(() => here.world.client.create(Pods, { metadata, spec }));
      await here.world.simulator.behave(copy, "invalid-image-name");
      await poll(async () => {
        const { status } = await here.world.client.get(Pods, elsewhere.metadata.name, copy.metadata.name);
        expect(JSON.stringify(status)).toContain("InvalidImageName");
      });
      const clock = new SkippingClock();
      await using listener = await start({ clock, env: { STUCK_POLICY: "terminate" } });
      await settled(listener);
      clock.skip(longEnoughMs);
      await delay(1_500);
      const now = await read(instance);
      expect([stuckOf(now), now.spec.terminationReason]).toEqual([undefined, undefined]);
      expect((await listener.records.get(instance.metadata.uid))?.pods.web?.uid).toBe(pod?.metadata.uid);
    });

    test("one whose image is still being pulled is not stuck, and is when that is over and nothing comes of it", async () => {
      const instance = await instanceThat("stuck-creating", "ContainerCreating");
      const [pod] = await podsOf(instance);
      if (!pod) throw new Error("there is no pod");
      const tell = (reason: string, at: number) =>
        here.world.client.create(Events, {
          metadata: { namespace: pod.metadata.namespace ?? "", generateName: "pull-" },
          involvedObject: { ...podReference(pod), fieldPath: "spec.containers{web}" },
          reason,
          lastTimestamp: new Date(at).toISOString().replace(/\.\d+/, ""),
        });
      await tell("Pulling", Date.now());
      const clock = new SkippingClock();
      await using listener = await start({ clock });
      await settled(listener);
      clock.skip(longEnoughMs);
      await delay(1_500);
      expect(stuckOf(await read(instance))).toBeUndefined();
      await tell("Pulled", Date.now() + 60_000);
      clock.skip(longEnoughMs);
      await here.world.until(instance, isStuck);
    });

    test("one that gets well is told so, once; a listener that comes later has nothing to add", async () => {
      const instance = await instanceThat("never-ready", '"running"');
      const clock = new SkippingClock();
      const first = await start({ clock });
      await settled(first);
      clock.skip(longEnoughMs);
      await here.world.until(instance, isStuck);
      await first.stop();

      await using second = await start();
      await settled(second);
      expect(stuckOf(await read(instance))?.status).toBe("True");
      const [pod] = await podsOf(instance);
      if (pod) await here.world.simulator.behave(pod, "ready");
      const well = await here.world.until(instance, (now) => stuckOf(now)?.status === "False");
      expect(stuckOf(well)).toMatchObject({ reason: "Recovered", message: "All containers are ready again." });
      await poll(async () => expect(await eventsOf(instance)).toEqual(["InstanceRecovered", "InstanceStuck"]));
    });
  });

  describe("by policy", { timeout: 90_000 }, () => {
    test("restart makes the stuck pods anew, as often as it may, and then leaves them alone", async () => {
      const instance = await instanceThat("never-ready", '"running"');
      const [first] = await podsOf(instance);
      const clock = new SkippingClock();
      await using listener = await start({ clock, env: { STUCK_POLICY: "restart", STUCK_RESTARTS: "1" } });
      await settled(listener);
      clock.skip(longEnoughMs);
      const uids = async () => (await podsOf(instance)).map(({ metadata }) => metadata.uid);
      await poll(async () => {
        const [only, ...others] = await uids();
        expect([only, others]).toEqual([expect.not.stringContaining(first?.metadata.uid ?? ""), []]);
      });
      expect((await read(instance)).metadata.annotations?.[stuckRestartsAnnotation]).toMatch(/^1 20/);
      const after = await uids();
      clock.skip(longEnoughMs);
      await delay(2_000);
      expect(await uids()).toEqual(after);
      expect(isStuck(await read(instance))).toBe(true);
      expect(await eventsOf(instance)).toContain("StuckPodsRestarted");
    });

    test("terminate ends the instance", async () => {
      const instance = await instanceThat("never-ready", '"running"');
      const clock = new SkippingClock();
      await using listener = await start({ clock, env: { STUCK_POLICY: "terminate" } });
      await settled(listener);
      clock.skip(longEnoughMs);
      const ending = await here.world.until(instance, ({ status }) => status?.phase === "Terminating");
      expect(ending.spec.terminationReason).toBe("Failure");
      expect(isStuck(ending)).toBe(true);
      await poll(async () => expect(await eventsOf(instance)).toEqual(["InstanceStuck", "StuckInstanceEnded"]));
    });
  });
}

function podReference({ metadata: { namespace = "", name, uid } }: Stored<Pod>) {
  return { apiVersion: "v1", kind: "Pod", namespace, name, uid };
}
