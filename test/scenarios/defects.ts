/**
 * What the first implementation of this controller got wrong, one test each. Where the number is, and which test shows it:
 *
 * | 1  | a public port of a later container: Creating never ended | here, and `workloads.defects.test.ts` |
 * | 2  | node ports lost when the first try was interrupted | here |
 * | 3  | endpoints named Services that were not there | `workloads.defects.test.ts` |
 * | 4  | the executable flag could be read | `workloads.defects.test.ts`, `on-a-node.node.test.ts` |
 * | 5  | DAC_OVERRIDE could not be had | `workloads.defects.test.ts` |
 * | 6  | the organiser's bandwidth and headless Services did nothing | `workloads.defects.test.ts`, `settings.ts` |
 * | 7  | a limit dropped the request | `workloads.defects.test.ts` |
 * | 8  | conditions were added and never replaced | here |
 * | 9  | pods were not looked at any more, nor addresses, once it ran | here |
 * | 10 | what failed kept its owner's place for ever | here |
 * | 11 | Deployments were deleted again and again | here |
 * | 12 | the pull secret: labels and owners copied, missing not told | `waiting.ts` |
 * | 13 | long and double names of ports | `workloads.defects.test.ts` |
 * | 14 | an instance that named no namespace for its Challenge | here |
 * | 15 | no health, no metrics, no leader election | here |
 * | 16 | flags in the log, two ids, port names used twice | here, as far as it is the controller's; the rest is the API's |
 * | 17 | nodes that could not be drained | `workloads.defects.test.ts`, `settings.ts` |
 * | 18 | pods that outlived their network policy | here |
 * | 19 | too few leetified flags | the API's: it makes flags |
 */

import { Deployments, Leases, Pods, Services } from "@berg/kube";
import { ChallengeInstances, labels } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../control-plane/ports.ts";
import type { Seen } from "../faults/proxy.ts";
import { eventually } from "../runtime/eventually.ts";
import { startControllerProcess } from "./controller-process.ts";
import type { RunningController } from "./controllers.ts";
import { conditionOf, endOf, isIn, isRunning, namespaceOf, Objects, type StartWorld } from "./seeing.ts";
import type { World } from "./world.ts";

