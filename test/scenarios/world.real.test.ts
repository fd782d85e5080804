/** The ground that scenarios stand on: it starts, it sees, it kills, and it notices what should not be. */

import { Namespaces, Pods } from "@berg/kube";
import { ChallengeInstances, Challenges } from "@berg/resources";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wildChallengeArbitrary } from "../arbitraries/index.ts";
import { missingControlPlane } from "../control-plane/binaries.ts";
import type { Seen } from "../faults/proxy.ts";
import { startControllerProcess } from "./controller-process.ts";
import { startWorld, type World } from "./world.ts";

const isRunning = ({ status }: { status?: { phase?: string } }) => status?.phase === "Running";
const creates = (writes: Seen[], resource: string) =>
  writes.filter((write) => write.verb === "create" && write.resource === resource);

describe.skipIf(await missingControlPlane())("a world", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(async () => {
    await world?.stop();
  });

  test("lets an instance live and die under the eyes of its watcher", async () => {
    const controller = await world.startController();
    const challenge = await world
      .challenge()
      .container("web")
      .port(80, "publicHttpRoute")
      .flag({ env: { name: "FLAG" } })
      .create();
    const instance = await world.instance(challenge).create();
    const { status } = await world.until(instance, isRunning);
    expect(status?.namespace).toBe(`challenge-${instance.spec.ownerId}`);
    expect(creates(world.writes(), "deployments").map(({ code }) => code)).toEqual([201]);
    await world.client.delete(ChallengeInstances, "berg", instance.metadata.name);
    expect((await world.untilGone(instance)).status?.phase).toBe("Terminated");
    await world.check();
    await controller.stop();
  });

  test("kills a controller between its write and the answer, and another one goes on", async () => {
    const first = await world.startController();
    const killed = new Promise<void>((resolve) => {
      first.proxy.at({ resource: "namespaces", verb: "create", when: "after" }, async () => {
        void first.kill().then(resolve);
        return "reset" as const;
      });
    });
    const instance = await world.instance(await world.challenge().create()).create();
    await killed;
    const written = first.writes().length;
    expect(await world.client.get(Namespaces, "", `challenge-${instance.spec.ownerId}`)).toBeDefined();
    const second = await world.startController();
    await world.until(instance, isRunning);
    expect(first.writes().length).toBe(written);
    await world.check();
    await second.stop();
  });

  test("runs what we ship as a process, and kills it", async () => {
    const first = await startControllerProcess(world, { env: { CHALLENGE_INSTANCE_TIMEOUT: "1h" } });
    const instance = await world.instance(await world.challenge().create()).create();
    await world.until(instance, isRunning, { within: 60_000 });
    await first.kill();
    const second = await startControllerProcess(world);
    await world.client.delete(ChallengeInstances, "berg", instance.metadata.name);
    await world.untilGone(instance, { within: 60_000 });
    await second.stop();
    await world.check();
  });

  test("gives pods the behaviour that a scenario wants, and says all it knows when it has waited in vain", async () => {
    const controller = await world.startController();
    const challenge = await world.challenge().container("web").behaving("never-ready").create();
    const instance = await world.instance(challenge).create();
    await expect(world.until(instance, isRunning, { within: 3_000 })).rejects.toThrow(
      /in 3000 ms it did not happen that .*\nstatus:\n(.*\n)*.*phase: Starting(.*\n)*events:\n.*InstanceCreating(.*\n)*objects:\n(.*\n)*.*Deployment web/,
    );
    await controller.stop();
  });

  test("knows, of any Challenge, whether the server takes it", async () => {
    for (const { manifest, refused } of fc.sample(wildChallengeArbitrary(), { numRuns: 150, seed: 11 })) {
      const answer = await world.client
        .create(Challenges, manifest as never, { dryRun: true, fieldValidation: "Strict" })
        .then(
          () => "taken",
          (error: Error) => error.message,
        );
      if (refused.length === 0) expect(answer, JSON.stringify(manifest)).toBe("taken");
      else expect(answer, JSON.stringify({ manifest, refused })).not.toBe("taken");
    }
  });

  // The last one: what it does cannot be undone.
  test("notices what should not be", async () => {
    const marks = { "app.kubernetes.io/managed-by": "berg", "berg.norelect.ch/instance-uid": "nobody" };
    await world.client.create(Namespaces, { metadata: { name: "unpoliced", labels: marks } });
    const containers = [{ name: "web", image: "web:1" }];
    await expect
      .poll(() =>
        world.client
          .create(Pods, {
            metadata: { namespace: "unpoliced", name: "web" },
            spec: { containers, automountServiceAccountToken: false },
          })
          .then(
            () => true,
            () => false,
          ),
      )
      .toBe(true);
    await expect(world.check()).rejects.toThrow("I6 policy before pods: at revision");
  });
});
