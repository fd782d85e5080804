/** The node on a real API server (the embedded one) and an engine in memory: orders of events, faults, restarts. */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Client,
  ConfigMaps,
  createClient,
  Events,
  Namespaces,
  Nodes,
  type Pod,
  Pods,
  unlimited,
} from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { EngineError } from "@berg/local-engine";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Container, PodSpec } from "../containers/shapes.ts";
import { pauseImage } from "../images/pause.ts";
import { FakeEngine } from "../pods/testing/fake-engine.ts";
import { type ContainerNode, startContainerNode } from "./container-node.ts";

const soon = { timeout: 10_000, interval: 20 };
const world = new AsyncDisposableStack();
let client: Client;
let fake: FakeEngine;
let dataDir: string;
let node: ContainerNode;
let namespace: string;
let network: string[];
let count = 0;

beforeAll(async () => {
  const { apiServer } = world.use(await startLocalControlPlane({ dataDir: ":memory:", scheduler: false }));
  client = createClient({ connection: apiServer.connection, rate: unlimited });
  world.defer(() => client.close());
});
afterAll(() => world.disposeAsync());

beforeEach(async () => {
  namespace = `test-${++count}`;
  network = [];
  await client.create(Namespaces, { metadata: { name: namespace } });
  dataDir = await mkdtemp(join(tmpdir(), "berg-node-"));
  fake = new FakeEngine();
  fake.addImage("web:1");
  fake.addImage("docker.io/library/web:1");
  fake.expectLoad(pauseImage("x86_64").name);
  node = await startNode();
});
afterEach(async () => {
  await node.stop({ removeContainers: true });
  await client.deleteCollection(Pods, { namespace, gracePeriodSeconds: 0 });
  await rm(dataDir, { recursive: true });
});

const startNode = (capabilities = ["NET_ADMIN"]) =>
  startContainerNode({
    ...{ engine: fake.engine, client, dataDir, name: `node-${count}`, capabilities },
    networks: {
      attach: async (name) => ({ network: name, resolvConf: "nameserver 10.96.0.10\n" }),
      podStarted: (pod, ip) => void network.push(`started ${pod.metadata.name} ${ip}`),
      podGone: (uid) => void network.push(`gone ${uid.length > 0}`),
      removeUnused: async () => void network.push("remove unused"),
    },
  });

async function create(name: string, container: Partial<Container> = {}, spec: Partial<PodSpec> = {}): Promise<void> {
  const containers = [{ name: "c", image: "web:1", imagePullPolicy: "IfNotPresent", ...container }];
  const common = { nodeName: `node-${count}`, automountServiceAccountToken: false, terminationGracePeriodSeconds: 3 };
  await client.create(Pods, { metadata: { namespace, name }, spec: { ...common, containers, ...spec } });
}

const get = (name: string): Promise<Pod> => client.get(Pods, namespace, name);

/** `Running | c running 0`, once it is so. */
async function becomes(name: string, want: string): Promise<void> {
  await vi.waitFor(async () => {
    const { status } = await get(name);
    const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    const shown = containers.map(({ name: container, state, restartCount }) => {
      const [kind, value] = Object.entries(state ?? {})[0] ?? ["-", {}];
      const reason = (value as { reason?: string }).reason;
      return `${container} ${reason ?? kind} ${restartCount}`;
    });
    expect([status?.phase, ...shown].join(" | ")).toBe(want);
  }, soon);
}

async function isReady(name: string, want: boolean, why?: string): Promise<void> {
  await vi.waitFor(async () => {
    const ready = (await get(name)).status?.conditions?.find(({ type }) => type === "Ready");
    expect(ready?.status).toBe(want ? "True" : "False");
    if (why) expect(ready?.message).toContain(why);
  }, soon);
}

async function tells(...wanted: string[]): Promise<void> {
  await vi.waitFor(async () => {
    const { items } = await client.list(Events, { namespace });
    const told = items.map(({ reason, message }) => `${reason}: ${message}`);
    for (const want of wanted) expect(told).toContainEqual(expect.stringContaining(want));
  }, soon);
}

