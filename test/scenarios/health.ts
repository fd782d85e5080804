/** How the containers are, in the words of a player: while they start, and after they have been ready. */
import type { Stored } from "@berg/apimachinery";
import { Pods } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, labels } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../runtime/eventually.ts";
import { conditionOf, eventsOf, isIn, isRunning, namespaceOf, type StartWorld } from "./seeing.ts";
import type { World } from "./world.ts";

type Instance = Stored<ChallengeInstance>;

export function describeHealth(startWorld: StartWorld): void {
  let world: World;

  beforeAll(async () => {
    world = await startWorld();
    await world.startController();
  });
  afterAll(async () => {
    await world?.stop();
  });

  async function podsOf(instance: Instance) {
    const labelSelector = `${labels.instanceUid}=${instance.metadata.uid}`;
    const { items } = await world.client.list(Pods, { namespace: namespaceOf(instance), labelSelector });
    return items;
  }

  async function podOf(instance: Instance) {
    const [pod] = await podsOf(instance);
    if (!pod) throw new Error("there is no pod");
    return pod;
  }

  describe.concurrent("while it starts", () => {
    const troubles: [behaviour: string, reason: string, text: string, event: string][] = [
      [
        "image-pull backoff=100ms message=rpc error: failed to resolve reference: web:1: not found",
        "ImageCannotBePulled",
        "the image web:1 cannot be pulled: it does not exist",
        "ImageCannotBePulled",
      ],
      [
        "image-pull backoff=100ms message=pull access denied, authorization failed",
        "ImageCannotBePulled",
        "the image web:1 cannot be pulled: the registry asks for other credentials",
        "ImageCannotBePulled",
      ],
      [
        "image-pull backoff=100ms message=dial tcp: lookup registry: no such host",
        "ImageCannotBePulled",
        "the image web:1 cannot be pulled: the registry is not reached",
        "ImageCannotBePulled",
      ],
      ["invalid-image-name", "ImageCannotBePulled", "the image web:1 cannot be pulled", "ImageCannotBePulled"],
      [
        "crash-loop exitCode=3 run=0s backoff=100ms",
        "ContainerCrashes",
        "it ends by itself (exit code 3)",
        "InstanceUnhealthy",
      ],
      ["exits run=0s backoff=100ms", "ContainerCrashes", "it ends by itself (exit code 0)", "InstanceUnhealthy"],
      [
        "oom run=0s backoff=100ms",
        "OutOfMemory",
        "it was stopped because it used more memory than it may",
        "InstanceUnhealthy",
      ],
      [
        "create-container-config-error",
        "ContainerCannotStart",
        "it cannot be started (CreateContainerConfigError)",
        "InstanceUnhealthy",
      ],
      ["unschedulable", "NoNodeFits", "no node of the cluster has room for it", "InstanceUnhealthy"],
    ];

    test.each(troubles)(
      "%s: it says what is wrong, once, and goes on when it is right",
      async (behaviour, reason, text, event) => {
        const challenge = await world.challenge().container("web").behaving(behaviour).create();
        const created = await world.instance(challenge).create();
        const sick = await world.until(created, isIn("Starting", reason));
        const message = `Container web: ${text}`;
        expect(sick.status?.message).toBe(message);
        expect(conditionOf(sick, "PodsReady")).toMatchObject({ status: "False", reason, message });
        expect(conditionOf(sick, "Healthy")).toBeUndefined();
        expect(sick.status?.readyAt).toBeUndefined();
        const told = await eventsOf(world, sick, event);
        expect(told.filter(({ type }) => type === "Warning")).toEqual([{ type: "Warning", reason: event, message }]);

        await world.simulator.behave(await podOf(sick), "ready");
        const running = await world.until(created, isRunning);
        expect(conditionOf(running, "PodsReady")).toMatchObject({ status: "True", reason: "Ready" });
        expect(running.status?.reason).toBeUndefined();
      },
    );

    test.each(["never-ready", "stuck-creating"])("%s: it waits, and says for whom", async (behaviour) => {
      const challenge = await world.challenge().container("fast").container("slow").behaving(behaviour).create();
      const created = await world.instance(challenge).create();
      const isWaiting = (instance: typeof created) =>
        conditionOf(instance, "PodsReady")?.message === "Waiting for slow.";
      const waiting = await world.until(created, isWaiting);
      expect(conditionOf(waiting, "PodsReady")).toMatchObject({ status: "Unknown", reason: "WaitingForPods" });
      expect(waiting.status).toMatchObject({ phase: "Starting" });
      expect(waiting.status?.reason).toBeUndefined();
      expect(waiting.status?.services).toBeUndefined();
    });
  });

  describe.concurrent("while it runs", () => {
    test("a container that crashes shows as not healthy, and back", async () => {
      const challenge = await world.challenge().container("web").port(80, "publicPort").create();
      const created = await world.instance(challenge).create();
      const before = await world.until(created, isRunning);
      const pod = await podOf(before);
      await world.simulator.behave(pod, "crash-loop exitCode=1 run=0s backoff=50ms");
      const sick = await world.until(created, isIn("Running", "ContainerCrashes"));
      const message = "Container web: it ends by itself (exit code 1)";
      expect(conditionOf(sick, "Healthy")).toMatchObject({ status: "False", reason: "ContainerCrashes", message });
      expect(conditionOf(sick, "PodsReady")).toMatchObject({ status: "False", message });
      expect(sick.status?.services).toEqual(before.status?.services);
      await world.simulator.behave(pod, "ready");
      const well = await world.until(created, isIn("Running"));
      expect(conditionOf(well, "Healthy")).toMatchObject({ status: "True", reason: "Ready" });
      expect(well.status?.readyAt).toBe(before.status?.readyAt);
      const told = await eventsOf(world, well, "InstanceHealthy");
      expect(told.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
        "Normal InstanceCreating",
        "Normal InstanceReady",
        "Warning InstanceUnhealthy",
        "Normal InstanceHealthy",
      ]);
      expect(told[2]?.message).toBe(message);
    });

    test("a restart replaces the pod; id, addresses and expiry stay", async () => {
      const challenge = await world.challenge().container("web").port(80, "publicPort").create();
      const created = await world.instance(challenge).create();
      const before = await world.until(created, isRunning);
      const pod = await podOf(before);
      const { namespace = "", name } = created.metadata;
      const body = { spec: { restarts: 1 } };
      await world.client.patch(ChallengeInstances, namespace, name, { type: "merge", body });
      const answered = await world.until(created, ({ status }) => status?.restarts === 1);
      expect(conditionOf(answered, "Healthy")?.status).toBe("False");
      const after = await world.until(
        created,
        (instance) => instance.status?.restarts === 1 && conditionOf(instance, "Healthy")?.status === "True",
      );
      await eventually("the old pod is gone", async () => (await podsOf(after)).length === 1);
      expect((await podOf(after)).metadata.uid).not.toBe(pod.metadata.uid);
      const { instanceId, services, expiresAt, startedAt, readyAt } = before.status ?? {};
      expect(after.status).toMatchObject({ phase: "Running", instanceId, services, expiresAt, startedAt, readyAt });
      const told = await eventsOf(world, after, "InstanceHealthy");
      expect(told.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
        "Normal InstanceCreating",
        "Normal InstanceReady",
        "Normal InstanceRestarted",
        "Normal InstanceHealthy",
      ]);
    });

    const evictions: [why: string, behaviour: string, reason: string, text: string][] = [
      [
        "for another's sake",
        "evicted message=The node was low on resource: memory.",
        "Evicted",
        "it was stopped because its node ran short of memory or disk space",
      ],
      [
        "for what it wrote",
        "evicted message=Pod ephemeral local storage usage exceeds the total limit of containers 1Gi.",
        "OutOfDisk",
        "it was stopped because it used more disk space than it may",
      ],
    ];

    test.each(evictions)("a pod that is evicted %s is replaced, and the instance says both", async (...eviction) => {
      const [, behaviour, reason, text] = eviction;
      const challenge = world.challenge().container("web");
      const created = await world.instance(await challenge.create()).create();
      const before = await podOf(await world.until(created, isRunning));
      // What becomes of it is told for as long as its successor has nothing to say.
      challenge.behaving("stuck-creating");
      await world.simulator.behave(before, behaviour);
      const sick = await world.until(created, isIn("Running", reason));
      const message = `Container web: ${text}`;
      expect(conditionOf(sick, "Healthy")).toMatchObject({ status: "False", reason, message });
      const told = await eventsOf(world, sick, "InstanceUnhealthy");
      expect(told.at(-1)).toEqual({ type: "Warning", reason: "InstanceUnhealthy", message });

      let successor: Awaited<ReturnType<typeof podsOf>>[number] | undefined;
      await eventually("there is a successor", async () => {
        successor = (await podsOf(created)).find(({ metadata }) => metadata.uid !== before.metadata.uid);
        return successor !== undefined;
      });
      if (successor) await world.simulator.behave(successor, "ready");
      await world.until(created, (instance) => conditionOf(instance, "Healthy")?.status === "True");
    });

    describe("a route", () => {
      const gateway = "the Gateway berg/berg-gateway (listener http)";
      const refused = `Players cannot reach it yet. The HTTPRoute web-80 is not accepted by ${gateway}: no listener fits.`;
      const unanswered = `Players cannot reach it yet. No gateway controller has answered to the HTTPRoute web-80: check that ${gateway} exists and that its controller runs.`;
      const refusal = { Accepted: { status: "False", reason: "NotAllowedByListeners", message: "no listener fits" } };
      const isReachable = (instance: Instance) => isRunning(instance) && instance.status?.reason === undefined;
      const routed = async () => {
        const challenge = await world.challenge().container("web").port(80, "publicHttpRoute").create();
        return world.instance(challenge);
      };

      test("that its gateway no longer accepts is told of, until it does, and the instance goes on running", async () => {
        const created = await (await routed()).create();
        const { status: before } = await world.until(created, isReachable);
        const ready = await eventsOf(world, created, "InstanceReady");
        expect(ready).toContainEqual({
          ...{ type: "Normal", reason: "InstanceReady", message: "Instance ready and accessible" },
        });

        world.gateway.answer(namespaceOf(created), refusal);
        const lost = await world.until(created, isIn("Running", "RouteNotAccepted"));
        expect(lost.status).toMatchObject({ message: refused, readyAt: before?.readyAt, services: before?.services });
        expect(conditionOf(lost, "RoutesCreated")).toMatchObject({
          status: "True",
          reason: "RouteNotAccepted",
          message: refused,
        });
        expect(conditionOf(lost, "Healthy")).toMatchObject({ status: "False", reason: "RouteNotAccepted" });
        const told = await eventsOf(world, lost, "RouteNotAccepted");
        expect(told.at(-1)).toEqual({ type: "Warning", reason: "RouteNotAccepted", message: refused });

        world.gateway.answer(namespaceOf(created), "nothing");
        await world.until(created, ({ status }) => status?.message === unanswered);

        world.gateway.answer(namespaceOf(created), {});
        const well = await world.until(created, isReachable);
        expect(conditionOf(well, "RoutesCreated")).toMatchObject({ status: "True", reason: "Created" });
      });

      test.each([
        ["refuses it", refusal, refused],
        ["does not answer", "nothing", unanswered],
      ] as const)("whose gateway %s holds Running back for 5 s and is told of then", async (_, answer, message) => {
        const builder = await routed();
        world.gateway.answer(namespaceOf(builder.manifest), answer);
        const created = await builder.create();
        const seen = await world.until(created, isRunning);
        expect(seen.status).toMatchObject({ phase: "Running", reason: "RouteNotAccepted", message });
        const podsReady = Date.parse(conditionOf(seen, "PodsReady")?.lastTransitionTime ?? "");
        expect(Date.parse(seen.status?.readyAt ?? "") - podsReady).toBeGreaterThanOrEqual(5_000);
        const told = await eventsOf(world, seen, "RouteNotAccepted");
        expect(told.map(({ message }) => message)).not.toContain("Instance ready and accessible");
        expect(told).toContainEqual({ type: "Warning", reason: "RouteNotAccepted", message });
      });

      test("that is accepted while the instance waits for it lets the instance run at once", async () => {
        const builder = await routed();
        world.gateway.answer(namespaceOf(builder.manifest), "nothing");
        const created = await builder.create();
        const waits = await world.until(created, (seen) => seen.status?.phase === "Starting" && isReady(seen));
        expect(waits.status?.message).toBe("All containers are ready. Waiting for the gateway to accept the routes.");
        world.gateway.answer(namespaceOf(created), {});
        const runs = await world.until(created, isRunning);
        expect(runs.status).not.toHaveProperty("reason");
        expect(conditionOf(runs, "RoutesCreated")).toMatchObject({ status: "True", reason: "Created" });
      });

      const isReady = (instance: Instance) => conditionOf(instance, "PodsReady")?.status === "True";
    });
  });

  test("after all of them nothing was broken that must never be", () => world.check());
}
