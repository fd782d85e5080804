import { type Client, type Clock, systemClock } from "@berg/kube";
import { KubeconfigRequests } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TargetUnavailable } from "../target/target.ts";
import { operatorAtWork } from "./testing/at-work.ts";
import { named, untilCondition, untilPhase } from "./testing/told.ts";
import { namespace, type RunningOperator, startWorld, type World } from "./testing/world.ts";

let world: World;
let operator: RunningOperator;
operatorAtWork((started) => ({ world, operator } = started));

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

describe("a target that is nobody's friend", () => {
  const byoc = { kubeconfigSecretRef: { name: "secret", key: "kubeconfig" } };
  let other: World;
  beforeAll(async () => {
    other = await startWorld();
  });
  afterAll(() => other?.[Symbol.asyncDispose]());

  test("and answers with nonsense is told of, and asked again until it makes sense", async () => {
    let listed: object = {};
    const client = { listAll: async () => listed } as unknown as Client;
    const target = { client, server: "https://target.test", certificateAuthority: "", connectWith: () => client };
    await using _ = await other.startOperator({ targets: { open: async () => target } });
    await other.create("odd", { byoc, administrators: ["z@example.com"] });
    await untilCondition(other, "odd", "AdministratorsConfigured", "False/TargetFailing");
    await other.edit("odd", ({ spec }) => {
      spec.administrators = [];
    });
    await other.remove("odd");
    await untilCondition(other, "odd", "Deprovisioned", "False/TargetFailing");
    listed = { items: [] };
    await untilPhase(other, "odd", "gone");
  });

  test("and keeps kubeconfigs for an hour is left with them, and it is told", async () => {
    const name = "keeper";
    await using _ = await other.startOperator({ clock: { ...systemClock, now: () => systemClock.now() + 3_700_000 } });
    await other.create(name, { byoc });
    await untilPhase(other, name, "Ready");
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
    const spec = { cluster: name, clusterRole: { rules }, expiration: 3600, output: "Secret" } as const;
    await other.client.create(KubeconfigRequests, { metadata: { name, namespace }, spec } as never);
    const body = { status: { phase: "Revoking", serviceAccount: "kyma-kubeconfig-access/kc-1" } };
    await other.client.patch(KubeconfigRequests, namespace, name, { type: "merge", body }, { subresource: "status" });
    await other.remove(name);
    await untilPhase(other, name, "gone");
    await expect.poll(() => other.eventsOf(name)).toContain("OrphanedAccessObjects");
  });

  test("and never answers is told of, and given up after an hour when its Cluster goes", async () => {
    let aheadMs = 0;
    const clock: Clock = {
      ...systemClock,
      now: () => systemClock.now() + aheadMs,
      // The 30 s that one visit may take.
      setTimer: (ms, fire) => systemClock.setTimer(ms === 30_000 ? 20 : ms, fire),
    };
    const open = (_: unknown, signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    await using _ = await other.startOperator({ targets: { open }, clock });
    await other.create("silent", { byoc, administrators: ["z@example.com"] });
    await untilCondition(other, "silent", "AdministratorsConfigured", "False/TargetUnreachable");
    await other.remove("silent");
    await untilCondition(other, "silent", "Deprovisioned", "False/TargetUnreachable");
    aheadMs = 2 * 3_600_000;
    await untilPhase(other, "silent", "gone");
    await expect.poll(() => other.eventsOf("silent")).toContain("OrphanedAccessObjects");
  });
});

describe("many clusters that were brought along, and are silent,", () => {
  let other: World;
  beforeAll(async () => {
    other = await startWorld();
  });
  afterAll(() => other?.[Symbol.asyncDispose]());

  test("keep nobody else waiting, and are all told of", async () => {
    const byoc = { kubeconfigSecretRef: { name: "secret", key: "kubeconfig" } };
    const names = Array.from({ length: 15 }, (_, at) => `mute-${at}`);
    const waiting = new Set<() => void>();
    let isOver = false;
    const silence = new TargetUnavailable("TargetUnreachable", "no answer", true);
    const check = () =>
      new Promise<never>((_, reject) => {
        const end = () => reject(silence);
        if (isOver) end();
        else waiting.add(end);
      });
    await using _ = await other.startOperator({ targets: { check } });
    for (const name of names) await other.create(name, { byoc });
    await expect.poll(() => waiting.size).toBeGreaterThan(1);
    await other.create("made", named("made"));
    await untilPhase(other, "made", "Ready");
    await other.remove("made");
    await untilPhase(other, "made", "gone");
    isOver = true;
    for (const end of waiting) end();
    for (const name of names) await untilCondition(other, name, "Reachable", "False/TargetUnreachable");
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
