/** The janitor beside the real controller: in its place while it is dead, and in nobody's way while it lives. */
import {
  createClient,
  createMetrics,
  Manager,
  Namespaces,
  Pods,
  ServerClock,
  silentLogger,
  systemClock,
  unlimited,
} from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startEmbeddedWorld } from "../../../../test/scenarios/embedded-world.ts";
import type { World } from "../../../../test/scenarios/world.ts";
import { addJanitor } from "./janitor.ts";

describe("beside the controller", { timeout: 120_000 }, () => {
  let world: World;
  beforeAll(async () => {
    world = await startEmbeddedWorld({ env: { NETWORK_POLICY: "kubernetes" } });
  }, 60_000);
  afterAll(() => world?.[Symbol.asyncDispose]());

  async function startJanitor(): Promise<void> {
    const metrics = await createMetrics();
    const clock = new ServerClock(systemClock);
    const { connection } = world.controlPlane;
    const client = createClient({ connection, component: "janitor", rate: unlimited, serverClock: clock });
    const manager = new Manager({ component: "janitor", client, log: silentLogger, metrics });
    addJanitor(manager, { settings: { graceMs: 2000, ghostGraceMs: 5000 }, intervalMs: 30_000, metrics, clock });
    const stopping = new AbortController();
    const run = manager.run(stopping.signal);
    onTestFinished(async () => {
      stopping.abort();
      await run;
    });
  }

  async function running(timeout: string) {
    const challenge = await world.challenge().container("web").port(80, "internalPort").create();
    const instance = await world.instance(challenge).with({ timeout }).create();
    return { instance, seen: await world.until(instance, ({ status }) => status?.phase === "Running") };
  }

  test("what expires while the controller is dead ends in time; the controller has the last word when it is back", async () => {
    const controller = await world.startController();
    const { instance, seen } = await running("10s");
    const { namespace = "" } = seen.status ?? {};
    await controller.kill();
    await startJanitor();
    const left = async () => (await world.client.list(Pods, { namespace })).items.length;
    await expect.poll(left, { timeout: 60_000 }).toBe(0);
    const isThere = () =>
      world.client.get(Namespaces, "", namespace).then(
        () => true,
        () => false,
      );
    await expect.poll(isThere, { timeout: 60_000 }).toBe(false);
    const held = await world.client.get(ChallengeInstances, world.namespace, instance.metadata.name);
    expect([held.metadata.deletionTimestamp !== undefined, held.status?.phase]).toEqual([true, "Running"]);

    const next = await world.startController();
    const last = await world.untilGone(instance);
    expect(last.status).toMatchObject({ phase: "Terminated", terminationReason: "Timeout" });
    await next.stop();
    await world.check();
  });

  test("while it lives, everything ends as without a janitor, and no rule is broken", async () => {
    const controller = await world.startController();
    await Promise.all([startJanitor(), startJanitor(), startJanitor()]);
    const all = await Promise.all(["8s", "8s", "9s", "1h"].map((timeout) => running(timeout)));
    const [a, b, c, lives] = all.map(({ instance }) => instance);
    for (const instance of [a, b, c]) {
      if (!instance) throw new Error("it was made");
      const last = await world.untilGone(instance, { within: 60_000 });
      expect(last.status).toMatchObject({ phase: "Terminated", terminationReason: "Timeout" });
    }
    const found = await world.client.get(ChallengeInstances, world.namespace, lives?.metadata.name ?? "");
    expect([found.status?.phase, found.metadata.deletionTimestamp]).toEqual(["Running", undefined]);
    await controller.stop();
    await world.check();
  });
});
