/** Kubeconfigs of Gardener's clusters, with all three operators at work: what the Shoot does, they follow. */
import { isUnauthorized } from "@berg/apimachinery";
import {
  type Client,
  createClient,
  createMetrics,
  Events,
  type Logger,
  Manager,
  Pods,
  Secrets,
  systemClock,
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
import { clientOf } from "../../packages/clusters/src/kubeconfig/testing/place.ts";
import { addClusterOperators } from "../../packages/clusters/src/operators.ts";
import { readClusterSettings } from "../../packages/clusters/src/settings/settings.ts";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import { fillPool, plainPool } from "../gardener/accounts/accounts.ts";
import { startGarden, type TestGarden } from "../gardener/garden.ts";
import { type Gardenlet, startGardenlet } from "../gardener/gardenlet/gardenlet.ts";
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

describe.skipIf(await missingControlPlane())("kubeconfigs of Gardener's clusters", { timeout: 180_000 }, () => {
  const undo = new AsyncDisposableStack();
  const logged: string[] = [];
  let home: Client;
  let garden: TestGarden;
  let gardenlet: Gardenlet;

  beforeAll(async () => {
    const server = undo.use(await startControlPlane({ controllerManager: false, scheduler: false }));
    garden = undo.use(await startGarden({ targets: 1 }));
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
    const settings = readClusterSettings({ GARDEN_PROJECT: garden.project, ROTATION_GRACE: "1s" });
    const around = { settings, metrics, clock: systemClock, random: systemRandom, log };
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

  const request = () => home.get(KubeconfigRequests, "default", name);
  const epoch = async () => (await request()).status?.epoch ?? 0;
  const untilEpoch = (wanted: number) =>
    eventually(`epoch ${wanted} is there`, async () => (await epoch()) >= wanted, 90_000);
  const asked = () => garden.requests.filter(({ subresource }) => subresource === "adminkubeconfig").length;
  const published = async () => {
    const { data } = await home.get(Secrets, "default", `${name}-kubeconfig`);
    return Buffer.from(data?.kubeconfig ?? "", "base64").toString("utf8");
  };
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

  async function tried(kubeconfig: string): Promise<string> {
    const client = await clientOf(kubeconfig);
    try {
      await client.list(Pods);
      return "works";
    } catch (error) {
      return isUnauthorized(error) ? "unknown" : String(error);
    } finally {
      await client.close();
    }
  }

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

  test.each([
    ["rotate-serviceaccount-key", "serviceAccountKey"],
    ["rotate-ca", "certificateAuthorities"],
  ])("%s: a new one is there before the old keys are gone", async (operation, of) => {
    const before = await epoch();
    await operate(`${operation}-start`);
    await untilShoot("prepared", (status) => phaseOf(status, of) === "Prepared");
    await untilEpoch(before + 1);
    const prepared = await published();
    expect(await tried(prepared)).toBe("works");
    await operate(`${operation}-complete`);
    await untilShoot("done", (status) => phaseOf(status, of) === "Completed");
    expect(await tried(prepared)).toBe("works");
    await untilEpoch(before + 2);
    expect(await tried(await published())).toBe("works");
  });

  test("moved to another address, there is one with that address", async () => {
    const before = await epoch();
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
