/** Challenges that were stored under the original platform's CRD: their instances run, or fail with a reason, and end. */
import { randomUUID } from "node:crypto";
import type { Stored } from "@berg/apimachinery";
import { Deployments, Pods } from "@berg/kube";
import { type Challenge, type ChallengeInstance, Challenges, customResourceDefinitions } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../runtime/eventually.ts";
import { CustomResourceDefinitions } from "./crds.ts";
import { originalChallengeDefinition } from "./original-crd.ts";
import { endOf, isIn, isRunning, namespaceOf, Objects, type StartWorld } from "./seeing.ts";
import type { World } from "./world.ts";

type Instance = Stored<ChallengeInstance>;

const web = { hostname: "web", image: "web:1" };
const within = 60_000;

const original = originalChallengeDefinition({
  spec: { points: { type: "integer" } },
  container: { command: { type: "array", items: { type: "string" } } },
});

export function describeOrigins(startWorld: StartWorld): void {
  let world: World;

  beforeAll(async () => {
    world = await startWorld({ definitions: { [original.metadata.name]: original } });
    await world.startController();
  });
  afterAll(() => world?.end());

  const challengeOf = (spec: unknown): Promise<Stored<Challenge>> => {
    const metadata = { namespace: world.namespace, name: `challenge-${randomUUID().slice(0, 8)}` };
    return world.client.create(Challenges, { metadata, ...(spec !== undefined && { spec }) } as Challenge);
  };
  const runningOf = async (challenge: Stored<Challenge>): Promise<Instance> =>
    world.until(await world.instance(challenge).create(), isRunning, { within });
  const podsOf = async (instance: Instance) => {
    const { items } = await world.client.listAll(Pods, { namespace: namespaceOf(instance) });
    return items.map(({ metadata }) => metadata.uid).toSorted();
  };

  describe.concurrent("an instance of a Challenge under the original platform's CRD runs, and ends cleanly,", () => {
    test("without additionalCapabilities, environment and ports", async () => {
      const challenge = await challengeOf({ containers: [web] });
      expect(challenge.spec).toEqual({ containers: [web] });
      const instance = await runningOf(challenge);
      const { securityContext } = (await Objects.of(world, instance)).container("web");
      expect(securityContext.capabilities).toBeUndefined();
      expect((await endOf(world, instance)).status?.phase).toBe("Terminated");
    });

    test("with mode: null, and every other null", async () => {
      const dynamicFlag = { content: { path: "/flag", mode: null } };
      const container = { ...web, dynamicFlag, resourceLimits: null, runtimeClassName: null, egressBandwidth: null };
      const challenge = await challengeOf({ displayName: null, containers: [container] });
      expect(challenge.spec.containers[0]?.dynamicFlag).toEqual(dynamicFlag);
      const instance = await runningOf(challenge);
      const { volumes } = (await Objects.of(world, instance)).podTemplate("web").spec;
      expect(volumes[0].configMap.items[0].mode ?? volumes[0].configMap.defaultMode).toBe(0o444);
      expect((await endOf(world, instance)).status?.phase).toBe("Terminated");
    });

    test("without protocol, port and type of a port", async () => {
      const ports = [{ name: "web" }, { name: "site", port: 8080, type: "publicHttpRoute" }];
      const instance = await runningOf(await challengeOf({ containers: [{ ...web, ports }] }));
      const objects = await Objects.of(world, instance);
      const served = objects.get("Service", "web").spec.ports.map(({ port, protocol }: never) => [port, protocol]);
      expect(served).toEqual([
        [80, "TCP"],
        [8080, "TCP"],
      ]);
      expect(instance.status?.services).toMatchObject([{ name: "site" }]);
      expect((await endOf(world, instance)).status?.phase).toBe("Terminated");
    });

    test("with fields that our schema does not know", async () => {
      const challenge = await challengeOf({ points: 500, containers: [{ ...web, command: ["sh"] }] });
      expect(challenge.spec).toHaveProperty("points");
      const instance = await runningOf(challenge);
      expect((await Objects.of(world, instance)).container("web").command).toBeUndefined();
      expect((await endOf(world, instance)).status?.phase).toBe("Terminated");
    });
  });

  describe.concurrent("an instance of a Challenge that makes no sense fails with a reason, and ends in time:", () => {
    test.for<[what: string, spec: unknown, message: RegExp]>([
      ["no spec", undefined, /spec: Required value/],
      ["no containers", {}, /spec\.containers: there is no container to start/],
      [
        "a container without a name and an image",
        { containers: [{}] },
        /spec\.containers\[0\]\.hostname: Required value/,
      ],
      [
        "a port that there is not",
        { containers: [{ ...web, ports: [{ port: 99_999 }] }] },
        /spec\.containers\[0\]\.ports\[0\]\.port: Invalid value: 99999/,
      ],
      [
        "a protocol that there is not",
        { containers: [{ ...web, ports: [{ protocol: "sctp" }] }] },
        /spec\.containers\[0\]\.ports\[0\]\.protocol: .*must be tcp or udp/,
      ],
      [
        "an environment of lists",
        { containers: [{ ...web, environment: { LIST: [1] } }] },
        /spec\.containers\[0\]\.environment\.LIST/,
      ],
      [
        "a flag that goes nowhere",
        { containers: [{ ...web, dynamicFlag: { env: null } }] },
        /exactly one of env, content and executable must be set/,
      ],
    ])("%s", async ([, spec, message]) => {
      const challenge = await challengeOf(spec);
      const instance = await world.instance(challenge).timeout("5s").create();
      const failed = await world.until(instance, isIn("Failed", "ChallengeInvalid"), { within });
      expect(failed.status?.message).toMatch(message);
      expect(failed.status).toMatchObject({ instanceId: expect.any(String), startedAt: expect.any(String) });
      expect(failed.status?.expiresAt).toBeDefined();
      const gone = await world.untilGone(instance, { within });
      expect(gone.status).toMatchObject({ phase: "Terminated", terminationReason: "Timeout" });
    });

    test("put right, it starts", async () => {
      const challenge = await challengeOf({ containers: [{ hostname: "web" }] });
      const instance = await world.instance(challenge).create();
      await world.until(instance, isIn("Failed", "ChallengeInvalid"), { within });
      const patch = { type: "merge", body: { spec: { containers: [web] } } } as const;
      await world.client.patch(Challenges, world.namespace, challenge.metadata.name, patch);
      await world.until(instance, isRunning, { within });
      await endOf(world, instance);
    });
  });

  test("our CRD in place of the original's restarts nothing, and new instances run the same", async () => {
    const dynamicFlag = { content: { path: "/flag", mode: null } };
    const challenge = await challengeOf({ points: 1, containers: [{ ...web, dynamicFlag, ports: [{ port: 80 }] }] });
    const before = await runningOf(challenge);
    const pods = await podsOf(before);

    const [ours] = customResourceDefinitions().filter(({ metadata }) => metadata.name === original.metadata.name);
    const { name } = original.metadata;
    const { metadata } = await world.client.get(CustomResourceDefinitions, "", name);
    await world.client.update(CustomResourceDefinitions, { ...ours, metadata } as typeof original);
    const after = await runningOf(challenge);
    expect(after.status?.revision).toBe(before.status?.revision);
    // A write stores it as our CRD has it: with defaults, and without what that does not know.
    const body = { metadata: { labels: { event: "finals" } } };
    const write = () =>
      world.client.patch(Challenges, world.namespace, challenge.metadata.name, { type: "merge", body });
    await eventually(
      "our CRD is in force",
      () => write().then(({ spec }) => spec.containers[0]?.additionalCapabilities && !("points" in spec)),
      within,
    );
    const latest = await runningOf(challenge);
    expect(latest.status?.revision).toBe(before.status?.revision);

    expect(await podsOf(before)).toEqual(pods);
    const deployment = await world.client.get(Deployments, namespaceOf(before), "web");
    expect(deployment.metadata.generation).toBe(1);
    for (const instance of [before, after, latest])
      expect((await endOf(world, instance)).status?.phase).toBe("Terminated");
  });
}
