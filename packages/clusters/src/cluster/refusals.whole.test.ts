/** Gardener on bad days: each is told with its reason and the next step, drives nobody mad, and passes. */
import { setTimeout as delay } from "node:timers/promises";
import { ConnectionError } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { failing } from "../../../../test/gardener/gardenlet/course.ts";
import { Shoots } from "../gardener/kinds.ts";
import { operatorAtWork } from "./testing/at-work.ts";
import type { Call } from "./testing/heard-client.ts";
import { messageOf, named, oidcConfig, signInOf, untilCondition, untilPhase } from "./testing/told.ts";
import { gardenNamespace, type RunningOperator, type World } from "./testing/world.ts";

let world: World;
let operator: RunningOperator;
/** What the garden answers about the Shoot of this name, by the verb. */
const faults = new Map<string, (call: Call) => Error | undefined>();

operatorAtWork(
  (started) => ({ world, operator } = started),
  // Three hours: whatever Gardener gives up is to be tried again at once.
  { gardenletBehindMs: 3 * 3_600_000 },
  {
    listener: {
      before(call) {
        const error = call.server === "garden" ? faults.get(call.name)?.(call) : undefined;
        if (error) throw error;
      },
    },
  },
);

const phase = (name: string, wanted: string) => untilPhase(world, name, wanted);
const condition = (name: string, type: string, wanted: string) => untilCondition(world, name, type, wanted);
const callsOf = (name: string, what: string) =>
  operator.calls.filter((call) => call.server === "garden" && call.name === name && call.what === what).length;

const bad: { day: string; error: () => Error; reason: string; says: string }[] = [
  {
    day: "away",
    error: () => new ConnectionError("refused", { sent: false, cause: { code: "ECONNREFUSED" } }),
    reason: "GardenerUnreachable",
    says: "goes on by itself",
  },
  {
    day: "403",
    error: () => refusal(403, { message: "not yet ready to handle request" }),
    reason: "GardenerForbidden",
    says: "not yet ready",
  },
  { day: "409", error: () => refusal(409), reason: "GardenerConflict", says: "tried again" },
  { day: "429", error: () => refusal(429), reason: "GardenerBusy", says: "too much to do" },
  { day: "500", error: () => refusal(500), reason: "GardenerFailing", says: "Gardener fails" },
  { day: "503", error: () => refusal(503), reason: "GardenerFailing", says: "Gardener fails" },
];

describe("a garden that answers", () => {
  test.each(bad)(
    "$day to a creation: $reason, and the Shoot is made when it is well again",
    async ({ day, error, reason, says }) => {
      const name = `new-${day}`;
      faults.set(name, ({ what }) => (what === "create shoots" ? error() : undefined));
      await world.create(name, named(name));
      await condition(name, "ShootCreated", `False/${reason}`);
      expect(await messageOf(world, name, "ClusterProvisioned")).toContain(says);
      expect(await world.phaseOf(name)).toBe("Pending");
      expect(callsOf(name, "create shoots")).toBeLessThan(12);
      faults.delete(name);
      await phase(name, "Ready");
    },
  );

  test.each(bad)("$day to a deletion: it is told, and goes on", async ({ day, error, reason }) => {
    const name = `old-${day}`;
    await world.create(name, named(name));
    await phase(name, "Ready");
    faults.set(name, ({ what }) => (what === "patch shoots" ? error() : undefined));
    await world.remove(name);
    await condition(name, "Deprovisioned", `False/${reason}`);
    faults.delete(name);
    await phase(name, "gone");
  });

  test("422 is not asked again before the spec changes, whatever the Shoot does meanwhile", async () => {
    await world.create("invalid", named("invalid"));
    await phase("invalid", "Ready");
    const causes = [{ field: "spec.provider.workers[0].maximum", message: "must be less than 100" }];
    faults.set("invalid", ({ what }) => (what === "update shoots" ? refusal(422, { details: { causes } }) : undefined));
    await world.edit("invalid", ({ spec }) => {
      if (spec.infrastructure) spec.infrastructure.autoScalerMax = 500;
    });
    await condition("invalid", "ShootUpToDate", "False/GardenerInvalid");
    expect(await messageOf(world, "invalid", "ShootUpToDate")).toContain("workers[0].maximum: must be less than 100");
    await expect.poll(() => world.phaseOf("invalid")).toBe("Ready");
    const asked = callsOf("invalid", "update shoots");
    for (let time = 0; time < 3; time++) {
      const body = { metadata: { annotations: { "example.com/time": `${time}` } } };
      await world.client.patch(Shoots, gardenNamespace, "invalid", { type: "merge", body });
      await delay(100);
    }
    expect(callsOf("invalid", "update shoots")).toBe(asked);
    faults.delete("invalid");
    await world.edit("invalid", ({ spec }) => {
      if (spec.infrastructure) spec.infrastructure.autoScalerMax = 50;
    });
    await condition("invalid", "ShootUpToDate", "True/UpToDate");
  });

  test("422 to a change of the issuer, which is taken back: the one before counts again", async () => {
    await world.create("trusting", { ...named("trusting"), oidcConfig });
    await phase("trusting", "Ready");
    const change = (issuerURL: string, autoScalerMax: number) =>
      world.edit("trusting", ({ spec }) => {
        if (spec.infrastructure) spec.infrastructure.autoScalerMax = autoScalerMax;
        spec.oidcConfig = { ...oidcConfig, issuerURL };
      });
    faults.set("trusting", ({ what }) => (what === "update shoots" ? refusal(422) : undefined));
    await change("https://other.example.com", 500);
    await condition("trusting", "ShootUpToDate", "False/GardenerInvalid");
    await condition("trusting", "OIDCConfigured", "False/Configuring");
    expect(await signInOf(world, "trusting")).toContain("https://other.example.com");
    faults.delete("trusting");
    const asked = callsOf("trusting", "update shoots");
    await change(oidcConfig.issuerURL, 5);
    await condition("trusting", "ShootUpToDate", "True/UpToDate");
    await condition("trusting", "OIDCConfigured", "True/Configured");
    expect(await signInOf(world, "trusting")).toContain(oidcConfig.issuerURL);
    // Gardener may have looked at the other one meanwhile, and does not look again by itself.
    expect(callsOf("trusting", "update shoots")).toBe(asked + 1);
  });

  test.each([
    { name: "strict", error: () => refusal(422), reason: "GardenerInvalid" },
    { name: "unwell", error: () => refusal(503), reason: "GardenerFailing" },
  ])("$reason to a change keeps nobody administrator", async ({ name, error, reason }) => {
    const { metadata } = await world.create(name, { ...named(name), administrators: ["a@example.com"] });
    await expect.poll(() => world.administratorsOf(metadata.uid)).toEqual(["a@example.com"]);
    faults.set(name, ({ what }) => (what === "update shoots" ? error() : undefined));
    await world.edit(name, ({ spec }) => {
      spec.administrators = [];
      if (spec.infrastructure) spec.infrastructure.autoScalerMax = 6;
    });
    await expect.poll(() => world.administratorsOf(metadata.uid)).toEqual([]);
    await condition(name, "ShootUpToDate", `False/${reason}`);
    faults.delete(name);
    await world.edit(name, ({ spec }) => {
      if (spec.infrastructure) spec.infrastructure.autoScalerMax = 7;
    });
    await condition(name, "ShootUpToDate", "True/UpToDate");
  });

  test("403 to the deletion itself waits for a second person, who deletes the Shoot", async () => {
    await world.create("approved", named("approved"));
    await phase("approved", "Ready");
    faults.set("approved", ({ what }) => (what === "delete shoots" ? refusal(403) : undefined));
    await world.remove("approved");
    await condition("approved", "Deprovisioned", "Unknown/AwaitingApproval");
    const shoot = await world.client.get(Shoots, gardenNamespace, "approved");
    expect(shoot.metadata.annotations?.["confirmation.gardener.cloud/deletion"]).toBe("true");
    await world.client.delete(Shoots, gardenNamespace, "approved");
    await phase("approved", "gone");
    expect(callsOf("approved", "delete shoots")).toBe(1);
  });

  test("never to a question about a Shoot that is settled: none is asked", async () => {
    await world.create("quiet", named("quiet"));
    await phase("quiet", "Ready");
    faults.set("quiet", () => refusal(500));
    await world.edit("quiet", ({ metadata }) => {
      metadata.labels = { note: "x" };
    });
    await delay(300);
    expect(await world.phaseOf("quiet")).toBe("Ready");
    faults.delete("quiet");
  });
});

