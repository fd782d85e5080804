/** What keeps an instance from being made at all: the status says what is wrong, and once that is put right it goes on. */
import { randomUUID } from "node:crypto";
import { isNotFound, type Stored } from "@berg/apimachinery";
import { Namespaces } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, Challenges } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conditionOf, endOf, eventsOf, isIn, isRunning, namespaceOf, type StartWorld } from "./seeing.ts";
import type { World } from "./world.ts";

type Instance = Stored<ChallengeInstance>;

export function describeFailures(startWorld: StartWorld): void {
  let world: World;

  beforeAll(async () => {
    world = await startWorld();
    await world.startController();
  });
  afterAll(async () => {
    await world?.stop();
  });

  async function expectNothingMade(instance: Instance) {
    const namespace = world.client.get(Namespaces, "", namespaceOf(instance));
    await expect(namespace.catch((error) => isNotFound(error))).resolves.toBe(true);
  }

  function edit(challenge: { metadata: { name: string } }, spec: object) {
    const patch = { type: "merge", body: { spec } } as const;
    return world.client.patch(Challenges, world.namespace, challenge.metadata.name, patch);
  }

  function editInstance({ metadata }: Instance, spec: object) {
    const patch = { type: "merge", body: { spec } } as const;
    return world.client.patch(ChallengeInstances, world.namespace, metadata.name, patch);
  }

  describe.concurrent("an instance fails and says why", () => {
    test("ChallengeMissing: until there is one", async () => {
      const challenge = world.challenge();
      const instance = await world.instance(challenge.manifest).create();
      const failed = await world.until(instance, isIn("Failed", "ChallengeMissing"));
      const { name } = challenge.manifest.metadata;
      const message = `Challenge ${name} not found in the namespace berg.`;
      expect(failed.status?.message).toBe(message);
      expect(conditionOf(failed, "ChallengeFound")).toMatchObject({
        status: "False",
        reason: "ChallengeMissing",
        message,
      });
      expect(failed.status?.expiresAt).toBeDefined();
      await expectNothingMade(instance);
      expect(await eventsOf(world, failed, "ChallengeMissing")).toEqual([
        { type: "Warning", reason: "ChallengeMissing", message },
      ]);
      await challenge.create();
      const running = await world.until(instance, isRunning);
      expect(conditionOf(running, "ChallengeFound")).toMatchObject({ status: "True", reason: "Found" });
      expect(running.status?.history?.map(({ reason }) => reason)).toEqual(["Started", "Admitted"]);
      const moved = await eventsOf(world, running, "InstanceExpiryMoved");
      expect(moved.find(({ reason }) => reason === "InstanceExpiryMoved")).toMatchObject({
        type: "Normal",
        message: running.status?.history?.[1]?.message,
      });
    });

    const mistakes: [what: string, container: Record<string, unknown>, texts: string[]][] = [
      [
        "an image",
        { image: "registry.example.com/Web:1" },
        ["spec.containers[0].image", '"Web" has capital letters', "write"],
      ],
      [
        "a limit of nothing",
        { resourceLimits: { cpu: "0" } },
        ["spec.containers[0].resourceLimits.cpu", "0 is no limit", "write more"],
      ],
      [
        "a request over its limit",
        { resourceLimits: { memory: "1Gi" }, resourceRequests: { memory: "2Gi" } },
        ["spec.containers[0].resourceRequests.memory", "2Gi is more than the limit, 1Gi", "lower the one"],
      ],
      [
        "a route for UDP",
        { ports: [{ port: 53, protocol: "udp", type: "publicHttpRoute" }] },
        ["spec.containers[0].ports[0].type", "publicHttpRoute carries TCP only", "use publicPort"],
      ],
      [
        "a capability",
        { additionalCapabilities: ["CAP_NET_ADMIN"] },
        ["spec.containers[0].additionalCapabilities[0]", '"CAP_NET_ADMIN" has the prefix CAP_', "write NET_ADMIN"],
      ],
      [
        "a probe of nothing",
        { readinessProbe: {} },
        ["spec.containers[0].readinessProbe", "says nothing to try", "set one of"],
      ],
      [
        "a probe of somebody else",
        { readinessProbe: { httpGet: { port: 80, host: "169.254.169.254" } } },
        ["spec.containers[0].readinessProbe.httpGet.host", "169.254.169.254", "remove it"],
      ],
      [
        "a place for the flag",
        { dynamicFlag: { content: { path: "/proc/self/mem" } } },
        ["spec.containers[0].dynamicFlag.content.path", "/proc/self/mem", "choose another directory"],
      ],
    ];

    test.each(mistakes)("ChallengeInvalid: for %s, until the author has corrected it", async (_, fields, texts) => {
      const challenge = await world.challenge().container("web", fields).create();
      const instance = await world.instance(challenge).create();
      const failed = await world.until(instance, isIn("Failed", "ChallengeInvalid"));
      for (const text of texts) expect(failed.status?.message).toContain(text);
      expect(conditionOf(failed, "ChallengeFound")).toMatchObject({ status: "False", reason: "ChallengeInvalid" });
      await expectNothingMade(instance);
      const told = await eventsOf(world, failed, "InstanceFailed");
      expect(told).toMatchObject([{ type: "Warning", message: failed.status?.message }]);
      await edit(challenge, { containers: [{ hostname: "web", image: "web:1" }] });
      await world.until(instance, isRunning);
    });

    test("ChallengeInvalid: all mistakes at once, and a Challenge without containers", async () => {
      const challenge = await world.challenge().with({ containers: [] }).create();
      const instance = await world.instance(challenge).create();
      const failed = await world.until(instance, isIn("Failed", "ChallengeInvalid"));
      expect(failed.status?.message).toContain("spec.containers: there is no container to start; add one");
      const wrong = { image: "::", resourceLimits: { memory: "12" }, livenessProbe: { exec: { command: [] } } };
      await edit(challenge, { containers: [{ hostname: "web", ...wrong }] });
      const fields = ["image", "resourceLimits.memory", "livenessProbe.exec.command"];
      await world.until(instance, ({ status }) =>
        fields.every((field) => status?.message?.includes(`spec.containers[0].${field}: `)),
      );
    });

    test("FlagMissing: until it is set", async () => {
      const challenge = await world
        .challenge()
        .flag({ env: { name: "FLAG" } })
        .create();
      const instance = await world.instance(challenge).flag(undefined).create();
      const failed = await world.until(instance, isIn("Failed", "FlagMissing"));
      const message = "Flag required but not provided: set spec.flag of the ChallengeInstance.";
      expect(conditionOf(failed, "FlagValidation")).toMatchObject({ status: "False", reason: "FlagMissing", message });
      expect(await eventsOf(world, failed, "FlagMissing")).toEqual([
        { type: "Warning", reason: "FlagMissing", message },
      ]);
      await expectNothingMade(instance);
      await editInstance(instance, { flag: "flag{at-last-somebody-gave-it}" });
      const running = await world.until(instance, isRunning);
      expect(conditionOf(running, "FlagValidation")).toMatchObject({ status: "True", reason: "FlagGiven" });
      expect(running.status?.observedGeneration).toBe(running.metadata.generation);
    });

    test.each([
      ["0s", "leaves no time at all"],
      ["99999999h", "is longer than ten years"],
    ])("InvalidTimeout: %s, until it is a time", async (timeout, text) => {
      const challenge = await world.challenge().create();
      const instance = await world.instance(challenge).timeout(timeout).create();
      const failed = await world.until(instance, isIn("Failed", "InvalidTimeout"));
      expect(failed.status?.message).toBe(
        `cannot use spec.timeout of the ChallengeInstance: "${timeout}" ${text}; write a time such as 30m or 2h, or leave it out`,
      );
      await expectNothingMade(instance);
      await editInstance(instance, { timeout: "30m" });
      const { status } = await world.until(instance, isRunning);
      const end = Date.parse(status?.expiresAt ?? "") - Date.parse(status?.readyAt ?? "");
      expect(end).toBeGreaterThan(29 * 60_000);
      expect(end).toBeLessThanOrEqual(31 * 60_000);
    });

    test("OwnerBusy: until the owner's other instance is gone", async () => {
      const challenge = await world.challenge().create();
      const ownerId = randomUUID();
      const first = await world.instance(challenge).ownedBy(ownerId).create();
      await world.until(first, isRunning);
      const second = await world
        .instance(challenge)
        .ownedBy(ownerId)
        .metadata({ name: `second-${ownerId}` })
        .create();
      const failed = await world.until(second, isIn("Failed", "OwnerBusy"));
      expect(failed.status?.message).toContain(`The owner has another instance, ${first.metadata.name}`);
      expect(conditionOf(failed, "Admitted")).toMatchObject({ status: "False", reason: "OwnerBusy" });
      await endOf(world, first);
      const running = await world.until(second, isRunning);
      expect(conditionOf(running, "Admitted")).toMatchObject({ status: "True", reason: "Admitted" });
    });

    test("NameConflict: a namespace of somebody else is left alone", async () => {
      const ownerId = randomUUID();
      const name = `challenge-${ownerId}`;
      const foreign = await world.client.create(Namespaces, { metadata: { name, labels: { team: "blue" } } });
      const challenge = await world.challenge().create();
      const instance = await world.instance(challenge).ownedBy(ownerId).create();
      const failed = await world.until(instance, isIn("Failed", "NameConflict"));
      expect(failed.status?.message).toBe(
        `A namespace ${name} exists that is not Berg's; it is left alone. Remove or rename it.`,
      );
      expect(conditionOf(failed, "NamespaceCreated")).toMatchObject({ status: "False", reason: "NameConflict" });
      await endOf(world, instance);
      const { metadata } = await world.client.get(Namespaces, "", name);
      expect([metadata.uid, metadata.deletionTimestamp]).toEqual([foreign.metadata.uid, undefined]);
    });
  });

  test("after all of them nothing was broken that must never be", () => world.check());
}
