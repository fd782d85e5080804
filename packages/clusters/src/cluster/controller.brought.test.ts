import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TargetUnavailable } from "../target/target.ts";
import { named, untilCondition, untilPhase } from "./testing/told.ts";
import { type RunningOperator, startWorld, type World } from "./testing/world.ts";

let world: World;
let operator: RunningOperator;

beforeAll(async () => {
  world = await startWorld();
  operator = await world.startOperator();
});

afterAll(async () => {
  await operator?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const phase = (name: string, wanted: string) => untilPhase(world, name, wanted);
const condition = (name: string, type: string, wanted: string) => untilCondition(world, name, type, wanted);

describe("a cluster that was brought along", () => {
  const byoc = { kubeconfigSecretRef: { name: "secret", key: "kubeconfig" } };

  test("is ready when it is reached, gets its administrators, and loses them with its Cluster", async () => {
    const { metadata } = await world.create("brought", { byoc, administrators: ["z@example.com"] });
    await phase("brought", "Ready");
    await condition("brought", "ClusterProvisioned", "True/ExternallyProvided");
    await condition("brought", "AdministratorsConfigured", "True/Configured");
    expect((await world.get("brought"))?.status?.apiServerURL).toBe("https://target.test");
    expect(await world.administratorsOf(metadata.uid)).toEqual(["z@example.com"]);
    expect(operator.calls.filter(({ server, name }) => server === "garden" && name.includes("brought"))).toEqual([]);
    await world.remove("brought");
    await phase("brought", "gone");
    expect(await world.administratorsOf(metadata.uid)).toEqual([]);
  });
});

describe("an operator whose targets cannot be reached", () => {
  let other: World;
  beforeAll(async () => {
    other = await startWorld();
  });
  afterAll(() => other?.[Symbol.asyncDispose]());

  test("says so, changes no phase, and goes when a cluster that was brought along is deleted", async () => {
    const unavailable = new TargetUnavailable(
      "KubeconfigInvalid",
      "The Secret holds no kubeconfig: put one there",
      false,
    );
    const targets = { open: () => Promise.reject(unavailable), check: () => Promise.reject(unavailable) };
    await using _ = await other.startOperator({ targets });
    await other.create("made", { ...named("made"), administrators: ["z@example.com"] });
    await expect.poll(() => other.conditionOf("made", "AdministratorsConfigured")).toBe("False/KubeconfigInvalid");
    expect(await other.phaseOf("made")).toBe("Ready");
    const byoc = { kubeconfigSecretRef: { name: "secret", key: "kubeconfig" } };
    await other.create("away", { byoc, administrators: ["z@example.com"] });
    await expect.poll(() => other.conditionOf("away", "Reachable")).toBe("False/KubeconfigInvalid");
    expect(await other.phaseOf("away")).toBe("Failed");
    await other.remove("away");
    await expect.poll(() => other.phaseOf("away")).toBe("gone");
    await expect.poll(() => other.eventsOf("away")).toContain("OrphanedAccessObjects");
  });
});
