import { type Clock, systemClock } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { KubeconfigRequests, SubscriptionRequests } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { failing, stuck, unscheduled } from "../../../../test/gardener/gardenlet/course.ts";
import { Shoots } from "../gardener/kinds.ts";
import { annotations } from "../vocabulary.ts";
import { operatorAtWork } from "./testing/at-work.ts";
import type { Call } from "./testing/heard-client.ts";
import { named, oidcConfig, signInOf, untilCondition, untilPhase } from "./testing/told.ts";
import { gardenNamespace, namespace, startWorld, type World } from "./testing/world.ts";

let world: World;
operatorAtWork((started) => ({ world } = started));

describe("a Cluster is deleted, with all that was made for it,", () => {
  const phases: { phase: string; reach(name: string): void }[] = [
    { phase: "Pending", reach: () => (world.givesAccounts = false) },
    { phase: "Provisioning", reach: (name) => world.gardenlet.script(name, { Create: stuck }) },
    { phase: "Provisioning", reach: (name) => world.gardenlet.script(name, { Create: unscheduled }) },
    {
      phase: "Failed",
      reach: (name) => world.gardenlet.script(name, { Create: failing("Create", ["ERR_CONFIGURATION_PROBLEM"]) }),
    },
    { phase: "Ready", reach: () => {} },
  ];
  test.each(phases.map((each, at) => ({ ...each, name: `end-${at}` })))(
    "when it is $phase ($name)",
    async ({ name, phase, reach }) => {
      reach(name);
      try {
        await world.create(name, { ...named(name), oidcConfig });
        await untilPhase(world, name, phase);
        await world.remove(name);
        await untilPhase(world, name, "gone");
      } finally {
        world.givesAccounts = true;
      }
      await expect(world.client.get(Shoots, gardenNamespace, name)).rejects.toThrow("not found");
      await expect(world.client.get(SubscriptionRequests, namespace, name)).rejects.toThrow("not found");
      expect(await signInOf(world, name)).toBeUndefined();
    },
  );

  test("at once after it was created, whatever of it is there by then", async () => {
    const names = Array.from({ length: 8 }, (_, at) => `brief-${at}`);
    await Promise.all(
      names.map(async (name, at) => {
        await world.create(name, { ...named(name), oidcConfig, administrators: [`${name}@example.com`] });
        await new Promise((resolve) => setTimeout(resolve, at * 40));
        await world.remove(name);
      }),
    );
    for (const name of names) await untilPhase(world, name, "gone");
    const { items } = await world.client.list(Shoots, { namespace: gardenNamespace });
    expect(items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith("brief"))).toEqual([]);
  });
});

test("a Cluster is deleted, too, by an operator that may not look at CloudProfiles", async () => {
  await using other = await startWorld();
  const names = ["blind", "blind-waiting"];
  {
    await using _ = await other.startOperator();
    await other.create("blind", { ...named("blind"), oidcConfig });
    await untilPhase(other, "blind", "Ready");
    other.givesAccounts = false;
    await other.create("blind-waiting", named("blind-waiting"));
    await untilPhase(other, "blind-waiting", "Pending");
  }
  let seesShoots = false;
  const refuse = ({ what }: Call) => {
    const [verb, kind] = what.split(" ");
    const isCopied = verb === "watch" || verb === "listAll";
    if (isCopied && (kind === "cloudprofiles" || (kind === "shoots" && !seesShoots))) throw refusal(403);
  };
  const clock: Clock = {
    ...systemClock,
    // The 30 s that copies of another server are waited for at the start.
    setTimer: (ms, fire) => systemClock.setTimer(ms === 30_000 ? 200 : ms, fire),
  };
  await using _ = await other.startOperator({ listener: { before: refuse }, clock });
  for (const name of names) await other.remove(name);
  for (const name of names) await untilCondition(other, name, "Deprovisioned", "Unknown/GardenerForbidden");
  seesShoots = true;
  for (const name of names) await untilPhase(other, name, "gone");
  await other.create("unknown", named("unknown"));
  await untilCondition(other, "unknown", "ShootCreated", "Unknown/GardenerForbidden");
});

const byoc = { kubeconfigSecretRef: { name: "secret", key: "kubeconfig" } };

test.each([
  { name: "open", spec: named("open") },
  { name: "open-kept", spec: { ...named("open-kept"), deletionPolicy: "Retain" as const } },
  { name: "open-brought", spec: { byoc } },
])("kubeconfigs of a cluster are revoked before it goes ($name)", async ({ name, spec: asked }) => {
  await world.create(name, asked);
  await untilPhase(world, name, "Ready");
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const spec = { cluster: name, clusterRole: { rules }, expiration: 3600, output: "Secret" } as const;
  await world.client.create(KubeconfigRequests, { metadata: { name, namespace }, spec } as never);
  const say = (status: object) =>
    world.client.patch(
      KubeconfigRequests,
      namespace,
      name,
      { type: "merge", body: { status } },
      { subresource: "status" },
    );
  // Nothing is issued yet, or not any more; but its account may be there.
  await say({ phase: "Pending", serviceAccount: "kyma-kubeconfig-access/kc-1" });
  await world.remove(name);
  await untilCondition(world, name, "Deprovisioned", "False/RevokingKubeconfigs");
  expect((await world.get(name))?.metadata.annotations?.[annotations.revokeAll]).toBe("true");
  if (!("byoc" in asked)) {
    const { metadata } = (await world.shootOf(name)) ?? {};
    expect(metadata?.deletionTimestamp).toBeUndefined();
    expect(metadata?.annotations?.[annotations.clusterUid]).toBeDefined();
  }
  await say({ phase: "Revoked", serviceAccount: null });
  await untilPhase(world, name, "gone");
});
