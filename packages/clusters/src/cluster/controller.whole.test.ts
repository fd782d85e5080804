import { setTimeout as delay } from "node:timers/promises";
import { SubscriptionRequests } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { Shoots } from "../gardener/kinds.ts";
import { annotations } from "../vocabulary.ts";
import { operatorAtWork } from "./testing/at-work.ts";
import { messageOf, named, oidcConfig, signInOf, untilCondition, untilPhase } from "./testing/told.ts";
import { gardenNamespace, giveAccount, namespace, type RunningOperator, type World } from "./testing/world.ts";

let world: World;
let operator: RunningOperator;
operatorAtWork((started) => ({ world, operator } = started));

const phase = (name: string, wanted: string) => untilPhase(world, name, wanted);
const condition = (name: string, type: string, wanted: string) => untilCondition(world, name, type, wanted);

describe("a Cluster", () => {
  test("lives: asked for, made, changed, and deleted with all that was made for it", async () => {
    const { metadata } = await world.create("life", {
      ...named("life"),
      oidcConfig,
      administrators: ["b@example.com", "a@example.com"],
    });
    await phase("life", "Ready");
    await condition("life", "AdministratorsConfigured", "True/Configured");
    const cluster = await world.get("life");
    const shoot = await world.shootOf("life");
    expect(cluster?.status).toMatchObject({
      shootRef: { name: "life", uid: shoot?.metadata.uid },
      apiServerURL: "https://api.life.berg.garden.test",
      progress: 100,
      lastOperation: { type: "Create", state: "Succeeded" },
      administrators: ["a@example.com", "b@example.com"],
      observedGeneration: 1,
    });
    expect(cluster?.status?.zones).toHaveLength(3);
    for (const type of [
      "SubscriptionReady",
      "ShootCreated",
      "ShootUpToDate",
      "ClusterProvisioned",
      "ClusterHealthy",
      "OIDCConfigured",
    ])
      expect(await world.conditionOf("life", type)).toMatch(/^True/);
    expect(shoot?.spec).toMatchObject({
      purpose: "production",
      credentialsBindingName: "account",
      kubernetes: { kubeAPIServer: { structuredAuthentication: { configMapName: "life-authentication" } } },
    });
    expect(await signInOf(world, "life")).toContain("https://issuer.example.com");
    expect(await world.administratorsOf(metadata.uid)).toEqual(["a@example.com", "b@example.com"]);

    await world.edit("life", ({ spec }) => {
      spec.administrators = ["c@example.com"];
      if (spec.infrastructure) spec.infrastructure.autoScalerMax = 9;
      if (spec.oidcConfig) spec.oidcConfig.clientID = "another";
    });
    await expect.poll(async () => (await world.get("life"))?.status?.administrators).toEqual(["c@example.com"]);
    expect(await world.administratorsOf(metadata.uid)).toEqual(["c@example.com"]);
    await expect.poll(async () => (await world.shootOf("life"))?.spec.provider.workers?.[0]?.maximum).toBe(9);
    expect(await signInOf(world, "life")).toContain("another");
    await phase("life", "Ready");

    await world.edit("life", ({ spec }) => {
      delete spec.oidcConfig;
    });
    await expect.poll(() => signInOf(world, "life")).toBeUndefined();
    await condition("life", "OIDCConfigured", "False/NotConfigured");
    const left = () => world.shootOf("life") as Promise<NonNullable<typeof shoot>>;
    expect((await left()).spec.kubernetes?.kubeAPIServer?.structuredAuthentication).toBeUndefined();
    const digest = annotations.authenticationDigest;
    await expect.poll(async () => (await left()).metadata.annotations).not.toHaveProperty([digest]);

    await world.remove("life");
    await phase("life", "gone");
    await expect(world.client.get(Shoots, gardenNamespace, "life")).rejects.toThrow("not found");
    await expect(world.client.get(SubscriptionRequests, namespace, "life")).rejects.toThrow("not found");
    await expect
      .poll(() => world.eventsOf("life"))
      .toEqual(expect.arrayContaining(["ClusterPending", "ClusterProvisioning", "ClusterReady", "ClusterDeleting"]));
  });

  test("that is settled costs no request, whatever happens around it", async () => {
    await world.create("still", named("still"));
    await phase("still", "Ready");
    await condition("still", "AdministratorsConfigured", "True/Configured");
    await delay(300);
    const before = operator.calls.length;
    const body = { metadata: { annotations: { "example.com/note": "x" } } };
    await world.client.patch(Shoots, gardenNamespace, "still", { type: "merge", body });
    await delay(300);
    expect(operator.calls.slice(before)).toEqual([]);
  });

  test("that is settled costs an operator that has just started no request either", async () => {
    await world.create("rested", { ...named("rested"), oidcConfig, administrators: ["rested@example.com"] });
    await phase("rested", "Ready");
    await condition("rested", "AdministratorsConfigured", "True/Configured");
    await delay(300);
    await using next = await world.startOperator();
    // It looks at all that there is, one after the other: of this one it has seen the newest.
    await world.create("rested-after", named("rested-after"));
    await phase("rested-after", "Ready");
    await expect.poll(() => next.calls.length).toBeGreaterThan(0);
    expect(next.calls.filter(({ name }) => /^rested($|-authentication)/.test(name))).toEqual([]);
    expect(next.calls.filter(({ server }) => server === "target")).toEqual([]);
  });

  test("waits for its account, in the words of whoever gives it", async () => {
    world.givesAccounts = false;
    try {
      await world.create("poor", named("poor"));
      await condition("poor", "SubscriptionReady", "False/WaitingForSubscription");
      expect(await world.phaseOf("poor")).toBe("Pending");
      const conditions = [
        { type: "PoolAvailable", status: "False", reason: "PoolExhausted", message: "No account is left" },
      ];
      const body = { status: { phase: "Exhausted", conditions } };
      const status = { subresource: "status" };
      await world.client.patch(SubscriptionRequests, namespace, "poor", { type: "merge", body }, status);
      await condition("poor", "SubscriptionReady", "False/PoolExhausted");
      expect(await messageOf(world, "poor", "ClusterProvisioned")).toBe("No account is left");
      expect(await world.shootOf("poor")).toBeUndefined();
      await giveAccount(world.client, await world.client.get(SubscriptionRequests, namespace, "poor"));
      await phase("poor", "Ready");
    } finally {
      world.givesAccounts = true;
    }
  });

  test("asks for an account with all that it says about it", async () => {
    world.givesAccounts = false;
    try {
      const rules = { platformRegion: "cf-eu11", euAccess: false, plan: "trial" };
      await world.create("planned", named("planned"), rules);
      await world.create("plain", named("plain"));
      for (const name of ["planned", "plain"])
        await condition(name, "SubscriptionReady", "False/WaitingForSubscription");
      const specOf = async (name: string) => (await world.client.get(SubscriptionRequests, namespace, name)).spec;
      const least = { provider: "aws", subscriptionSelector: "globalaccount:abcd-0001", region: "eu-central-1" };
      expect(await specOf("planned")).toEqual({ ...least, ...rules });
      expect(await specOf("plain")).toEqual(least);
    } finally {
      world.givesAccounts = true;
    }
  });

  test("whose SubscriptionRequest is somebody else's says so", async () => {
    const spec = { provider: "aws", subscriptionSelector: "shared" } as const;
    await world.client.create(SubscriptionRequests, { metadata: { name: "robbed", namespace }, spec });
    await world.create("robbed", named("robbed"));
    await condition("robbed", "SubscriptionReady", "False/SubscriptionNameTaken");
    await world.remove("robbed");
    await phase("robbed", "gone");
    await world.client.get(SubscriptionRequests, namespace, "robbed");
  });

  test.each([
    { name: "wrong-region", core: { region: "mars-1" }, infrastructure: {}, reason: "UnknownRegion" },
    { name: "wrong-machine", core: {}, infrastructure: { machineType: "m99" }, reason: "UnknownMachineType" },
    { name: "wrong-profile", core: { cloudProfile: "nebula" }, infrastructure: {}, reason: "UnknownCloudProfile" },
    { name: "long-name", core: { shootName: "eighteen-letters-x" }, infrastructure: {}, reason: "InvalidShootName" },
    { name: "many-zones", core: {}, infrastructure: { numberOfZones: 4, autoScalerMax: 9 }, reason: "TooFewZones" },
  ])("that cannot be, claims nothing: $reason", async ({ name, core, infrastructure, reason }) => {
    await world.create(name, { core: { purpose: "testing", region: "eu-central-1", ...core } }, infrastructure);
    await condition(name, "ClusterProvisioned", `False/${reason}`);
    expect(await world.phaseOf(name)).toBe("Failed");
    await expect(world.client.get(SubscriptionRequests, namespace, name)).rejects.toThrow("not found");
    await world.remove(name);
    await phase(name, "gone");
  });

  test("leaves Failed when what was wrong is put right", async () => {
    await world.create("mended", named("mended"), { machineType: "m99" });
    await phase("mended", "Failed");
    await world.edit("mended", ({ spec }) => {
      if (spec.infrastructure) spec.infrastructure.machineType = "m5.large";
    });
    await phase("mended", "Ready");
  });

  test("takes back what its region does not have, also where the cluster stands", async () => {
    await world.create("greedy", named("greedy"), { numberOfZones: 4 });
    await condition("greedy", "ClusterProvisioned", "False/TooFewZones");
    const zones = (count: number) =>
      world.edit("greedy", ({ spec }) => {
        if (spec.infrastructure) spec.infrastructure.numberOfZones = count;
      });
    await zones(2);
    await phase("greedy", "Ready");
    await zones(4);
    await condition("greedy", "ShootUpToDate", "False/TooFewZones");
    await expect(zones(1)).rejects.toThrow("which are in status.zones");
    await zones(3);
    await condition("greedy", "ShootUpToDate", "True/UpToDate");
    expect((await world.shootOf("greedy"))?.spec.provider.workers?.[0]?.zones).toHaveLength(3);
  });

  test("grows by a zone that is named, also after a slip of the pen", async () => {
    const [a, b, c] = ["a", "b", "c"].map((letter) => `eu-central-1${letter}`) as [string, string, string];
    await world.create("named", named("named"), { numberOfZones: 2, zones: [c, a] });
    await phase("named", "Ready");
    const name = (...zones: string[]) =>
      world.edit("named", ({ spec }) => {
        if (spec.infrastructure) Object.assign(spec.infrastructure, { zones, numberOfZones: zones.length });
      });
    await expect(name(b, a)).rejects.toThrow("zones must name every zone");
    await name(a, "eu-central-1x", c);
    await condition("named", "ShootUpToDate", "False/UnknownZone");
    await name(a, b, c);
    await condition("named", "ShootUpToDate", "True/UpToDate");
    expect((await world.shootOf("named"))?.spec.provider.workers?.[0]?.zones).toEqual([c, a, b]);
    expect((await world.get("named"))?.status?.zones).toEqual([c, a, b]);
  });

  test("an issuer that cannot be one does not hold it up", async () => {
    await world.create("odd-issuer", { ...named("odd-issuer"), oidcConfig: { ...oidcConfig, issuerURL: "asdf" } });
    await phase("odd-issuer", "Ready");
    expect(await world.conditionOf("odd-issuer", "OIDCConfigured")).toBe("False/InvalidIssuer");
  });
});
