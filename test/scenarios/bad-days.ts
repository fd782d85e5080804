/** Days on which the API server is slow or refuses everything, and controllers come and go. */

import { setTimeout as delay } from "node:timers/promises";
import { Leases, Namespaces } from "@berg/kube";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer, Seen } from "../faults/proxy.ts";
import { eventually } from "../runtime/eventually.ts";
import { Cell, canary } from "./cells.ts";
import { startControllerProcess } from "./controller-process.ts";
import { endOf, isRunning, type StartWorld } from "./seeing.ts";
import { SkippingClock } from "./skipping-clock.ts";
import type { World } from "./world.ts";

/** In the controller's time. */
const observedMs = 20 * 60_000;

export function describeBadDays(startWorld: StartWorld): void {
  let world: World;

  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.end());

  const challenge = () =>
    world
      .challenge()
      .container("web")
      .port(80, "publicHttpRoute")
      .container("db")
      .port(5432, "internalPort")
      .flag({ content: { path: "/flag" } })
      .create();
  const creates = (writes: Seen[]) => writes.filter(({ verb, resource }) => verb === "create" && resource !== "events");

  describe.concurrent("a controller", () => {
    test("that learns of everything five seconds late does nothing twice", async () => {
      const cell = await Cell.start(world);
      cell.controller.proxy.watchDelayMs = 5000;
      const instances = await Promise.all([1, 2, 3].map(async () => cell.instance(await challenge()).create()));
      for (const instance of instances) await world.until(instance, isRunning, { within: 60_000 });
      const made = creates(cell.controller.writes());
      expect(made.filter(({ code }) => code !== 201)).toEqual([]);
      const names = made.map(({ resource, namespace, name }) => `${resource} ${namespace}/${name}`);
      expect(names.length).toBe(new Set(names).size);
      // Read-your-writes, or the second look would not know of the first one's.
      expect(cell.controller.writes().filter(({ verb }) => verb === "apply")).toEqual([]);
      await Promise.all(instances.map((instance) => endOf(world, instance)));
      expect(cell.controller.writes().filter(({ code }) => code === 409)).toEqual([]);
      await cell.controller.stop();
    });

    test.each(["ciliumnetworkpolicies", "configmaps", "resourcequotas"])(
      "that waits for the answer about %s starts no pod meanwhile",
      async (resource) => {
        const cell = await Cell.start(world);
        const held = Promise.withResolvers<undefined>();
        const reached = new Promise<void>((resolve) => {
          cell.controller.proxy.at({ resource, verb: "create", when: "before" }, () => {
            resolve();
            return held.promise;
          });
        });
        const instance = await cell.instance(await challenge()).create();
        await reached;
        await delay(1500);
        expect(creates(cell.controller.writes()).map((write) => write.resource)).not.toContain("deployments");
        held.resolve(undefined);
        await world.until(instance, isRunning);
        await cell.controller.stop();
      },
    );

    test("that gets no answer to anything it makes still ends what runs", async () => {
      const cell = await Cell.start(world);
      const { proxy } = cell.controller;
      const runs = await cell.instance(await challenge()).create();
      await world.until(runs, isRunning);
      let unanswered = 0;
      proxy.answer = ({ verb, resource, namespace = "" }) => {
        if (verb !== "create" || resource === "namespaces" || !namespace.startsWith("challenge-")) return undefined;
        unanswered++;
        return "hang";
      };
      const many = await challenge();
      const started = await Promise.all(Array.from({ length: 24 }, () => cell.instance(many).create()));
      await Promise.all(started.map((one) => world.until(one, ({ status }) => status?.phase === "Creating")));
      await eventually("as many writes as it makes at once wait", () => unanswered >= 32);
      // What gets no answer is given up after a minute.
      await endOf(world, runs, 30_000);
      await cell.controller.kill();
    });

    test("that is killed while it makes an instance leaves the rest to the one that waits", async () => {
      const namespace = "berg-election";
      await world.client.create(Namespaces, { metadata: { name: namespace } });
      const holder = async () =>
        (await world.client.list(Leases, { namespace: world.namespace })).items
          .map(({ spec }) => spec?.holderIdentity)
          .join();
      const before = await holder();
      const first = await startControllerProcess(world, { only: namespace });
      const killed = new Promise<void>((resolve) => {
        first.proxy.at({ resource: "deployments", verb: "create", when: "before" }, () => {
          void first.kill().then(resolve);
          return "reset";
        });
      });
      // Watches are open before it leads.
      await eventually("the first one leads", async () => !["", before].includes(await holder()), 60_000);
      const second = await startControllerProcess(world, { only: namespace });
      const instance = await world
        .instance(await challenge())
        .metadata({ namespace })
        .flag(canary)
        .create();
      await killed;
      await world.until(instance, ({ status }) => status?.phase === "Creating");
      const running = await world.until(instance, isRunning, { within: 60_000 });
      expect(running.status?.history?.map(({ reason }) => reason)).toEqual(["Started"]);
      expect(creates(second.writes()).map(({ resource }) => resource)).toContain("deployments");
      expect(creates(second.writes()).map(({ resource }) => resource)).not.toContain("namespaces");
      await second.stop();
    });

    const refusal = (code: number, reason: string): Answer => ({
      status: code,
      body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason },
    });
    const isStatus = ({ verb, subresource }: Seen) => verb === "update" && subresource === "status";
    const isService = ({ verb, resource }: Seen) => verb === "create" && resource === "services";
    const loops: [what: string, isSpoilt: (seen: Seen) => boolean, answer: Answer][] = [
      ["a write is an internal error", isService, refusal(500, "InternalError")],
      ["a write is forbidden", isService, refusal(403, "Forbidden")],
      ["a write conflicts", isService, refusal(409, "Conflict")],
      ["a write is taken for another's", isService, refusal(409, "AlreadyExists")],
      ["a write is cut off", isService, "reset"],
      [
        "the server is busy",
        isService,
        { ...(refusal(429, "TooManyRequests") as Answer & object), headers: { "retry-after": "1" } },
      ],
      ["the status conflicts", isStatus, refusal(409, "Conflict")],
      ["the status is invalid", isStatus, refusal(422, "Invalid")],
      ["the status finds no server", isStatus, refusal(503, "ServiceUnavailable")],
    ];

    test.each(loops)("that fails every time, as %s, asks less than every five seconds", async (_, isSpoilt, answer) => {
      const clock = new SkippingClock();
      const cell = await Cell.start(world, { clock });
      const { proxy } = cell.controller;
      const asked: number[] = [];
      const failed: number[] = [];
      proxy.answer = (seen) => {
        if (seen.watch || seen.verb === "list" || seen.resource === "events") return undefined;
        asked.push(clock.monotonic());
        if (!isSpoilt(seen)) return undefined;
        failed.push(clock.monotonic());
        return answer;
      };
      const instance = await cell.instance(await challenge()).create();
      await eventually("it has begun to fail", () => failed.length > 2);
      const began = clock.monotonic();
      // A second at a time, so that whatever is due in it has the time to happen.
      while (clock.monotonic() - began < observedMs) {
        clock.skip(1000);
        await delay(10);
      }
      expect(failed.length).toBeGreaterThan(10);
      const from = failed[10] ?? 0;
      const requests = asked.filter((at) => at > from).length;
      const seconds = (clock.monotonic() - from) / 1000;
      expect(requests / (seconds / 5)).toBeLessThanOrEqual(1);
      proxy.answer = () => undefined;
      const recovered = world.until(instance, isRunning, { within: 60_000 });
      const hurry = setInterval(() => clock.skip(1000), 25);
      await recovered.finally(() => clearInterval(hurry));
      await cell.controller.stop();
    });
  });
}
