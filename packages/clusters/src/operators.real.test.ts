/** All three operators in one process, on real API servers: ours, Gardener's and a target. */
import { isNotFound, type KubeObject } from "@berg/apimachinery";
import {
  type Client,
  ConfigMaps,
  createClient,
  createMetrics,
  Events,
  findCondition,
  type Logger,
  Manager,
  type Metrics,
  Namespaces,
  Secrets,
  systemClock,
  systemRandom,
  unlimited,
} from "@berg/kube";
import { Clusters, clusterResourceDefinitions, KubeconfigRequests, SubscriptionRequests } from "@berg/resources";
import {
  type ControlPlane,
  fillPool,
  type Gardenlet,
  type GardenTarget,
  missingControlPlane,
  plainPool,
  startControlPlane,
  startGarden,
  startGardenlet,
  type TestGarden,
} from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CustomResourceDefinitions, untilServed } from "../../../test/scenarios/crds.ts";
import { CredentialsBindings, Shoots } from "./gardener/kinds.ts";
import { addClusterOperators } from "./operators.ts";
import { readClusterSettings } from "./settings/settings.ts";
import { adminTraces } from "./target/testing/admin-traces.ts";
import { kubeconfigText, pairData } from "./target/testing/kubeconfigs.ts";

const patient = { timeout: 60_000, interval: 100 };

