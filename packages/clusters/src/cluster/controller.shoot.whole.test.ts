import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { erring, failing, recovering, stuck, succeeding } from "../../../../test/gardener/gardenlet/course.ts";
import { sampleShoot } from "../../../../test/gardener/samples.ts";
import { Shoots } from "../gardener/kinds.ts";
import { annotations } from "../vocabulary.ts";
import { operatorAtWork } from "./testing/at-work.ts";
import { messageOf, named, oidcConfig, signInOf, untilCondition, untilPhase } from "./testing/told.ts";
import { gardenNamespace, type RunningOperator, type World } from "./testing/world.ts";

let world: World;
let operator: RunningOperator;
operatorAtWork((started) => ({ world, operator } = started));

const phase = (name: string, wanted: string) => untilPhase(world, name, wanted);
const condition = (name: string, type: string, wanted: string) => untilCondition(world, name, type, wanted);

describe("a Shoot", () => {
  test("of the same name that is somebody else's is never touched", async () => {
    const theirs = await world.client.create(Shoots, sampleShoot(gardenNamespace, "theirs") as never);
    await expect
      .poll(async () => (await world.client.get(Shoots, gardenNamespace, "theirs")).status?.lastOperation?.state)
      .toBe("Succeeded");
    const before = (await world.client.get(Shoots, gardenNamespace, "theirs")).metadata.resourceVersion;
    await world.create("mine", named("theirs"));
    await condition("mine", "ClusterProvisioned", "False/NameConflict");
    await world.remove("mine");
    await phase("mine", "gone");
    const after = await world.client.get(Shoots, gardenNamespace, "theirs");
    expect([after.metadata.uid, after.metadata.resourceVersion]).toEqual([theirs.metadata.uid, before]);
  });

  test("that others have deleted is not made anew unasked, and once where it is asked for", async () => {
    await world.create("lost", named("lost"));
    await phase("lost", "Ready");
    const uid = (await world.shootOf("lost"))?.metadata.uid ?? "";
    const confirm = { metadata: { annotations: { "confirmation.gardener.cloud/deletion": "true" } } };
    await world.client.patch(Shoots, gardenNamespace, "lost", { type: "merge", body: confirm });
    await world.client.delete(Shoots, gardenNamespace, "lost");
    await condition("lost", "ClusterProvisioned", "False/ShootMissing");
    await phase("lost", "Failed");
    expect(await messageOf(world, "lost", "ClusterProvisioned")).toContain(`recreate-shoot=${uid}`);
    await delay(300);
    const before = operator.calls.length;
    await world.edit("lost", ({ metadata }) => {
      metadata.annotations = { [annotations.recreateShoot]: "another" };
    });
    await delay(300);
    expect(await world.shootOf("lost")).toBeUndefined();
    expect(operator.calls.slice(before).filter(({ server }) => server === "garden")).toEqual([]);

    await world.edit("lost", ({ metadata }) => {
      metadata.annotations = { [annotations.recreateShoot]: uid };
    });
    await phase("lost", "Ready");
    const second = (await world.shootOf("lost"))?.metadata.uid;
    expect((await world.get("lost"))?.status?.shootRef?.uid).toBe(second);
    await world.client.patch(Shoots, gardenNamespace, "lost", { type: "merge", body: confirm });
    await world.client.delete(Shoots, gardenNamespace, "lost");
    await condition("lost", "ClusterProvisioned", "False/ShootMissing");
    await delay(300);
    expect(await world.shootOf("lost")).toBeUndefined();
    await world.remove("lost");
    await phase("lost", "gone");
  });

  test("that was changed by others is put right again, and keeps what is theirs", async () => {
    await world.create("drifting", named("drifting"));
    await phase("drifting", "Ready");
    const shoot = structuredClone(await world.client.get(Shoots, gardenNamespace, "drifting"));
    const [worker] = shoot.spec.provider.workers ?? [];
    if (worker) worker.maximum = 99;
    shoot.spec.extensions = [{ type: "shoot-dns-service" }];
    await world.client.update(Shoots, shoot);
    await expect.poll(async () => (await world.shootOf("drifting"))?.spec.provider.workers?.[0]?.maximum).toBe(5);
    expect((await world.shootOf("drifting"))?.spec.extensions).toEqual([{ type: "shoot-dns-service" }]);
  });

  test("of a suspended Cluster is not written to", async () => {
    await world.create("paused", named("paused"));
    await phase("paused", "Ready");
    await world.edit("paused", (cluster) => {
      cluster.metadata.annotations = { [annotations.suspend]: "true" };
      if (cluster.spec.infrastructure) cluster.spec.infrastructure.autoScalerMax = 8;
    });
    await condition("paused", "ShootUpToDate", "False/Suspended");
    await world.remove("paused");
    await condition("paused", "Deprovisioned", "False/Suspended");
    expect((await world.shootOf("paused"))?.spec.provider.workers?.[0]?.maximum).toBe(5);
    await world.edit("paused", (cluster) => {
      cluster.metadata.annotations = { [annotations.suspend]: "false" };
    });
    await phase("paused", "gone");
  });

  test("that Gardener has trouble with, is shown as it is: errors that pass", async () => {
    world.gardenlet.script("passing", { Create: recovering("Create", ["ERR_INFRA_RATE_LIMITS_EXCEEDED"], 40) });
    await world.create("passing", named("passing"));
    await condition("passing", "ClusterHealthy", "False/ERR_INFRA_RATE_LIMITS_EXCEEDED");
    expect(await world.phaseOf("passing")).toBe("Provisioning");
    await phase("passing", "Ready");
    expect((await world.get("passing"))?.status?.errorCodes).toBeUndefined();
  });

  test("that is made and not well is not ready before it was well once, and stays so when it is not any more", async () => {
    await world.gardenlet.condition("ailing", "EveryNodeReady", "False");
    await world.create("ailing", { ...named("ailing"), administrators: ["ailing@example.com"] });
    await condition("ailing", "ClusterProvisioned", "False/Unhealthy");
    const { status } = (await world.get("ailing")) ?? {};
    expect(status).toMatchObject({ phase: "Provisioning", lastOperation: { state: "Succeeded" } });
    expect(status?.provisioningCompletedAt).toBeUndefined();
    expect(await world.conditionOf("ailing", "AdministratorsConfigured")).toBe("False/WaitingForCluster");
    await world.gardenlet.condition("ailing", "EveryNodeReady", "Unknown");
    await condition("ailing", "ClusterProvisioned", "False/Provisioning");
    await world.gardenlet.condition("ailing", "EveryNodeReady", "True");
    await phase("ailing", "Ready");
    await condition("ailing", "AdministratorsConfigured", "True/Configured");
    await world.gardenlet.condition("ailing", "EveryNodeReady", "False");
    await condition("ailing", "ClusterHealthy", "False/Unhealthy");
    expect(await world.phaseOf("ailing")).toBe("Ready");
    expect(await world.conditionOf("ailing", "ClusterProvisioned")).toBe("True/Provisioned");
  });

  test("that Gardener gives up for good fails, says who must act, and goes on when the spec changes", async () => {
    world.gardenlet.script("refused", { Create: failing("Create", ["ERR_INFRA_UNAUTHORIZED"]) });
    await world.create("refused", named("refused"));
    await phase("refused", "Failed");
    expect((await world.get("refused"))?.status).toMatchObject({
      errorCodes: ["ERR_INFRA_UNAUTHORIZED"],
      userError: true,
    });
    expect(await world.conditionOf("refused", "ClusterProvisioned")).toBe("False/ERR_INFRA_UNAUTHORIZED");
    world.gardenlet.script("refused", {});
    await world.edit("refused", ({ spec }) => {
      if (spec.infrastructure) spec.infrastructure.autoScalerMax = 7;
    });
    await phase("refused", "Ready");
  });

  test("hibernated is ready, and gets its administrators when it wakes up", async () => {
    await world.create("sleeper", named("sleeper"));
    await phase("sleeper", "Ready");
    const sleep = (enabled: boolean) =>
      world.client.patch(Shoots, gardenNamespace, "sleeper", {
        type: "merge",
        body: { spec: { hibernation: { enabled } } },
      });
    await sleep(true);
    await condition("sleeper", "ClusterHealthy", "False/Hibernated");
    await world.edit("sleeper", ({ spec }) => {
      spec.administrators = ["a@example.com"];
    });
    await condition("sleeper", "AdministratorsConfigured", "False/Hibernated");
    expect(await world.phaseOf("sleeper")).toBe("Ready");
    await sleep(false);
    await condition("sleeper", "AdministratorsConfigured", "True/Configured");
    expect((await world.shootOf("sleeper"))?.spec.hibernation?.enabled).toBe(false);
  });

  test("that is stuck can be deleted", async () => {
    world.gardenlet.script("stuck", { Create: stuck });
    await world.create("stuck", named("stuck"));
    await phase("stuck", "Provisioning");
    await expect.poll(async () => (await world.get("stuck"))?.status?.progress).toBe(40);
    await world.remove("stuck");
    await phase("stuck", "gone");
  });

  test("whose deletion meets errors is waited for", async () => {
    world.gardenlet.script("clinging", { Delete: erring("Delete", ["ERR_CLEANUP_CLUSTER_RESOURCES"]) });
    await world.create("clinging", named("clinging"));
    await phase("clinging", "Ready");
    await world.remove("clinging");
    await condition("clinging", "Deprovisioned", "False/ERR_CLEANUP_CLUSTER_RESOURCES");
    expect(await world.phaseOf("clinging")).toBe("Deleting");
    world.gardenlet.script("clinging", { Delete: succeeding("Delete") });
    const body = { metadata: { annotations: { "gardener.cloud/operation": "reconcile" } } };
    await world.client.patch(Shoots, gardenNamespace, "clinging", { type: "merge", body });
    await phase("clinging", "gone");
  });

  test("is kept where its Cluster says so, without our marks", async () => {
    await world.create("kept", { ...named("kept"), oidcConfig, deletionPolicy: "Retain" });
    await phase("kept", "Ready");
    await world.remove("kept");
    await phase("kept", "gone");
    const shoot = await world.client.get(Shoots, gardenNamespace, "kept");
    expect(
      Object.keys({ ...shoot.metadata.annotations, ...shoot.metadata.labels }).filter((one) => one.includes("kyma")),
    ).toEqual([]);
    expect(await signInOf(world, "kept")).toBeDefined();
    expect(shoot.metadata.deletionTimestamp).toBeUndefined();
  });
});