export function describeDefects(startWorld: StartWorld): void {
  let world: World;
  let controller: RunningController;

  beforeAll(async () => {
    world = await startWorld();
    controller = await world.startController();
  });
  afterAll(async () => {
    await world?.stop();
  });

  const writesIn = (namespace: string): Seen[] =>
    world.writes().filter((write) => write.namespace === namespace || write.name === namespace);

  describe("defects of the first implementation", () => {
    describe.concurrent("while one controller runs", () => {
      test("1: an instance whose later containers have public ports comes to run", async () => {
        const challenge = await world
          .challenge()
          .container("bot")
          .container("pwn")
          .port(1337, "publicPort", { name: "pwn" })
          .container("web")
          .port(80, "publicHttpRoute", { name: "web" })
          .create();
        const instance = await world.until(await world.instance(challenge).create(), isRunning);
        const env = (await Objects.of(world, instance)).env("bot");
        expect(env).toMatchObject({ PWN_ENDPOINT: "pwn:1337", WEB_ENDPOINT: expect.stringMatching(/^[0-9a-f]{32}\./) });
      });

      test("8: however often pods come and go, there is one condition of each type", async () => {
        const instance = await world.instance(await world.challenge().container("web").create()).create();
        await world.until(instance, isRunning);
        for (let time = 0; time < 3; time++) {
          const { items } = await world.client.list(Pods, { namespace: namespaceOf(instance) });
          const pod = items.find(({ metadata }) => !metadata.deletionTimestamp);
          if (!pod) throw new Error("there is no pod");
          await world.simulator.behave(pod, "never-ready");
          await world.until(instance, (one) => conditionOf(one, "PodsReady")?.status === "False");
          await world.simulator.behave(pod, "ready");
          await world.until(instance, (one) => conditionOf(one, "PodsReady")?.status === "True");
        }
        const { status } = await world.client.get(ChallengeInstances, world.namespace, instance.metadata.name);
        const types = status?.conditions?.map(({ type }) => type) ?? [];
        expect(types).toHaveLength(10);
        expect(new Set(types).size).toBe(10);
      });

      test("9: a running instance says how its pods are, and where it is reached when that changes", async () => {
        const challenge = await world.challenge().container("web").port(80, "publicPort").create();
        const instance = await world.instance(challenge).create();
        const before = await world.until(instance, isRunning);
        const { items } = await world.client.list(Pods, { namespace: namespaceOf(instance) });
        for (const pod of items) await world.simulator.behave(pod, "never-ready");
        await world.until(instance, (one) => conditionOf(one, "Healthy")?.status === "False");
        await world.client.delete(Services, namespaceOf(instance), "web-node-port");
        const port = async () =>
          (await world.client.get(Services, namespaceOf(instance), "web-node-port")).spec?.ports?.[0]?.nodePort;
        await eventually("the Service is put back", () => port().catch(() => undefined));
        const given = await port();
        await world.until(instance, ({ status }) => status?.services?.[0]?.port === given);
        for (const pod of items) await world.simulator.behave(pod, "ready");
        await world.until(instance, (one) => conditionOf(one, "Healthy")?.status === "True");
        expect(before.status?.services).toHaveLength(1);
      });

      test("10: what failed ends in time as well, and gives its owner's place back", async () => {
        const missing = { metadata: { namespace: world.namespace, name: "never-written" } };
        const failed = await world.instance(missing).timeout("2s").create();
        await world.until(failed, isIn("Failed", "ChallengeMissing"));
        const gone = await world.untilGone(failed, { within: 10_000 });
        expect(gone.status).toMatchObject({ phase: "Terminated", terminationReason: "Timeout" });
        const challenge = await world.challenge().create();
        const next = await world.instance(challenge).ownedBy(failed.spec.ownerId).create();
        await world.until(next, isRunning);
      });

      test("11 and 18: workloads are deleted once, and are gone before their namespace is", async () => {
        const challenge = await world.challenge().container("web").container("db").create();
        const instance = await world.until(await world.instance(challenge).create(), isRunning);
        const namespace = namespaceOf(instance);
        let podsLeft = -1;
        const point = { resource: "namespaces", verb: "delete", name: namespace, when: "before" } as const;
        controller.proxy.at(point, async () => {
          podsLeft = (await world.client.list(Pods, { namespace })).items.length;
          return undefined;
        });
        await endOf(world, instance);
        const deletions = writesIn(namespace).filter(({ verb }) => verb === "delete");
        expect(deletions.map(({ resource }) => resource)).toEqual(["deployments", "deployments", "namespaces"]);
        expect(new Set(deletions.map(({ name }) => name))).toEqual(new Set(["web", "db", namespace]));
        expect(podsLeft).toBe(0);
      });

      test("14: an instance that names no namespace finds its Challenge where the organiser keeps them", async () => {
        const { metadata } = await world.challenge().create();
        const instance = await world.instance({ metadata: { name: metadata.name } }).create();
        expect(instance.spec.challengeRef.namespace).toBeUndefined();
        const running = await world.until(instance, isRunning);
        const { metadata: of } = (await Objects.of(world, running)).get("Namespace");
        expect(of.labels[labels.challengeNamespace]).toBe(world.namespace);
      });

      test("16: one name for ports of two containers breaks nothing, and no flag is logged", async () => {
        const challenge = await world
          .challenge()
          .container("one")
          .port(80, "publicHttpRoute", { name: "web" })
          .flag({ env: { name: "FLAG" } })
          .container("two")
          .port(80, "publicHttpRoute", { name: "web" })
          .create();
        const instance = await world.until(await world.instance(challenge).create(), isRunning);
        const services = instance.status?.services ?? [];
        expect(services.map(({ name }) => name)).toEqual(["web", "web"]);
        expect((await Objects.of(world, instance)).env("two").WEB_ENDPOINT).toBe(`${services[1]?.hostname}:80`);
        expect(controller.output.length).toBeGreaterThan(0);
        expect(controller.output.join("\n")).not.toContain(instance.spec.flag);
      });
    });

    test("2: a controller that dies right after it has made a Service still tells its node port", async () => {
      const challenge = await world.challenge().container("web").port(1337, "publicPort", { name: "pwn" }).create();
      const killed = new Promise<void>((resolve) => {
        const point = { resource: "services", verb: "create", name: "web-node-port", when: "after" } as const;
        controller.proxy.at(point, () => {
          void controller.kill().then(resolve);
          return "reset";
        });
      });
      const instance = await world.instance(challenge).create();
      await killed;
      const made = await world.client.get(Services, namespaceOf(instance), "web-node-port");
      controller = await world.startController();
      const { status } = await world.until(instance, isRunning);
      expect(status?.services).toMatchObject([{ name: "pwn", port: made.spec?.ports?.[0]?.nodePort }]);
    });

    test("15: it answers for its health and shows its figures, and of two one leads", async () => {
      await controller.stop();
      const [health, figures, figuresOfSecond] = [await freePort(), await freePort(), await freePort()];
      const ask = async (port: number, path: string) => {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
        return { status: answer?.status, text: await answer?.text() };
      };
      const env = { HEALTH_PORT: String(health), METRICS_PORT: String(figures) };
      const first = await startControllerProcess(world, { env });
      await eventually("it is ready", async () => (await ask(health, "/readyz")).status === 200);
      const second = await startControllerProcess(world, { env: { METRICS_PORT: String(figuresOfSecond) } });
      const instance = await world.instance(await world.challenge().create()).create();
      await world.until(instance, isRunning);
      expect((await ask(health, "/healthz")).status).toBe(200);
      const runs = /^berg_challengeinstance_active\{phase="Running"\} [1-9]/m;
      expect((await ask(figures, "/metrics")).text).toMatch(runs);
      // It has copies of them, too: whoever adds up what both show must not have each twice.
      const ofSecond = async () => (await ask(figuresOfSecond, "/metrics")).text;
      await eventually("the second has its copies", async () =>
        /^informer_objects\{resource="challengeinstances[^}]*\} [1-9]/m.test((await ofSecond()) ?? ""),
      );
      expect(await ofSecond()).not.toMatch(/^berg_challengeinstance_active\{/m);
      expect(second.writes().filter(({ resource }) => resource !== "leases")).toEqual([]);
      await first.stop();
      await eventually("the second leads", async () => runs.test((await ofSecond()) ?? ""));
      await world.client.delete(ChallengeInstances, world.namespace, instance.metadata.name);
      await world.untilGone(instance, { within: 60_000 });
      expect(second.writes().some(({ resource }) => resource === "namespaces")).toBe(true);
      const { spec } = await world.client.get(Leases, world.namespace, "berg-controller");
      expect(spec?.leaseTransitions ?? 0).toBeGreaterThan(0);
      await second.stop();
    });

    test("after all of them nothing was broken that must never be, and nothing is left of what ended", async () => {
      await world.check();
      const { items } = await world.client.listAll(Deployments, { labelSelector: "app.kubernetes.io/managed-by=berg" });
      const { items: instances } = await world.client.listAll(ChallengeInstances);
      const alive = new Set(instances.map(({ metadata }) => metadata.uid));
      expect(items.filter(({ metadata }) => !alive.has(metadata.labels?.[labels.instanceUid] ?? ""))).toEqual([]);
    });
  });
}
