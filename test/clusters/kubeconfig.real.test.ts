/**
 * Kubeconfigs with all three operators at work. Of Gardener's clusters: what the Shoot does, they follow. Of one that was
 * brought along: where its Secret leads to.
 */
import {
  type Client,
  createClient,
  createMetrics,
  Events,
  kubeconfigFor,
  type Logger,
  Manager,
  Secrets,
  systemRandom,
  unlimited,
} from "@berg/kube";
import {
  type ClusterSpec,
  Clusters,
  clusterResourceDefinitions,
  type KubeconfigRequestSpec,
  KubeconfigRequests,
} from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Shoots } from "../../packages/clusters/src/gardener/kinds.ts";
import { JumpClock } from "../../packages/clusters/src/kubeconfig/testing/jump-clock.ts";
import { conditionOf } from "../../packages/clusters/src/kubeconfig/testing/stage.ts";
import { refusedInTime, tried } from "../../packages/clusters/src/kubeconfig/testing/tried.ts";
import { addClusterOperators } from "../../packages/clusters/src/operators.ts";
import { readClusterSettings } from "../../packages/clusters/src/settings/settings.ts";
import { annotations } from "../../packages/clusters/src/vocabulary.ts";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import { fillPool, plainPool } from "../gardener/accounts/accounts.ts";
import { startGarden, type TestGarden } from "../gardener/garden.ts";
import { type Gardenlet, startGardenlet } from "../gardener/gardenlet/gardenlet.ts";
import type { GardenTarget } from "../gardener/target.ts";
import { eventually } from "../runtime/eventually.ts";
import { CustomResourceDefinitions, untilServed } from "../scenarios/crds.ts";

const name = "one";
const spec = {
  core: { purpose: "Production", region: "eu-central-1", shootName: name },
  infrastructure: {
    provider: "aws",
    machineType: "m5.large",
    autoScalerMin: 1,
    autoScalerMax: 3,
    numberOfZones: 2,
    subscriptionSelector: "tenant",
    networking: { type: "calico", nodes: "10.250.0.0/16", pods: "100.96.0.0/11", services: "100.64.0.0/13" },
  },
} as unknown as ClusterSpec;
const podReader = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };

