/** Ways into real API servers: of a garden's Shoots, and of clusters that somebody brought along. */
import type { LookupAddress } from "node:dns";
import type { Stored } from "@berg/apimachinery";
import {
  type Client,
  createClient,
  createMetrics,
  type Logger,
  Manager,
  Namespaces,
  Secrets,
  ServiceAccounts,
  systemClock,
  unlimited,
} from "@berg/kube";
import type { Cluster } from "@berg/resources";
import {
  fillPool,
  type GardenTarget,
  missingControlPlane,
  sampleShoot,
  startGarden,
  type TestGarden,
} from "@berg/test";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type Garden, openGarden } from "../gardener/garden.ts";
import { type Shoot, type ShootStatus, Shoots } from "../gardener/kinds.ts";
import { annotations } from "../vocabulary.ts";
import { Targets } from "./access.ts";
import { TargetUnavailable } from "./target.ts";
import { base64, canary, kubeconfigText, type Parts, testCa } from "./testing/kubeconfigs.ts";

const never = new AbortController().signal;
const loopback = ["127.0.0.0/8"];

describe.skipIf(await missingControlPlane())("ways into targets", () => {
  let testGarden: TestGarden;
  let target: GardenTarget;
  let garden: Garden;
  let manager: Manager;
  let ownClient: Client;
  let gardenClient: Client;
  /** What is asked with it is none of the operators'. */
  let frontClient: Client;
  let run: Promise<void>;
  const stop = new AbortController();
  const logged: string[] = [];
  /** Every answer of adminkubeconfig, decoded. */
  const kubeconfigs: string[] = [];
  const open: Targets[] = [];

  beforeAll(async () => {
    testGarden = await startGarden({ targets: 1 });
    await fillPool(testGarden, [{ name: "account", provider: "aws", labels: {} }]);
    target = testGarden.targets[0] as GardenTarget;
    // The garden's own server keeps our Secrets as well: one server less.
    ownClient = createClient({ connection: testGarden.controlPlane.connection, rate: unlimited, log });
    gardenClient = spied(createClient({ connection: testGarden.connection, rate: unlimited, log }));
    frontClient = createClient({ connection: testGarden.connection, rate: unlimited });
    manager = new Manager({ component: "test", client: ownClient, log, metrics: await createMetrics() });
    garden = openGarden(manager, {
      client: gardenClient,
      namespace: testGarden.namespace,
      poolKind: "CredentialsBinding",
    });
    run = manager.run(stop.signal);
    await garden.shoots.synced();
  });
  afterEach(async () => {
    for (const targets of open.splice(0)) await targets[Symbol.asyncDispose]();
  });
  afterAll(async () => {
    stop.abort();
    await run;
    await gardenClient?.close();
    await frontClient?.close();
    await ownClient?.close();
    await testGarden?.stop();
  });

  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Logger = { debug: note, info: note, warn: note, error: note, child: () => log };

  function spied(client: Client): Client {
    const createSubresource: Client["createSubresource"] = async (...asked) => {
      const answer = (await client.createSubresource(...asked)) as { status: { kubeconfig: string } };
      kubeconfigs.push(Buffer.from(answer.status.kubeconfig, "base64").toString());
      // biome-ignore lint/suspicious/noExplicitAny: whatever the caller takes it for.
      return answer as any;
    };
    return new Proxy(client, {
      get: (of, name) => {
        if (name === "createSubresource") return createSubresource;
        const value = Reflect.get(of, name);
        return typeof value === "function" ? value.bind(of) : value;
      },
    });
  }

  function targets(options: { allowedCidrs?: string[]; resolve?: (name: string) => Promise<LookupAddress[]> } = {}) {
    const made = new Targets({ manager, garden, clock: systemClock, allowedCidrs: loopback, ...options });
    open.push(made);
    return made;
  }

  const asked = () => testGarden.requests.filter(({ path }) => path.endsWith("/adminkubeconfig")).length;

  async function refusedWith(opening: Promise<unknown>): Promise<TargetUnavailable> {
    const error = await opening.then(
      () => new Error("it was opened"),
      (error) => error,
    );
    expect(error).toBeInstanceOf(TargetUnavailable);
    return error;
  }

  let count = 0;
  async function shootCluster(status: ShootStatus = {}, spec: object = {}): Promise<Stored<Cluster>> {
    const name = `s${++count}`;
    const { namespace } = testGarden;
    const cluster = clusterWith({ spec: {} });
    const notes = { [annotations.clusterUid]: cluster.metadata.uid };
    const sample = sampleShoot(namespace, name) as unknown as Shoot;
    const shoot = await testGarden.client.create(Shoots, {
      metadata: { name, namespace, annotations: notes },
      spec: { ...sample.spec, ...spec },
    });
    await testGarden.publishCa(name, target);
    const external = { name: "external", url: target.server };
    const told = { advertisedAddresses: [{ name: "internal", url: "https://10.1.1.1" }, external], ...status };
    const body = { status: told };
    const patch = { type: "merge", body } as const;
    const { metadata } = await testGarden.client.patch(Shoots, namespace, name, patch, { subresource: "status" });
    const seen = () => garden.shoots.get(`${namespace}/${name}`)?.metadata.resourceVersion;
    await expect.poll(seen, { timeout: 20_000 }).toBe(metadata.resourceVersion);
    // Gardener hears of the CA a moment later.
    if (told.advertisedAddresses.length > 0) await vi.waitFor(() => adminKubeconfigOf(name), 10_000);
    return { ...cluster, status: { shootRef: { name, uid: shoot.metadata.uid } } };
  }

  function adminKubeconfigOf(name: string): Promise<unknown> {
    const body = {
      apiVersion: "authentication.gardener.cloud/v1alpha1",
      kind: "AdminKubeconfigRequest",
      spec: { expirationSeconds: 600 },
    };
    return frontClient.createSubresource(Shoots, testGarden.namespace, name, "adminkubeconfig", body);
  }

  function clusterWith(more: object): Stored<Cluster> {
    const metadata = { name: "c", namespace: "default", uid: `uid-${++count}`, resourceVersion: "1" };
    return { apiVersion: "operator.kyma-project.io/v1alpha1", kind: "Cluster", metadata, ...more } as never;
  }

  async function brought(kubeconfig: string): Promise<Stored<Cluster>> {
    const name = `brought-${++count}`;
    const metadata = { name, namespace: "default" };
    await ownClient.create(Secrets, { metadata, data: { config: base64(kubeconfig) } });
    return clusterWith({ spec: { byoc: { kubeconfigSecretRef: { name, key: "config" } } } });
  }

  /** Of the target, as it is, unless told otherwise. */
  function goodText({ cluster, ...parts }: Parts = {}): string {
    const { server, controlPlane } = target;
    const ca = { "certificate-authority-data": base64(target.serverCa), ...cluster };
    return kubeconfigText({ server, cluster: ca, user: { token: controlPlane.token }, ...parts });
  }

  describe("of a Shoot", () => {
    test("are its administrator's, at its external address, asked for once by all", async () => {
      const cluster = await shootCluster();
      const access = targets();
      const before = asked();
      const opened = await Promise.all(Array.from({ length: 20 }, () => access.open(cluster, never)));
      expect(asked() - before).toBe(1);
      expect(new Set(opened).size).toBe(1);
      const [first] = opened;
      expect(first?.server).toBe(target.server);
      expect(first?.certificateAuthority).toContain("BEGIN CERTIFICATE");
      expect((await first?.client.list(Namespaces))?.items.length).toBeGreaterThan(2);
      await access.open(cluster, never);
      expect(asked() - before).toBe(1);

      access.forget(cluster.metadata.uid);
      await access.open(cluster, never);
      expect(asked() - before).toBe(2);
    });

    test("are asked for anew when its address or its keys are others", async () => {
      const cluster = await shootCluster();
      const access = targets();
      await access.open(cluster, never);
      const before = asked();
      const { namespace } = testGarden;
      const name = cluster.status?.shootRef?.name as string;
      const rotation = { certificateAuthorities: { phase: "Prepared" } };
      const body = { status: { credentials: { rotation } } };
      await testGarden.client.patch(Shoots, namespace, name, { type: "merge", body }, { subresource: "status" });
      await expect
        .poll(() => garden.shoots.get(`${namespace}/${name}`)?.status?.credentials?.rotation)
        .toEqual(rotation);
      await access.open(cluster, never);
      expect(asked() - before).toBe(1);
    });

    test("are closed at the end", async () => {
      const access = targets();
      const { client } = await access.open(await shootCluster(), never);
      await access[Symbol.asyncDispose]();
      await expect(client.list(Namespaces)).rejects.toThrow("the client is closed");
    });

    test.each([
      { what: "that is hibernated", status: { hibernated: true }, reason: "Hibernated", says: "woken up" },
      {
        what: "that is to hibernate",
        spec: { hibernation: { enabled: true } },
        reason: "Hibernated",
        says: "woken up",
      },
      { what: "without an address", status: { advertisedAddresses: [] }, reason: "NotReady", says: "no address yet" },
    ])("$what cost no request, and wait for its change", async ({ status, spec, reason, says }) => {
      const cluster = await shootCluster(status, spec);
      const before = testGarden.requests.length;
      const refused = await refusedWith(targets().open(cluster, never));
      expect(refused).toMatchObject({ reason, again: false, message: expect.stringContaining(says) });
      expect(testGarden.requests.length).toBe(before);
    });

    test("that is not there, or another of its name, are none", async () => {
      const { status } = await shootCluster();
      const other = clusterWith({ spec: {}, status: { shootRef: { ...status?.shootRef, uid: "other" } } });
      expect(await refusedWith(targets().open(other, never))).toMatchObject({ reason: "ShootMissing", again: false });
      const fresh = clusterWith({ spec: {} });
      expect(await refusedWith(targets().open(fresh, never))).toMatchObject({ reason: "NotReady", again: false });
    });

    test("that Gardener does not give are told apart, and asked for again", async () => {
      const cluster = await shootCluster();
      const access = targets();
      testGarden.faults.forbiddenPercent = 100;
      expect(await refusedWith(access.open(cluster, never))).toMatchObject({
        reason: "GardenerForbidden",
        again: true,
      });
      testGarden.faults.forbiddenPercent = 0;
      const name = cluster.status?.shootRef?.name as string;
      testGarden.loseCa(name);
      expect(await refusedWith(access.open(cluster, never))).toMatchObject({ reason: "GardenerFailing", again: true });
      testGarden.loseCa(name, false);
      expect((await access.open(cluster, never)).server).toBe(target.server);
    });
  });

  describe("of a cluster that was brought along", () => {
    test("are what its Secret says now", async () => {
      const cluster = await brought(goodText());
      const access = targets();
      const first = await access.open(cluster, never);
      expect((await first.client.list(Namespaces)).items.length).toBeGreaterThan(2);
      expect(await access.open(cluster, never)).toBe(first);
      const name = cluster.spec.byoc?.kubeconfigSecretRef.name as string;
      const body = { data: { config: base64(goodText({ user: { token: "wrong" } })) } };
      await ownClient.patch(Secrets, "default", name, { type: "merge", body });
      const second = await access.open(cluster, never);
      await expect(second.client.list(Namespaces)).rejects.toThrow("Unauthorized");
      await ownClient.delete(Secrets, "default", name);
      const gone = await refusedWith(access.open(cluster, never));
      expect(gone).toMatchObject({ reason: "KubeconfigSecretMissing", again: false });
      expect(gone.message).toContain(`There is no Secret "${name}"`);
    });

    test("are checked: version, health, rights", async () => {
      const cluster = await brought(goodText());
      const { server } = target;
      const checked = await targets().check(cluster, never);
      const version = expect.stringMatching(/^v1\.\d+\.\d+/);
      const certificateAuthority = expect.stringContaining("BEGIN CERTIFICATE");
      expect(checked).toEqual({ server, certificateAuthority, version, expiresAt: undefined });
    });

    test("of no administrator are refused, and how long a token lasts is known", async () => {
      const client = createClient({ connection: target.connection, rate: unlimited });
      await client.create(ServiceAccounts, { metadata: { name: "nobody", namespace: "default" } });
      const asked = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } };
      type Token = { status: { token: string; expirationTimestamp: string } };
      const made = await client.createSubresource<Token>(ServiceAccounts, "default", "nobody", "token", asked);
      await client.close();
      const cluster = await brought(goodText({ user: { token: made.status.token } }));
      expect(await refusedWith(targets().check(cluster, never))).toMatchObject({ reason: "NotAdministrator" });
      const late = { ...systemClock, now: () => Date.parse(made.status.expirationTimestamp) + 1000 };
      const access = new Targets({ manager, garden, clock: late, allowedCidrs: loopback });
      open.push(access);
      expect(await refusedWith(access.open(cluster, never))).toMatchObject({
        reason: "CredentialsExpired",
        again: false,
      });
    });

    test.each([
      { what: "wrong credentials", parts: { user: { token: canary } }, reason: "TargetUnauthorized" },
      {
        what: "another CA",
        parts: { cluster: { "certificate-authority-data": base64(testCa) } },
        reason: "TargetUntrusted",
      },
      { what: "nobody there", parts: { server: "https://127.0.0.1:1" }, reason: "TargetUnreachable" },
      { what: "a name of nobody", parts: { server: "https://no.such.name.invalid" }, reason: "TargetUnreachable" },
    ])("with $what say so", async ({ parts, reason }) => {
      const refused = await refusedWith(targets().check(await brought(goodText(parts)), never));
      expect(refused).toMatchObject({ reason, again: true });
    });

    test("lead nowhere on this machine: by address, and by whatever a name stands for", async () => {
      const port = new URL(target.server).port;
      const refuse = async (server: string, resolve?: (name: string) => Promise<LookupAddress[]>) => {
        const access = targets({ allowedCidrs: [], ...(resolve && { resolve }) });
        return refusedWith(access.check(await brought(goodText({ server })), never));
      };
      const refused = { reason: "AddressRefused", again: false };
      expect(await refuse(target.server)).toMatchObject(refused);
      expect(await refuse(`https://0x7f000001:${port}`)).toMatchObject(refused);
      expect(await refuse(`https://localhost:${port}`)).toMatchObject(refused);
      const loopbackToo = [
        { address: "10.255.255.1", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ];
      expect(await refuse(`https://target.example:${port}`, async () => loopbackToo)).toMatchObject(refused);
      const mapped = [{ address: "::ffff:127.0.0.1", family: 6 }];
      expect(await refuse(`https://target.example:${port}`, async () => mapped)).toMatchObject(refused);
    });

    test("are looked at at every connection: a name that leads elsewhere later is refused then", async () => {
      const answers = [[{ address: "127.0.0.2", family: 4 }], [{ address: "127.0.0.1", family: 4 }]];
      let asked = 0;
      const resolve = async () => answers[Math.min(asked++, 1)] as LookupAddress[];
      const access = targets({ allowedCidrs: ["127.0.0.1/32"], resolve });
      // A name that its certificate has.
      const server = `https://kubernetes.default.svc:${new URL(target.server).port}`;
      const cluster = await brought(goodText({ server }));
      expect(await refusedWith(access.check(cluster, never))).toMatchObject({ reason: "AddressRefused" });
      expect((await access.check(cluster, never)).server).toBe(server);
      expect(asked).toBeGreaterThan(1);
    });

    test("cannot be had without the key, or with a kubeconfig that is hostile", async () => {
      const cluster = await brought(goodText({ user: { exec: { command: canary } } }));
      const refused = await refusedWith(targets().open(cluster, never));
      expect(refused).toMatchObject({ reason: "KubeconfigRefused", again: false });
      expect(refused.message).toContain('key "config", cannot be used: users[0].user.exec is not allowed');
      const name = cluster.spec.byoc?.kubeconfigSecretRef.name as string;
      const elsewhere = clusterWith({ spec: { byoc: { kubeconfigSecretRef: { name, key: "other" } } } });
      expect((await refusedWith(targets().open(elsewhere, never))).message).toContain('has no key "other"');
    });
  });

  test("nothing of an administrator's kubeconfig is in a log line or an error", async () => {
    const cluster = await shootCluster();
    const access = targets();
    // One of those who ask is turned away, and it is logged that it asks again.
    testGarden.faults.tooMany = 1;
    const { client } = await access.open(cluster, never);
    const errors: unknown[] = [await client.get(Namespaces, "", "nowhere").catch((error) => error)];
    await target.controlPlane.apiServer.kill();
    errors.push(await client.raw("/version").catch((error) => error));
    await target.controlPlane.apiServer.start();
    const secrets = kubeconfigs.flatMap((text) =>
      [...text.matchAll(/-data: (\S{100,})/g)].map(([, data]) => data ?? ""),
    );
    expect(secrets.length).toBeGreaterThan(2);
    const told = [...logged, ...errors.map((error) => `${(error as Error).stack} ${JSON.stringify(error)}`)].join("\n");
    expect(told).toContain("adminkubeconfig");
    for (const secret of secrets) {
      expect(told).not.toContain(secret.slice(40, 80));
      expect(told).not.toContain(Buffer.from(secret, "base64").toString().slice(60, 100));
    }
    for (const word of [canary, "gardener.cloud:admin", target.controlPlane.token]) expect(told).not.toContain(word);
  });
});