async function goes(name: string): Promise<void> {
  await vi.waitFor(() => expect(get(name)).rejects.toThrow("not found"), soon);
}

describe("a pod", () => {
  test("gets a network, then its container, and is told of as kubelet does", async () => {
    await create("web");
    await becomes("web", "Running | c running 0");
    await isReady("web", true);
    expect(fake.names).toEqual(["web/c/0 running", "web/pause/0 running"]);
    expect(fake.calls.filter((call) => !call.startsWith("load"))).toEqual([
      ...["create web/pause/0", "start web/pause/0", "create web/c/0", "start web/c/0"],
    ]);
    const { status } = await get("web");
    expect(status?.podIP).toMatch(/^10\.202\.0\.\d+$/);
    expect(network).toContain(`started web ${status?.podIP}`);
    await tells(
      'Pulled: Container image "web:1" already present',
      "Created: Container created",
      "Started: Container started",
    );
    const { items } = await client.list(Events, { namespace });
    const created = items.find(({ reason }) => reason === "Created");
    expect(created).toMatchObject({
      involvedObject: { kind: "Pod", name: "web", fieldPath: "spec.containers{c}" },
      source: { component: "kubelet", host: `node-${count}` },
    });
  });

  test("that is deleted ends within its grace, and nothing is left of it", async () => {
    await create("web");
    await becomes("web", "Running | c running 0");
    await client.delete(Pods, namespace, "web");
    await goes("web");
    expect(fake.calls).toContain("stop web/c/0 3");
    expect(fake.names).toEqual([]);
    expect(await readdir(join(dataDir, "pods"))).toEqual([]);
    expect(network.at(-1)).toBe("gone true");
    await tells("Killing: Stopping container c");
  });

  test("that others still hold shows how it ended, and is deleted by its UID alone", async () => {
    const deletes = vi.spyOn(client, "delete");
    await create("web");
    await becomes("web", "Running | c running 0");
    const uid = (await get("web")).metadata.uid;
    const finalizers = (names: string[]) =>
      client.patch(Pods, namespace, "web", { type: "merge", body: { metadata: { finalizers: names } } });
    await finalizers(["ctf/keep"]);
    await client.delete(Pods, namespace, "web");
    await vi.waitFor(() => expect(fake.names).toEqual([]), soon);
    await becomes("web", "Failed | c Error 0");
    await vi.waitFor(
      () => expect(deletes.mock.calls.at(-1)?.[3]).toMatchObject({ gracePeriodSeconds: 0, preconditions: { uid } }),
      soon,
    );
    await finalizers([]);
    await goes("web");
    deletes.mockRestore();
  });

  test("that is deleted by force is ended all the same", async () => {
    await create("web");
    await becomes("web", "Running | c running 0");
    await client.delete(Pods, namespace, "web", { gracePeriodSeconds: 0 });
    await vi.waitFor(() => expect(fake.names).toEqual([]), soon);
  });

  test("made anew under the same name is another one", async () => {
    await create("web");
    await becomes("web", "Running | c running 0");
    const first = (await get("web")).metadata.uid;
    await client.delete(Pods, namespace, "web", { gracePeriodSeconds: 0 });
    await create("web");
    await becomes("web", "Running | c running 0");
    await vi.waitFor(() => expect(fake.names).toEqual(["web/c/0 running", "web/pause/0 running"]), soon);
    expect([...fake.containers.values()].some(({ body }) => body.Labels["berg.local/pod-uid"] === first)).toBe(false);
  });

  test("whose container ends is restarted, then waits", async () => {
    await create("web");
    await becomes("web", "Running | c running 0");
    fake.exit("web/c/0", 3);
    await becomes("web", "Running | c running 1");
    fake.exit("web/c/1", 137, true);
    await becomes("web", "Running | c CrashLoopBackOff 1");
    expect((await get("web")).status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
      exitCode: 137,
      reason: "OOMKilled",
    });
    await tells("BackOff: Back-off restarting failed container c in pod web_");
  });

  test("that has done its work is complete; its container stays for its log, its network goes", async () => {
    fake.onStart = (name) => (name === "web/c/0" ? { exitCode: 0 } : undefined);
    await create("web", {}, { restartPolicy: "Never" });
    await becomes("web", "Succeeded | c Completed 0");
    expect(fake.names).toEqual(["web/c/0 exited", "web/pause/0 exited"]);
  });

  test("whose log is its last word shows it", async () => {
    fake.onStart = (name) => (name === "web/c/0" ? { exitCode: 1 } : undefined);
    await create("web", { terminationMessagePolicy: "FallbackToLogsOnError" }, { restartPolicy: "Never" });
    await becomes("web", "Failed | c Error 0");
    expect((await get("web")).status?.containerStatuses?.[0]?.state?.terminated?.message).toBe("last line\n");
  });

  test("that asks for what is not given is told so, and waits", async () => {
    await create("web", {}, { shareProcessNamespace: true });
    await create(
      "path",
      { volumeMounts: [{ name: "v", mountPath: "/v" }] },
      { volumes: [{ name: "v", nfs: { server: "a", path: "/" } }] },
    );
    await tells(
      "FailedCreatePodSandBox: Failed to create pod sandbox: this node does not share processes",
      'FailedMount: MountVolume.SetUp failed for volume "v" : this node has no volumes of kind nfs',
    );
    await becomes("web", "Pending | c ContainerCreating 0");
  });

  test.each<{ container?: Partial<Container>; spec?: Partial<PodSpec>; want: string }>([
    { container: { securityContext: { privileged: true } }, want: "no container is privileged (container c)" },
    { container: { securityContext: { capabilities: { add: ["DAC_READ_SEARCH"] } } }, want: "DAC_READ_SEARCH" },
    { spec: { hostPID: true }, want: "no pod sees the host's processes (hostPID)" },
    { spec: { volumes: [{ name: "v", hostPath: { path: "/" } }] }, want: "hostPath of volume v" },
  ])("that would be a part of the host fails, and nothing of it is made: $want", async ({ container, spec, want }) => {
    await create("web", container, spec);
    await becomes("web", "Failed");
    expect((await get("web")).status).toMatchObject({
      reason: "PodForbidden",
      message: expect.stringMatching(/^Pod was rejected: no /),
    });
    await tells("PodForbidden: Pod was rejected: no ", want);
    expect(fake.body("web/c/0")).toBeUndefined();
    await client.delete(Pods, namespace, "web");
    await goes("web");
  });

  test("that an earlier process let run goes on", async () => {
    await create("web", { securityContext: { capabilities: { add: ["NET_ADMIN"] } } });
    await becomes("web", "Running | c running 0");
    await node.stop();
    node = await startNode([]);
    await create("later");
    await becomes("later", "Running | c running 0");
    await becomes("web", "Running | c running 0");
  });

  test("whose volume has no source yet gets it when it comes, and is kept up to date", async () => {
    const volumes = [{ name: "v", configMap: { name: "late" } }];
    await create("web", { volumeMounts: [{ name: "v", mountPath: "/v" }] }, { volumes });
    await tells('FailedMount: MountVolume.SetUp failed for volume "v" : configmap "late" not found');
    await client.create(ConfigMaps, { metadata: { namespace, name: "late" }, data: { a: "1" } });
    await becomes("web", "Running | c running 0");
    const bind = fake.body("web/c/0")?.HostConfig.Binds?.find((one) => one.endsWith(":/v:ro")) ?? "";
    const file = join(bind.split(":")[0] ?? "", "a");
    expect((await stat(file)).size).toBe(1);
    await client.patch(ConfigMaps, namespace, "late", { type: "merge", body: { data: { a: "changed" } } });
    await vi.waitFor(async () => expect((await stat(file)).size).toBe(7), soon);
  });

  test("whose image is missing says so", async () => {
    await create("web", { image: "nope:1" });
    await becomes("web", "Pending | c ErrImagePull 0");
    await tells('Failed: Failed to pull image "nope:1"', "Failed: Error: ErrImagePull");
  });

  test("whose container cannot be started says why", async () => {
    fake.refuse = (call) =>
      call.startsWith("start web/c") ? new EngineError("cannot start container id2: no such file", 500) : undefined;
    await create("web");
    await becomes("web", "Running | c RunContainerError 0");
    const status = (await get("web")).status?.containerStatuses?.[0];
    expect(status?.lastState?.terminated).toMatchObject({
      exitCode: 128,
      reason: "StartError",
      message: "no such file",
    });
  });
});

