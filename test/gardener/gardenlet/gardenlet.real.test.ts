import { isNotFound } from "@berg/apimachinery";
import { type Client, createClient, unlimited } from "@berg/kube";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { fillPool } from "../accounts/accounts.ts";
import { startGarden, type TestGarden } from "../garden.ts";
import { Shoots, type TestShoot } from "../kinds.ts";
import { onEachGarden } from "../on-each-garden.ts";
import { sampleShoot } from "../samples.ts";
import { failing, recovering, stuck, unscheduled } from "./course.ts";
import { type Gardenlet, startGardenlet } from "./gardenlet.ts";

const account = { name: "account", provider: "aws", labels: {} };

onEachGarden((gardener) => {
  let garden: TestGarden;
  let client: Client;
  let gardenlet: Gardenlet;
  beforeAll(async () => {
    garden = await startGarden({ gardener, targets: 1 });
    await fillPool(garden, [account]);
    client = garden.client;
    gardenlet = await startGardenlet(garden);
  });
  afterAll(async () => {
    await gardenlet?.stop();
    await garden?.stop();
  });

  const get = (name: string) => client.get(Shoots, garden.namespace, name);
  const merge = (name: string, body: object) => client.patch(Shoots, garden.namespace, name, { type: "merge", body });
  const annotate = (name: string, operation: string) =>
    merge(name, { metadata: { annotations: { "gardener.cloud/operation": operation } } });
  const until = (name: string, like: object) =>
    vi.waitFor(async () => expect(await get(name)).toMatchObject(like), { timeout: 30_000, interval: 50 });
  const state = (type: string, of: string) => ({ status: { lastOperation: { type, state: of } } });
  const create = (name: string) => client.create(Shoots, sampleShoot(garden.namespace, name));
  const remove = async (name: string) => {
    await merge(name, { metadata: { annotations: { "confirmation.gardener.cloud/deletion": "true" } } });
    await client.delete(Shoots, garden.namespace, name);
  };
  const gone = (name: string) => vi.waitFor(() => expect(get(name)).rejects.toSatisfy(isNotFound), 20_000);

  test("makes, changes and removes a cluster", async () => {
    await create("whole");
    await until("whole", state("Create", "Succeeded"));
    const made = await get("whole");
    expect(made.metadata.finalizers).toContain("gardener");
    await until("whole", { metadata: { labels: { "shoot.gardener.cloud/status": "healthy" } } });
    expect(made.status).toMatchObject({ observedGeneration: 1, technicalID: "shoot--berg--whole", hibernated: false });
    expect(made.status?.advertisedAddresses?.[0]).toEqual({ name: "external", url: garden.targets[0]?.server });
    expect(new Set(made.status?.conditions?.map(({ status }) => status))).toEqual(new Set(["True"]));

    await merge("whole", { spec: { purpose: "production" } });
    await until("whole", {
      status: { observedGeneration: 2, lastOperation: { type: "Reconcile", state: "Succeeded" } },
    });
    await annotate("whole", "reconcile");
    await vi.waitFor(
      async () => expect((await get("whole")).metadata.annotations?.["gardener.cloud/operation"]).toBe(undefined),
      20_000,
    );
    await until("whole", state("Reconcile", "Succeeded"));

    await remove("whole");
    await gone("whole");
  });

  test("fails, and goes on when it is told to try again", async () => {
    gardenlet.script("failed", { Create: failing("Create", ["ERR_INFRA_QUOTA_EXCEEDED"]) });
    await create("failed");
    await until("failed", {
      status: { lastErrors: [{ codes: ["ERR_INFRA_QUOTA_EXCEEDED"] }], lastOperation: { state: "Failed" } },
    });
    await until("failed", { metadata: { labels: { "shoot.gardener.cloud/status": "unhealthy" } } });
    gardenlet.script("failed", { Create: recovering("Create", ["ERR_INFRA_RATE_LIMITS_EXCEEDED"]) });
    await annotate("failed", "retry");
    await until("failed", state("Create", "Error"));
    await until("failed", state("Create", "Succeeded"));
    expect((await get("failed")).status?.lastErrors ?? []).toEqual([]);
  });

  test("gets stuck, finds no seed, and does not get rid of it", async () => {
    gardenlet.script("stuck", { Create: stuck });
    gardenlet.script("seedless", { Create: unscheduled });
    gardenlet.script("clingy", { Delete: failing("Delete", ["ERR_INFRA_DEPENDENCIES"]) });
    for (const name of ["stuck", "seedless", "clingy"]) await create(name);
    await until("stuck", { status: { lastOperation: { state: "Processing", progress: 40 } } });
    await until("seedless", { status: { lastOperation: { state: "Pending" } } });
    await until("clingy", state("Create", "Succeeded"));
    await remove("clingy");
    await until("clingy", state("Delete", "Failed"));
    gardenlet.script("clingy", {});
    await annotate("clingy", "retry");
    await gone("clingy");
    await remove("stuck");
    await gone("stuck");
  });

  test("tells of health as it changes", async () => {
    await create("flappy");
    await until("flappy", state("Create", "Succeeded"));
    for (const status of ["False", "Progressing", "True"] as const) {
      await gardenlet.condition("flappy", "EveryNodeReady", status);
      expect(conditionsOf(await get("flappy"))).toMatchObject({ EveryNodeReady: status, APIServerAvailable: "True" });
    }
  });

  function conditionsOf({ status }: TestShoot): Record<string, string> {
    return Object.fromEntries(status?.conditions?.map((condition) => [condition.type, condition.status]) ?? []);
  }
});

