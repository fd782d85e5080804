/** Clusters with real API servers at each end; the Shoots are played by a gardenlet of ours. */
import { setTimeout as delay } from "node:timers/promises";
import { ConfigMaps, createClient, unlimited } from "@berg/kube";
import { Clusters, SubscriptionRequests } from "@berg/resources";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ClusterRoleBinding,
  ClusterRoleBindings,
} from "../../packages/clusters/src/cluster/administrators/plan.ts";
import { CredentialsBindings, Shoots } from "../../packages/clusters/src/gardener/kinds.ts";
import { onEachGarden } from "../gardener/on-each-garden.ts";
import type { GardenTarget } from "../gardener/target.ts";
import { type ClusterPlace, isGone, patient, resyncMs, startClusterPlace } from "./cluster-place.ts";

async function administratorsOf({ connection }: GardenTarget): Promise<string[]> {
  const inside = createClient({ connection, rate: unlimited });
  try {
    const labelSelector = "app.kubernetes.io/managed-by=berg-clusters";
    const { items } = await inside.list<ClusterRoleBinding>(ClusterRoleBindings, { labelSelector });
    return items.flatMap(({ subjects = [] }) => subjects.map(({ name }) => name)).sort();
  } finally {
    await inside.close();
  }
}

onEachGarden((gardener) => {
  let place: ClusterPlace;
  let operators: AsyncDisposable;

  beforeAll(async () => {
    place = await startClusterPlace({ gardener, targets: 1 });
    operators = await place.startOperators();
  });
  afterAll(async () => {
    await operators?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
  });

  test("a cluster lives: account, Shoot, sign-in, administrators, changes, sleep, end", async () => {
    const { client, garden, gardenlet } = place;
    const oidcConfig = { issuerURL: "https://issuer.example.com", clientID: "kyma", usernameClaim: "sub" };
    await place.create("life", { oidcConfig, administrators: ["a@example.com", "b@example.com"] });
    await place.untilPhase("life", "Ready");
    await place.untilCondition("life", "AdministratorsConfigured", "True/Configured");
    const target = gardenlet.targetOf("life") as GardenTarget;
    expect(await administratorsOf(target)).toEqual(["a@example.com", "b@example.com"]);
    const { status } = await place.get("life");
    expect(status?.apiServerURL).toBe(target.server);
    const request = await client.get(SubscriptionRequests, "default", "life");
    const account = request.status?.binding?.name ?? "";
    const shoot = await garden.client.get(Shoots, garden.namespace, "life");
    expect(shoot.spec.credentialsBindingName).toBe(account);

    await place.edit("life", ({ spec }) => {
      spec.administrators = ["b@example.com"];
      if (spec.infrastructure) Object.assign(spec.infrastructure, { numberOfZones: 3, autoScalerMax: 6 });
      if (spec.oidcConfig) spec.oidcConfig.clientID = "another";
    });
    await expect.poll(() => administratorsOf(target), patient).toEqual(["b@example.com"]);
    const worker = async () => (await garden.client.get(Shoots, garden.namespace, "life")).spec.provider.workers?.[0];
    await expect.poll(async () => (await worker())?.zones?.length, patient).toBe(3);
    expect((await worker())?.maximum).toBe(6);
    const map = await garden.client.get(ConfigMaps, garden.namespace, "life-authentication");
    expect(map.data?.["config.yaml"]).toContain("another");
    await place.untilPhase("life", "Ready");

    const sleep = (enabled: boolean) =>
      garden.client.patch(Shoots, garden.namespace, "life", {
        type: "merge",
        body: { spec: { hibernation: { enabled } } },
      });
    await sleep(true);
    await place.untilCondition("life", "ClusterHealthy", "False/Hibernated");
    await place.edit("life", ({ spec }) => {
      spec.administrators = ["c@example.com"];
    });
    await place.untilCondition("life", "AdministratorsConfigured", "False/Hibernated");
    await sleep(false);
    await place.untilCondition("life", "AdministratorsConfigured", "True/Configured");
    expect(await administratorsOf(target)).toEqual(["c@example.com"]);

    await client.delete(Clusters, "default", "life");
    await expect.poll(() => isGone(place.get("life")), patient).toBe(true);
    expect(await isGone(garden.client.get(Shoots, garden.namespace, "life"))).toBe(true);
    expect(await isGone(garden.client.get(ConfigMaps, garden.namespace, "life-authentication"))).toBe(true);
    expect(await isGone(client.get(SubscriptionRequests, "default", "life"))).toBe(true);
    const binding = await garden.client.get(CredentialsBindings, garden.namespace, account);
    expect(binding.metadata.labels).toMatchObject({ dirty: "true" });
  });

  test.each([
    { provider: "azure", region: "westeurope", machineType: "Standard_D2s_v5" },
    { provider: "gcp", region: "europe-west3", machineType: "n2-standard-2" },
  ] as const)(
    "Gardener takes the Shoot of $provider, and a change of it",
    async ({ provider, region, machineType }) => {
      const core = { purpose: "development", region, shootName: provider };
      await place.create(provider, { core }, { provider, machineType });
      await place.untilPhase(provider, "Ready");
      await place.edit(provider, ({ spec }) => {
        if (spec.infrastructure) Object.assign(spec.infrastructure, { numberOfZones: 3 });
      });
      await expect.poll(async () => (await place.get(provider)).status?.zones?.length, patient).toBe(3);
      await place.untilCondition(provider, "ShootUpToDate", "True/UpToDate");
    },
  );

  test("a garden with bad days makes it in the end, and is not overrun", async () => {
    const { garden } = place;
    const before = garden.requests.length;
    // Each refusal doubles the wait: where more than half are refused, one run in thirty takes minutes.
    garden.faults.forbiddenPercent = 40;
    await place.create("flaky");
    await place.untilPhase("flaky", "Ready");
    garden.faults.forbiddenPercent = 0;
    garden.faults.tooMany = 2;
    garden.faults.broken = 2;
    await place.edit("flaky", ({ spec }) => {
      if (spec.infrastructure) spec.infrastructure.autoScalerMax = 7;
    });
    await place.untilCondition("flaky", "ShootUpToDate", "True/UpToDate");
    garden.faults.tooMany = 0;
    garden.faults.broken = 0;
    expect(garden.requests.length - before).toBeLessThan(200);
  });

  test("a garden that is away is told, and the cluster is made when it is back", async () => {
    const { garden } = place;
    garden.faults.outage = true;
    await place.create("early");
    await place.untilCondition("early", "SubscriptionReady", "False/GardenerFailing");
    garden.faults.outage = false;
    await place.untilPhase("early", "Ready");
    garden.faults.outage = true;
    await place.client.delete(Clusters, "default", "early");
    await place.untilCondition("early", "Deprovisioned", "False/GardenerFailing");
    garden.faults.outage = false;
    await expect.poll(() => isGone(place.get("early")), patient).toBe(true);
  });

  test("a garden that takes its time is asked for each thing once", async () => {
    const { garden, client } = place;
    const before = garden.requests.length;
    const accounts = async () => {
      const selection = { namespace: garden.namespace, labelSelector: "tenantName=slow" };
      return (await garden.client.list(CredentialsBindings, selection)).items.length;
    };
    // Longer than a resync: the cluster is due again while a request is under way.
    garden.faults.delayMs = 3 * resyncMs;
    try {
      await place.create("slow", { administrators: ["slow@example.com"] });
      await place.untilPhase("slow", "Ready");
      await place.untilCondition("slow", "AdministratorsConfigured", "True/Configured");
      expect(await accounts()).toBe(1);
      await client.delete(Clusters, "default", "slow");
      await expect.poll(() => isGone(place.get("slow")), patient).toBe(true);
    } finally {
      garden.faults.delayMs = 0;
    }
    const isOfShoot = ({ resource, subresource }: { resource: string; subresource: string }) =>
      resource === "shoots" && subresource === "";
    const verbs = garden.requests
      .slice(before)
      .filter(isOfShoot)
      .map(({ verb }) => verb);
    expect(verbs.filter((verb) => verb === "create" || verb === "delete")).toEqual(["create", "delete"]);
  });

  test("clusters that are settled ask Gardener nothing, however often they are looked at", async () => {
    const { garden } = place;
    await place.create("still", { administrators: ["a@example.com"] });
    await place.untilCondition("still", "AdministratorsConfigured", "True/Configured");
    await delay(2_000);
    const asked = () => garden.requests.filter(({ verb }) => verb !== "watch");
    const before = asked();
    const { resourceVersion } = (await place.get("still")).metadata;
    await delay(4 * resyncMs);
    expect(asked().slice(before.length)).toEqual([]);
    expect((await place.get("still")).metadata.resourceVersion).toBe(resourceVersion);
  });
});