describe("probes and hooks", () => {
  test("a container is ready when its probe says so, and unready when it does not", async () => {
    let exitCode = 1;
    fake.onExec = () => ({ exitCode, output: "not yet" });
    await create("web", { readinessProbe: { exec: { command: ["check"] }, periodSeconds: 1, failureThreshold: 1 } });
    await isReady("web", false, "containers with unready status: [c]");
    await tells("Unhealthy: Readiness probe failed: not yet");
    exitCode = 0;
    await isReady("web", true);
    exitCode = 1;
    await isReady("web", false);
  });

  test("a container that is not alive is restarted", async () => {
    let asked = 0;
    fake.onExec = () => ({ exitCode: asked++ === 0 ? 1 : 0 });
    await create("web", { livenessProbe: { exec: { command: ["check"] }, periodSeconds: 1, failureThreshold: 1 } });
    await becomes("web", "Running | c running 1");
    await tells("Killing: Container c failed liveness probe, will be restarted");
  });

  test("a probe that hangs counts as failed, and does not pile up", async () => {
    fake.onExec = () => ({ exitCode: 0, afterMs: 60_000 });
    const probe = { exec: { command: ["hang"] }, periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 1 };
    await create("web", { readinessProbe: probe });
    await tells('Unhealthy: Readiness probe failed: command timed out: "hang" timed out after 1s');
    await new Promise((resolve) => setTimeout(resolve, 6000));
    expect(fake.calls.filter((call) => call.startsWith("exec"))).toHaveLength(3);
  }, 20_000);

  test("a hook before the end runs before the end; one that fails after the start ends the container", async () => {
    fake.onExec = ([command]) => ({ exitCode: command === "bad" ? 1 : 0 });
    const exec = (command: string) => ({ exec: { command: [command] } });
    await create("good", { lifecycle: { postStart: exec("hello"), preStop: exec("bye") } });
    await create("bad", { lifecycle: { postStart: exec("bad") } });
    await becomes("good", "Running | c running 0");
    await becomes("bad", "Running | c PostStartHookError 0");
    await tells("FailedPostStartHook: PostStartHook failed", "Killing: FailedPostStartHook");
    await client.delete(Pods, namespace, "good");
    await goes("good");
    const calls = fake.calls.filter((call) => call.includes("good/c/0"));
    expect(calls.slice(-4)).toEqual(["exec good/c/0 hello", "exec good/c/0 bye", "stop good/c/0 3", "remove good/c/0"]);
  });
});