onEachGarden((gardener) => {
  let garden: TestGarden;
  let gardenlet: Gardenlet;
  beforeAll(async () => {
    garden = await startGarden({ gardener, targets: 1 });
    await fillPool(garden, [account]);
    gardenlet = await startGardenlet(garden);
    await garden.client.create(Shoots, sampleShoot(garden.namespace, "real"));
  });
  afterAll(async () => {
    await gardenlet?.stop();
    await garden?.stop();
  });

  const until = (like: object) =>
    vi.waitFor(async () => expect(await garden.client.get(Shoots, garden.namespace, "real")).toMatchObject(like), {
      timeout: 60_000,
      interval: 100,
    });
  const merge = (body: object) => garden.client.patch(Shoots, garden.namespace, "real", { type: "merge", body });
  const operate = (operation: string) =>
    merge({ metadata: { annotations: { "gardener.cloud/operation": operation } } });
  const reaches = async (token?: string) => {
    const target = gardenlet.targetOf("real");
    const connection = target?.connection;
    if (!connection) return false;
    const client = createClient({
      connection: token === undefined ? connection : { ...connection, authorization: async () => `Bearer ${token}` },
      rate: unlimited,
    });
    try {
      await client.raw("/api/v1/namespaces/default");
      return true;
    } catch (error) {
      return String(error);
    } finally {
      await client.close();
    }
  };

  test("puts it to sleep and wakes it", async () => {
    await until({ status: { lastOperation: { state: "Succeeded" } } });
    await merge({ spec: { hibernation: { enabled: true } } });
    await until({ status: { hibernated: true, lastOperation: { state: "Succeeded" } } });
    expect(gardenlet.targetOf("real")?.controlPlane.apiServer.pid).toBe(undefined);
    await merge({ spec: { hibernation: { enabled: false } } });
    await until({ status: { hibernated: false, lastOperation: { state: "Succeeded" } } });
    expect(await reaches()).toBe(true);
  });

  test("moves it to another address", async () => {
    const before = gardenlet.targetOf("real")?.server;
    await gardenlet.migrate("real");
    const { status } = await garden.client.get(Shoots, garden.namespace, "real");
    expect(status?.advertisedAddresses?.[0]?.url).not.toBe(before);
    expect(status?.lastOperation).toMatchObject({ type: "Restore", state: "Succeeded" });
    expect(await reaches()).toBe(true);
  });

  test("rotates its CAs", async () => {
    const target = gardenlet.targetOf("real");
    const before = target?.serverCa;
    await operate("rotate-ca-start");
    await until({ status: { credentials: { rotation: { certificateAuthorities: { phase: "Prepared" } } } } });
    expect(target?.serverCa.startsWith(before ?? "")).toBe(true);
    await operate("rotate-ca-complete");
    await until({ status: { credentials: { rotation: { certificateAuthorities: { phase: "Completed" } } } } });
    expect(target?.serverCa).not.toContain(before);
    expect(await reaches()).toBe(true);
  });

  test("rotates the key of its service accounts", async () => {
    const target = gardenlet.targetOf("real");
    const kubectl = (...args: string[]) =>
      target?.controlPlane.kubectl([...args, `--server=${target.server}`, "--insecure-skip-tls-verify"]) ?? "";
    await kubectl("create", "serviceaccount", "tool", "-n", "default");
    await kubectl(
      "create",
      "clusterrolebinding",
      "tool",
      "--clusterrole=cluster-admin",
      "--serviceaccount=default:tool",
    );
    const old = (await kubectl("create", "token", "tool", "-n", "default")).trim();
    expect(await reaches(old)).toBe(true);
    await operate("rotate-serviceaccount-key-start");
    await until({ status: { credentials: { rotation: { serviceAccountKey: { phase: "Prepared" } } } } });
    const next = (await kubectl("create", "token", "tool", "-n", "default")).trim();
    expect([await reaches(old), await reaches(next)]).toEqual([true, true]);
    await operate("rotate-serviceaccount-key-complete");
    await until({ status: { credentials: { rotation: { serviceAccountKey: { phase: "Completed" } } } } });
    expect(await reaches(old)).toContain("Unauthorized");
    expect(await reaches(next)).toBe(true);
  });
});