describe.skipIf(await missingControlPlane())("the cluster operators", () => {
  let home: ControlPlane;
  let garden: TestGarden;
  let gardenlet: Gardenlet;
  let client: Client;
  const logged: string[] = [];

  beforeAll(async () => {
    [home, garden] = await Promise.all([
      startControlPlane({ controllerManager: false, scheduler: false }),
      startGarden({ targets: 1 }),
    ]);
    client = createClient({ connection: home.connection, rate: unlimited });
    for (const definition of clusterResourceDefinitions()) {
      await client.create(CustomResourceDefinitions, definition);
      await untilServed(client, definition);
    }
    await fillPool(garden, plainPool("aws", 2));
    gardenlet = await startGardenlet(garden);
  });
  afterAll(async () => {
    await gardenlet?.[Symbol.asyncDispose]();
    await client?.close();
    await Promise.all([garden?.stop(), home?.stop()]);
  });

  async function startOperators() {
    const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
    const log: Logger = { debug: note, info: note, warn: note, error: note, child: () => log };
    const metrics = await createMetrics();
    const own = createClient({ connection: home.connection, rate: unlimited, log });
    const lease = createClient({ connection: home.connection, log });
    const election = { client: lease, namespace: "default" };
    const manager = new Manager({ component: "clusters", client: own, log, metrics, election });
    const settings = readClusterSettings({ GARDEN_PROJECT: garden.project, GARDEN_REQUESTS_PER_SECOND: "50" });
    const around = { garden: garden.connection, settings, metrics, clock: systemClock, random: systemRandom, log };
    const operators = addClusterOperators(manager, around);
    const stop = new AbortController();
    const run = manager.run(stop.signal);
    return {
      metrics,
      async [Symbol.asyncDispose]() {
        stop.abort();
        await run;
        await operators[Symbol.asyncDispose]();
        await Promise.all([own.close(), lease.close()]);
      },
    };
  }

  /** Every text in which something of an administrator's kubeconfig could have been left. */
  async function everything(target: GardenTarget, metrics: Metrics): Promise<string> {
    const inside = createClient({ connection: target.connection, rate: unlimited });
    const kinds = [Secrets, ConfigMaps, Events];
    const lists = await Promise.all([
      ...[...kinds, Clusters, SubscriptionRequests, KubeconfigRequests].map((kind) => client.list<KubeObject>(kind)),
      ...[...kinds, Shoots, CredentialsBindings].map((kind) => garden.client.list<KubeObject>(kind)),
      ...kinds.map((kind) => inside.list<KubeObject>(kind)),
    ]);
    await inside.close();
    return [...lists.map((list) => JSON.stringify(list)), ...logged, (await metrics.render()).body].join("\n");
  }

  test("would be found to keep an administrator's kubeconfig, wherever it was", () => {
    const kubeconfig = kubeconfigText({ user: pairData });
    const inSecret = Buffer.from(kubeconfig).toString("base64");
    for (const text of [kubeconfig, JSON.stringify({ data: { kubeconfig: inSecret } }), pairData["client-key-data"]]) {
      expect(adminTraces(text)).not.toEqual([]);
    }
  });

  test("begin without Gardener, say so, and go on when it comes", async () => {
    garden.faults.outage = true;
    await using _ = await startOperators();
    const spec = { provider: "aws", subscriptionSelector: "early" } as const;
    await client.create(SubscriptionRequests, { metadata: { name: "early", namespace: "default" }, spec });
    const get = () => client.get(SubscriptionRequests, "default", "early");
    const reason = async () => findCondition((await get()).status?.conditions, "PoolAvailable")?.reason;
    await expect.poll(reason, patient).toBe("GardenerFailing");
    garden.faults.outage = false;
    await expect.poll(async () => (await get()).status?.phase, patient).toBe("Bound");
    await client.delete(SubscriptionRequests, "default", "early");
    await expect.poll(() => get().catch(isNotFound), patient).toBe(true);
  });

  test("bring a cluster from its request to a kubeconfig, and back to an account that is free to be cleaned", async () => {
    await using running = await startOperators();
    const metadata = { name: "event", namespace: "default" };
    await client.create(Clusters, {
      metadata,
      spec: {
        core: { purpose: "Production", region: "eu-central-1" },
        infrastructure: {
          provider: "aws",
          machineType: "m5.2xlarge",
          autoScalerMin: 3,
          autoScalerMax: 5,
          numberOfZones: 3,
          subscriptionSelector: "globalaccount:abcd-0001",
        },
        administrators: ["jane@example.org"],
      },
    } as never);
    const cluster = () => client.get(Clusters, "default", "event");
    await expect.poll(async () => (await cluster()).status?.phase, patient).toBe("Ready");
    expect((await cluster()).status?.apiServerURL).toBe(garden.targets[0]?.server);

    await client.create(KubeconfigRequests, {
      metadata,
      spec: {
        cluster: "event",
        clusterRole: { rules: [{ apiGroups: [""], resources: ["namespaces"], verbs: ["list"] }] },
      },
    } as never);
    const request = () => client.get(KubeconfigRequests, "default", "event");
    await expect.poll(async () => (await request()).status?.phase, patient).toBe("Issued");
    const name = (await request()).status?.secretRef?.name as string;
    const kubeconfig = Buffer.from(
      (await client.get(Secrets, "default", name)).data?.kubeconfig ?? "",
      "base64",
    ).toString();
    const token = /token: (\S+)/.exec(kubeconfig)?.[1] as string;
    const target = garden.targets[0] as GardenTarget;
    const connection = { ...target.connection, authorization: async () => `Bearer ${token}` };
    const narrow = createClient({ connection, rate: unlimited });
    expect((await narrow.list(Namespaces)).items.length).toBeGreaterThan(2);
    await expect(narrow.list(Secrets)).rejects.toThrow("forbidden");
    expect(adminTraces(await everything(target, running.metrics))).toEqual([]);

    await client.delete(Clusters, "default", "event");
    await expect.poll(async () => cluster().catch(isNotFound), patient).toBe(true);
    expect((await garden.client.list(Shoots, { namespace: garden.namespace })).items).toEqual([]);
    const accounts = (await garden.client.list(CredentialsBindings, { namespace: garden.namespace })).items;
    const claimed = accounts.filter(({ metadata }) => metadata.labels?.tenantName === "abcd-0001");
    expect(claimed.map(({ metadata }) => metadata.labels?.dirty)).toEqual(["true"]);
    await narrow.close();
    expect((await running.metrics.render()).body).toContain('controller_runtime_reconcile_total{controller="clusters"');
  });
});