describe("when things go", () => {
  test("a network that went is made anew, with the containers in it", async () => {
    await create("web");
    await becomes("web", "Running | c running 0");
    fake.exit("web/pause/0", 137);
    await becomes("web", "Running | c running 1");
    expect(fake.names).toContain("web/pause/1 running");
    await tells("SandboxChanged: Pod sandbox changed, it will be killed and re-created.");
  });

  test("without the engine pods are not ready, and go on when it is back; nothing is doubled", async () => {
    await create("web");
    await isReady("web", true);
    fake.go();
    await isReady("web", false, "the container engine cannot be reached");
    await vi.waitFor(async () => {
      const ready = (await client.get(Nodes, "", `node-${count}`)).status?.conditions?.find(
        ({ type }) => type === "Ready",
      );
      expect(ready).toMatchObject({ status: "False", reason: "KubeletNotReady" });
    }, soon);
    fake.comeBack();
    await isReady("web", true);
    await becomes("web", "Running | c running 0");
    expect(fake.calls.filter((call) => call === "create web/c/0")).toHaveLength(1);
  });

  test("what ended while nobody looked is found out", async () => {
    await create("web");
    await becomes("web", "Running | c running 0");
    fake.go();
    await isReady("web", false);
    fake.exit("web/c/0", 9);
    fake.comeBack();
    await becomes("web", "Running | c running 1");
  });

  test("what ended while nobody looked, and was deleted meanwhile, still tells how it ended", async () => {
    await create("web");
    await becomes("web", "Running | c running 0");
    const finalizers = (names: string[]) =>
      client.patch(Pods, namespace, "web", { type: "merge", body: { metadata: { finalizers: names } } });
    await finalizers(["ctf/keep"]);
    fake.go();
    await isReady("web", false);
    fake.exit("web/c/0", 9);
    fake.exit("web/pause/0", 0);
    await client.delete(Pods, namespace, "web");
    fake.comeBack();
    await vi.waitFor(() => expect(fake.names).toEqual([]), soon);
    await becomes("web", "Failed | c Error 0");
    await finalizers([]);
  });

  test("what vanished while nobody looked is made again", async () => {
    await create("web");
    await becomes("web", "Running | c running 0");
    fake.go();
    await isReady("web", false);
    fake.containers.clear();
    fake.comeBack();
    await becomes("web", "Running | c running 1");
    expect((await get("web")).status?.containerStatuses?.[0]?.lastState?.terminated?.reason).toBe(
      "ContainerStatusUnknown",
    );
  });

  test("the next process takes over what runs, and ends what has no pod any more", async () => {
    await create("kept", { readinessProbe: { exec: { command: ["check"] } } });
    await create("gone");
    await isReady("kept", true);
    await becomes("gone", "Running | c running 0");
    await node.stop();
    await client.delete(Pods, namespace, "gone", { gracePeriodSeconds: 0 });
    expect(fake.names).toHaveLength(4);
    fake.onExec = () => ({ exitCode: 0, afterMs: 500 });
    network = [];
    const writes = vi.spyOn(client, "patch");
    node = await startNode();
    await vi.waitFor(() => expect(fake.names).toEqual(["kept/c/0 running", "kept/pause/0 running"]), soon);
    await vi.waitFor(() => expect(network).toContain("remove unused"), soon);
    expect(network.findIndex((told) => told.startsWith("started kept"))).toBeLessThan(network.indexOf("remove unused"));
    await isReady("kept", true);
    await becomes("kept", "Running | c running 0");
    // What was ready stays so until a probe says otherwise: players would be cut off at each start.
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(writes.mock.calls.filter(([type, , name]) => type.kind === "Pod" && name === "kept")).toEqual([]);
    writes.mockRestore();
  });

  test("a node that is stopped for good takes its containers with it", async () => {
    await create("web");
    await becomes("web", "Running | c running 0");
    await node.stop({ removeContainers: true });
    expect(fake.names).toEqual([]);
    expect(await readdir(join(dataDir, "pods"))).toEqual([]);
  });
});

test("a node says what the machine has", async () => {
  const { metadata, status } = await client.get(Nodes, "", `node-${count}`);
  expect(metadata.labels).toMatchObject({ "kubernetes.io/hostname": `node-${count}`, "kubernetes.io/arch": "amd64" });
  expect(status).toMatchObject({
    capacity: { cpu: "2", memory: "4Gi", pods: "110" },
    allocatable: { memory: "3996Mi" },
    nodeInfo: { containerRuntimeVersion: "podman://4.3.1", kubeletVersion: "v1.36.4" },
  });
});