describe("what Gardener has given up", () => {
  test("is asked for three times more, and no more", async () => {
    world.gardenlet.script("tired", { Create: failing("Create", ["ERR_INFRA_RATE_LIMITS_EXCEEDED"]) });
    await world.create("tired", named("tired"));
    await expect.poll(() => messageOf(world, "tired", "ClusterHealthy")).toContain("after 3 retries");
    // The last try may be under way still.
    const given = { phase: "Failed", retries: { count: 3 }, userError: false };
    await expect.poll(async () => (await world.get("tired"))?.status).toMatchObject(given);
    const asked = callsOf("tired", "patch shoots");
    await delay(300);
    expect(callsOf("tired", "patch shoots")).toBe(asked);
    world.gardenlet.script("tired", {});
    await world.edit("tired", ({ spec }) => {
      if (spec.infrastructure) spec.infrastructure.autoScalerMax = 7;
    });
    await phase("tired", "Ready");
    expect((await world.get("tired"))?.status?.retries).toBeUndefined();
  });

  test("is asked for until it works", async () => {
    world.gardenlet.script("moody", { Create: failing("Create", ["ERR_INFRA_RESOURCES_DEPLETED"]) });
    await world.create("moody", named("moody"));
    await expect.poll(() => callsOf("moody", "patch shoots")).toBeGreaterThan(0);
    world.gardenlet.script("moody", {});
    await phase("moody", "Ready");
    await expect
      .poll(async () => Object.keys((await world.shootOf("moody"))?.metadata.annotations ?? {}))
      .not.toContain("operator.kyma-project.io/retries");
  });

  test("while it was deleted, is asked for as well", async () => {
    world.gardenlet.script("clinging", { Delete: failing("Delete", ["ERR_CLEANUP_CLUSTER_RESOURCES"]) });
    await world.create("clinging", named("clinging"));
    await phase("clinging", "Ready");
    await world.remove("clinging");
    await condition("clinging", "Deprovisioned", "False/ERR_CLEANUP_CLUSTER_RESOURCES");
    await expect.poll(async () => (await world.get("clinging"))?.status?.retries?.count).toBe(3);
    world.gardenlet.script("clinging", {});
    const body = { metadata: { annotations: { "gardener.cloud/operation": "retry" } } };
    await world.client.patch(Shoots, gardenNamespace, "clinging", { type: "merge", body });
    await phase("clinging", "gone");
  });
});