describe.skipIf(await missingControlPlane())("kubeconfigs with all operators at work", { timeout: 180_000 }, () => {
  const clock = new JumpClock();
  const undo = new AsyncDisposableStack();
  const logged: string[] = [];
  let home: Client;
  let garden: TestGarden;
  let gardenlet: Gardenlet;

  beforeAll(async () => {
    const server = undo.use(await startControlPlane({ controllerManager: false, scheduler: false }));
    garden = undo.use(await startGarden({ targets: 2 }));
    gardenlet = undo.use(await startGardenlet(garden));
    await fillPool(garden, plainPool("aws", 2));
    home = undo.adopt(createClient({ connection: server.connection, rate: unlimited }), (one) => one.close());
    for (const definition of clusterResourceDefinitions()) {
      await home.create(CustomResourceDefinitions, definition);
      await untilServed(home, definition);
    }
    const metrics = await createMetrics();
    const own = undo.adopt(createClient({ connection: server.connection, rate: unlimited }), (one) => one.close());
    const manager = new Manager({ component: "clusters", client: own, log, metrics });
    const settings = readClusterSettings({
      GARDEN_PROJECT: garden.project,
      ROTATION_GRACE: "1s",
      BYOC_ALLOW_CIDRS: "127.0.0.0/8",
    });
    const around = { settings, metrics, clock, random: systemRandom, log };
    undo.use(addClusterOperators(manager, { garden: garden.connection, ...around }));
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    undo.defer(async () => {
      stop.abort();
      await running;
    });
    await home.create(Clusters, { metadata: { name, namespace: "default" }, spec });
    await home.create(KubeconfigRequests, {
      metadata: { name, namespace: "default" },
      spec: { cluster: name, clusterRole: { rules: [podReader] } } as KubeconfigRequestSpec,
    });
  });
  afterAll(() => undo.disposeAsync());

  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Logger = { debug: note, info: note, warn: note, error: note, child: () => log };

  const request = (of = name) => home.get(KubeconfigRequests, "default", of);
  const epoch = async (of = name) => (await request(of)).status?.epoch ?? 0;
  const untilEpoch = (wanted: number, of = name) =>
    eventually(`epoch ${wanted} is there`, async () => (await epoch(of)) >= wanted, 90_000);
  const asked = () => garden.requests.filter(({ subresource }) => subresource === "adminkubeconfig").length;
  const published = async (of = name) => {
    const { data } = await home.get(Secrets, "default", `${of}-kubeconfig`);
    return Buffer.from(data?.kubeconfig ?? "", "base64").toString("utf8");
  };
  /** What changes over and over is put right ever more rarely: nobody waits for that here. */
  const rest = async () => clock.jump(5_000 * 2 ** ((await request()).status?.retiring?.length ?? 0));
  const operate = (operation: string) =>
    garden.client.patch(Shoots, garden.namespace, name, {
      type: "merge",
      body: { metadata: { annotations: { "gardener.cloud/operation": operation } } },
    });
  const untilShoot = (what: string, holds: (status: Record<string, unknown>) => unknown) =>
    eventually(
      `the Shoot is ${what}`,
      async () => holds(((await garden.client.get(Shoots, garden.namespace, name)).status ?? {}) as never),
      90_000,
    );
  const phaseOf = (status: Record<string, unknown>, of: string) =>
    (status as { credentials?: { rotation?: Record<string, { phase?: string }> } }).credentials?.rotation?.[of]?.phase;

  test("it waits for its Cluster, is issued, and then costs Gardener nothing", async () => {
    await untilEpoch(1);
    expect(await tried(await published())).toBe("works");
    await eventually("all is quiet", async () => (await home.get(Clusters, "default", name)).status?.phase === "Ready");
    const before = asked();
    await gardenlet.condition(name, "EveryNodeReady", "Progressing");
    await gardenlet.condition(name, "EveryNodeReady", "True");
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(asked()).toBe(before);
  });

  test("brought along, and its Secret leads elsewhere: what is revoked works where it was issued, and is cut off when it leads back", async () => {
    // The Shoot has the other one: nobody minds.
    const [second, first] = garden.targets as [GardenTarget, GardenTarget];
    const metadata = { name: "brought", namespace: "default" };
    const dataOf = ({ server, serverCa: ca, controlPlane: { token } }: GardenTarget) => ({
      kubeconfig: Buffer.from(kubeconfigFor({ name: "admin", server, ca, token })).toString("base64"),
    });
    const lead = (to: GardenTarget) =>
      home.patch(Secrets, "default", "brought", { type: "merge", body: { data: dataOf(to) } });
    const untilRevoked = (wanted: string) =>
      eventually(wanted, async () => conditionOf(await request("brought"), "Revoked") === wanted, 30_000);
    await home.create(Secrets, { metadata, data: dataOf(first) });
    const byoc = { kubeconfigSecretRef: { name: "brought", key: "kubeconfig" } };
    await home.create(Clusters, { metadata, spec: { byoc, administrators: [], deletionPolicy: "Retain" } });
    const access = { cluster: "brought", clusterRole: { rules: [podReader] } } as KubeconfigRequestSpec;
    await home.create(KubeconfigRequests, { metadata, spec: access });
    await untilEpoch(1, "brought");
    const before = await published("brought");
    expect([await tried(before), before.includes(first.server)]).toEqual(["works", true]);

    // Whatever has changed has its turn within the first minute of a process.
    clock.jump(60_000);
    await lead(second);
    await untilEpoch(2, "brought");
    const after = await published("brought");
    expect([await tried(after), after.includes(second.server)]).toEqual(["works", true]);

    const revoke = { metadata: { annotations: { [annotations.revoke]: "true" } } };
    await home.patch(KubeconfigRequests, "default", "brought", { type: "merge", body: revoke });
    await untilRevoked("False TargetChanged");
    await refusedInTime(after, "the one of the second");
    const { status } = await request("brought");
    expect(status?.phase).toBe("Revoking");
    expect(status?.conditions?.find(({ type }) => type === "Revoked")?.message).toContain(first.server);
    // Its server believed in it for 10 s, as the other did, and not so lately: it has looked again.
    expect(await tried(before)).toBe("works");

    await lead(first);
    await untilRevoked("True Revoked");
    await refusedInTime(before, "the one of the first");
  });

  test.each([
    ["rotate-serviceaccount-key", "serviceAccountKey"],
    ["rotate-ca", "certificateAuthorities"],
  ])("%s: a new one is there before the old keys are gone", async (operation, of) => {
    const before = await epoch();
    await rest();
    await operate(`${operation}-start`);
    await untilShoot("prepared", (status) => phaseOf(status, of) === "Prepared");
    await untilEpoch(before + 1);
    const prepared = await published();
    expect(await tried(prepared)).toBe("works");
    await rest();
    await operate(`${operation}-complete`);
    await untilShoot("done", (status) => phaseOf(status, of) === "Completed");
    expect(await tried(prepared)).toBe("works");
    await untilEpoch(before + 2);
    expect(await tried(await published())).toBe("works");
  });

  test("moved to another address, there is one with that address", async () => {
    const before = await epoch();
    await rest();
    await gardenlet.migrate(name);
    await untilEpoch(before + 1);
    const { status } = await garden.client.get(Shoots, garden.namespace, name);
    const text = await published();
    expect(text).toContain(status?.advertisedAddresses?.[0]?.url);
    expect(await tried(text)).toBe("works");
  });

  test("while it sleeps nothing is asked for; when it wakes, what was asked for is done", async () => {
    const sleep = (enabled: boolean) =>
      garden.client.patch(Shoots, garden.namespace, name, {
        type: "merge",
        body: { spec: { hibernation: { enabled } } },
      });
    await sleep(true);
    await untilShoot("asleep", ({ hibernated }) => hibernated === true);
    const [before, requests] = [await epoch(), asked()];
    const rotate = { metadata: { annotations: { "operator.kyma-project.io/rotate": "true" } } };
    await home.patch(KubeconfigRequests, "default", name, { type: "merge", body: rotate });
    const reachable = async () => (await request()).status?.conditions?.find(({ type }) => type === "TargetReachable");
    await eventually("it says so", async () => (await reachable())?.reason === "Hibernated");
    expect(asked()).toBe(requests);
    await sleep(false);
    await untilEpoch(before + 1);
    expect(await tried(await published())).toBe("works");
    const isAnnotated = async () => (await request()).metadata.annotations?.["operator.kyma-project.io/rotate"];
    await eventually("the annotation is gone", async () => (await isAnnotated()) === undefined, 90_000);
  });

  test("with the Cluster it is revoked first; then there is nothing to wait for", async () => {
    const text = await published();
    const other = {
      metadata: { name: "late", namespace: "default" },
      spec: { cluster: name, role: { namespace: "default", rules: [podReader] } },
    };
    await home.create(KubeconfigRequests, other as never);
    await eventually(
      "the other is issued",
      async () => (await home.get(KubeconfigRequests, "default", "late")).status?.phase === "Issued",
    );
    await home.delete(Clusters, "default", name);
    await eventually("it is revoked", async () => (await request()).status?.phase === "Revoked", 90_000);
    expect(await tried(text)).not.toBe("works");
    const isGone = (type: typeof Clusters | typeof KubeconfigRequests, each: string) => async () =>
      (await home.list(type as typeof Clusters, { namespace: "default" })).items.every(
        ({ metadata }) => metadata.name !== each,
      );
    await eventually("the Cluster is gone", isGone(Clusters, name), 120_000);
    await home.delete(KubeconfigRequests, "default", "late");
    await eventually("the request is gone", isGone(KubeconfigRequests, "late"), 10_000);
  });

  test("nothing of an administrator's or anybody's credentials was told", async () => {
    const events = (await home.list(Events, {})).items;
    const requests = (await home.list(KubeconfigRequests, {})).items;
    const told = [...logged, JSON.stringify(events), JSON.stringify(requests)].join("\n");
    expect(events.length).toBeGreaterThan(0);
    // Of PEM, of PEM in Base64, of a JWT.
    for (const secret of ["-----BEGIN", "LS0tLS1CRUdJTi", "eyJhbGciOi", "gardener.cloud:admin"])
      expect(told.includes(secret), secret).toBe(false);
  });
});
