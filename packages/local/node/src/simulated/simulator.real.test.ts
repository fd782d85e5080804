import { defineResource, isNotFound, isTooManyRequests, type KubeObject, type Stored } from "@berg/apimachinery";
import { type Client, createClient, Leases, Namespaces, Nodes, type Pod, Pods } from "@berg/kube";
import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { stringify } from "yaml";
import { behaviourAnnotation } from "./behaviour.ts";
import { type Simulator, startSimulator } from "./simulator.ts";

const Budgets = defineResource<KubeObject & { spec: object; status?: { disruptionsAllowed?: number } }>({
  group: "policy",
  version: "v1",
  resource: "poddisruptionbudgets",
  kind: "PodDisruptionBudget",
  namespaced: true,
});

const soon = { timeout: 30_000, interval: 100 };

describe.skipIf(await missingControlPlane())("on a real control plane", () => {
  let controlPlane: ControlPlane;
  let client: Client;
  let simulator: Simulator;
  let namespace: string;
  let count = 0;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ scheduler: false });
    client = createClient({ connection: controlPlane.connection });
    simulator = await startSimulator({ connection: controlPlane.connection, nodes: 2 });
  });
  afterAll(async () => {
    await simulator?.stop();
    await client?.close();
    await controlPlane?.stop();
  });
  beforeEach(async () => {
    namespace = `test-${++count}`;
    await client.create(Namespaces, { metadata: { name: namespace } });
    await kubectl("wait", "--for=create", "serviceaccount/default", "--timeout=20s");
  });
  afterEach(async () => {
    await client.delete(Namespaces, "", namespace);
  });

  const kubectl = (...args: string[]) => controlPlane.kubectl(["--namespace", namespace, ...args]);

  /** READY, STATUS and RESTARTS as a person sees them, by pod. */
  async function table(): Promise<Map<string, string>> {
    const lines = (await kubectl("get", "pods", "--no-headers")).trim().split("\n");
    return new Map(
      lines.map((line) => line.split(/\s+/)).map(([name = "", ...rest]) => [name, rest.slice(0, 3).join(" ")]),
    );
  }

  async function createPod(name: string, behaviour = "ready", spec: Partial<NonNullable<Pod["spec"]>> = {}) {
    const metadata = { namespace, name, labels: { app: name }, annotations: { [behaviourAnnotation]: behaviour } };
    return client.create(Pods, { metadata, spec: { containers: [{ name: "web", image: "web" }], ...spec } });
  }

  async function getPod(name: string): Promise<Stored<Pod>> {
    return client.get(Pods, namespace, name);
  }

  async function createDeployment(name: string, replicas: number) {
    await kubectl("create", "deployment", name, "--image=web", `--replicas=${replicas}`);
    await kubectl("wait", `deployment/${name}`, "--for=condition=Available", "--timeout=30s");
  }

  const livePods = async () =>
    (await client.list(Pods, { namespace })).items.filter((pod) => !pod.metadata.deletionTimestamp);
  const conditionOf = (pod: Pod, type: string) => pod.status?.conditions?.find((condition) => condition.type === type);

  test("the nodes are ready when the simulator has started", async () => {
    await simulator.stop();
    simulator = await startSimulator({ connection: controlPlane.connection, nodes: 2 });
    const rows = (await kubectl("get", "nodes", "--no-headers")).trim().split("\n");
    expect(rows.map((row) => row.split(/\s+/).slice(0, 2).join(" "))).toEqual([
      "simulated-1 Ready",
      "simulated-2 Ready",
    ]);
  });

  test("a deployment of three replicas becomes available", async () => {
    await createDeployment("web", 3);
    expect([...(await table()).values()]).toEqual(["1/1 Running 0", "1/1 Running 0", "1/1 Running 0"]);
  });

  test("a behaviour is seen in kubectl as on a real cluster", async () => {
    const never = { restartPolicy: "Never" };
    const containers = [{ name: "web", image: "web" }];
    const pods: { name: string; behaviour: string; spec?: object; want: string[] }[] = [
      { name: "ready", behaviour: "ready", want: ["1/1 Running 0"] },
      { name: "slow", behaviour: "ready after=4s", want: ["0/1 ContainerCreating 0", "1/1 Running 0"] },
      { name: "never-ready", behaviour: "never-ready", want: ["0/1 Running 0"] },
      { name: "image", behaviour: "image-pull backoff=30s", want: ["0/1 ErrImagePull 0", "0/1 ImagePullBackOff 0"] },
      { name: "image-name", behaviour: "invalid-image-name", want: ["0/1 InvalidImageName 0"] },
      { name: "config", behaviour: "create-container-config-error", want: ["0/1 CreateContainerConfigError 0"] },
      { name: "crash", behaviour: "crash-loop backoff=20s", want: ["0/1 Error 0", "0/1 CrashLoopBackOff 1"] },
      { name: "oom", behaviour: "oom backoff=20s", want: ["0/1 OOMKilled 0", "0/1 CrashLoopBackOff 1"] },
      { name: "unschedulable", behaviour: "unschedulable", want: ["0/1 Pending 0"] },
      { name: "stuck", behaviour: "stuck-creating", want: ["0/1 ContainerCreating 0"] },
      { name: "completes", behaviour: "exits", spec: never, want: ["0/1 Completed 0"] },
      { name: "fails", behaviour: "exits exitCode=3", spec: never, want: ["0/1 Error 0"] },
      { name: "evicted", behaviour: "evicted", want: ["0/1 Evicted 0"] },
      { name: "misspelt", behaviour: "raedy", want: ["0/1 Pending 0"] },
      {
        name: "initialized",
        behaviour: "ready after=4s",
        spec: {
          initContainers: [
            { name: "flag", image: "flag" },
            { name: "proxy", image: "proxy", restartPolicy: "Always" },
          ],
        },
        want: ["0/2 Init:0/2 0", "2/2 Running 0"],
      },
    ];
    await Promise.all(pods.map(({ name, behaviour, spec }) => createPod(name, behaviour, { containers, ...spec })));

    const seen = new Map<string, Set<string>>(pods.map(({ name }) => [name, new Set()]));
    await vi.waitFor(async () => {
      for (const [name, row] of await table()) seen.get(name)?.add(row);
      for (const { name, want } of pods)
        expect([...(seen.get(name) ?? [])], name).toEqual(expect.arrayContaining(want));
    }, soon);
    expect(conditionOf(await getPod("misspelt"), "PodScheduled")?.message).toContain('there is no "raedy"');
  });

  test("restarts add up", async () => {
    const pod = await createPod("crash", "crash-loop exitCode=7 backoff=50ms");
    await vi.waitFor(async () => {
      const [container] = (await getPod("crash")).status?.containerStatuses ?? [];
      expect(container?.restartCount).toBeGreaterThan(3);
      expect(container?.lastState?.terminated?.exitCode).toBe(7);
    }, soon);

    await simulator.behave(pod, "ready");
    await kubectl("wait", "pod/crash", "--for=condition=Ready", "--timeout=20s");
    const healed = (await getPod("crash")).status?.containerStatuses?.[0]?.restartCount ?? 0;
    await simulator.restart(pod);
    await vi.waitFor(async () => {
      expect((await table()).get("crash")).toBe(`1/1 Running ${healed + 1}`);
    }, soon);
  });

  test("a running pod can be made unready, and ready again, without a restart", async () => {
    const pod = await createPod("web");
    await kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=20s");
    await simulator.behave(pod, "never-ready");
    await kubectl("wait", "pod/web", "--for=condition=Ready=false", "--timeout=20s");
    await simulator.behave(pod, "ready");
    await kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=20s");
    expect((await table()).get("web")).toBe("1/1 Running 0");
  });

  test("a namespace with pods of every sort can be deleted", async () => {
    await createDeployment("web", 3);
    await Promise.all(
      ["crash-loop", "image-pull", "unschedulable", "stuck-creating"].map((name) => createPod(name, name)),
    );
    await kubectl("delete", "namespace", namespace, "--timeout=60s");
    await expect(client.get(Namespaces, "", namespace)).rejects.toSatisfy(isNotFound);
    await client.create(Namespaces, { metadata: { name: namespace } });
  });

  test("a pod that a finalizer holds stays, and goes with it", async () => {
    await createPod("held");
    await kubectl("wait", "pod/held", "--for=condition=Ready", "--timeout=20s");
    await client.patch(Pods, namespace, "held", {
      type: "merge",
      body: { metadata: { finalizers: ["example.com/hold"] } },
    });
    await client.delete(Pods, namespace, "held");
    await vi.waitFor(async () => {
      expect((await getPod("held")).metadata.deletionGracePeriodSeconds).toBe(0);
    }, soon);
    await client.patch(Pods, namespace, "held", { type: "merge", body: { metadata: { finalizers: null } } });
    await vi.waitFor(() => expect(getPod("held")).rejects.toSatisfy(isNotFound), soon);
  });

  test("a disruption budget holds back an eviction, and a drain waits for it", async () => {
    const pod = await createPod("web");
    await kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=20s");
    const selector = { matchLabels: { app: "web" } };
    await client.create(Budgets, { metadata: { namespace, name: "web" }, spec: { minAvailable: 1, selector } });
    await vi.waitFor(async () => {
      expect((await client.get(Budgets, namespace, "web")).status?.disruptionsAllowed).toBe(0);
    }, soon);

    await expect(simulator.evict(pod)).rejects.toSatisfy(isTooManyRequests);
    const node = (await getPod("web")).spec?.nodeName ?? "";
    const drained = simulator.drain(node);
    await vi.waitFor(async () => {
      expect((await client.get(Nodes, "", node)).spec?.unschedulable).toBe(true);
    }, soon);
    expect((await getPod("web")).metadata.deletionTimestamp).toBeUndefined();

    await client.delete(Budgets, namespace, "web");
    await drained;
    await expect(getPod("web")).rejects.toSatisfy(isNotFound);
    await createPod("elsewhere");
    await kubectl("wait", "pod/elsewhere", "--for=condition=Ready", "--timeout=20s");
    expect((await getPod("elsewhere")).spec?.nodeName).not.toBe(node);
    await simulator.uncordon(node);
  });

  test("a pod waits until there is a node for it", async () => {
    await kubectl("cordon", ...simulator.nodes);
    // Pods may still go to a node that the simulator has not yet seen cordoned.
    await vi.waitFor(async () => {
      const name = `waits-${Date.now()}`;
      await createPod(name);
      await kubectl(
        "wait",
        `pod/${name}`,
        "--for=jsonpath={.status.conditions[0].reason}=Unschedulable",
        "--timeout=2s",
      );
    }, soon);
    await kubectl("uncordon", ...simulator.nodes);
    await kubectl("wait", "pod", "--all", "--for=condition=Ready", "--timeout=20s");
  });

  test("a node short of memory fails its pods, which are replaced", async () => {
    await createDeployment("web", 2);
    const before = await livePods();
    for (const node of simulator.nodes) simulator.evictNode(node);
    await vi.waitFor(async () => {
      const now = await livePods();
      for (const { metadata } of before)
        expect(now.find((pod) => pod.metadata.uid === metadata.uid)?.status).toMatchObject({
          phase: "Failed",
          reason: "Evicted",
        });
      expect(now.filter((pod) => conditionOf(pod, "Ready")?.status === "True")).toHaveLength(2);
    }, soon);
  });

  test("a killed node is unknown, its pods are not ready and cannot end, until it is revived", async () => {
    await createDeployment("web", 2);
    const [node = ""] = simulator.nodes;
    const here = (await livePods()).filter((pod) => pod.spec?.nodeName === node);
    expect(here).toHaveLength(1);
    const [name = ""] = here.map((pod) => pod.metadata.name);

    simulator.killNode(node);
    await kubectl("wait", `node/${node}`, "--for=condition=Ready=Unknown", "--timeout=20s");
    await kubectl("wait", `pod/${name}`, "--for=condition=Ready=false", "--timeout=20s");
    await kubectl(
      "wait",
      `node/${node}`,
      "--for=jsonpath={.spec.taints[0].key}=node.kubernetes.io/unreachable",
      "--timeout=20s",
    );
    await kubectl("delete", `pod/${name}`, "--wait=false");
    await kubectl("wait", "deployment/web", "--for=condition=Available", "--timeout=30s");
    expect((await table()).get(name)).toBe("1/1 Terminating 0");

    simulator.reviveNode(node);
    await kubectl("wait", `node/${node}`, "--for=condition=Ready", "--timeout=20s");
    await vi.waitFor(() => expect(getPod(name)).rejects.toSatisfy(isNotFound), soon);
  });

  test("the API server may die: what was asked for meanwhile is done when it is back", async () => {
    await createDeployment("web", 2);
    await controlPlane.apiServer.kill();
    const [killed = ""] = simulator.nodes;
    simulator.killNode(killed);
    await controlPlane.apiServer.start();
    await kubectl("wait", `node/${killed}`, "--for=condition=Ready=Unknown", "--timeout=60s");
    simulator.reviveNode(killed);
    await kubectl("wait", `node/${killed}`, "--for=condition=Ready", "--timeout=60s");
    await kubectl("scale", "deployment/web", "--replicas=4");
    await kubectl("wait", "deployment/web", "--for=jsonpath={.status.readyReplicas}=4", "--timeout=60s");
  });

  test("an instantly ready pod costs one binding and one write", async () => {
    const writes: string[] = [];
    const counted = new Proxy(client, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          const [type, , objectName] = args as [{ kind?: string }, string, string];
          if (["patch", "createSubresource", "update", "apply"].includes(String(name)) && type.kind === "Pod")
            writes.push(`${String(name)} ${objectName}`);
          return value.apply(target, args);
        };
      },
    });
    // The simulator of the other tests is out of the way.
    await simulator.stop();
    try {
      await using second = await startSimulator({ client: counted });
      expect(second.nodes).toEqual(["simulated-1"]);
      const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
      await Promise.all(names.map((name) => createPod(name)));
      await kubectl("wait", "pod", "--all", "--for=condition=Ready", "--timeout=30s");
      expect(writes.filter((write) => names.some((name) => write.endsWith(` ${name}`))).sort()).toEqual(
        [...names.map((name) => `createSubresource ${name}`), ...names.map((name) => `patch ${name}`)].sort(),
      );
      await client.deleteCollection(Pods, { namespace, gracePeriodSeconds: 0 });
    } finally {
      simulator = await startSimulator({ connection: controlPlane.connection, nodes: 2 });
    }
  });

  test("a removed node takes its pods with it, and stopping removes the rest", async () => {
    await createDeployment("web", 2);
    const [gone = "", kept = ""] = simulator.nodes;
    await simulator.removeNode(gone);
    expect(simulator.nodes).toEqual([kept]);
    await vi.waitFor(async () => {
      const ready = (await livePods()).filter((pod) => conditionOf(pod, "Ready")?.status === "True");
      expect(ready.map((pod) => pod.spec?.nodeName)).toEqual([kept, kept]);
    }, soon);

    await simulator.stop();
    expect((await client.list(Nodes)).items).toEqual([]);
    expect((await client.list(Leases, { namespace: "kube-node-lease" })).items).toEqual([]);
    simulator = await startSimulator({ connection: controlPlane.connection, nodes: 2 });
  });
});

describe.skipIf(await missingControlPlane())("with a real scheduler", () => {
  test("pods go where it places them, and end when they have had their time", async () => {
    await using controlPlane = await startControlPlane();
    await using _simulator = await startSimulator({
      connection: controlPlane.connection,
      nodes: 3,
      scheduler: "real",
      readyAfterMs: 500,
      terminationMs: 1500,
      behaviour: (pod) => (pod.metadata.name === "bad" ? "image-pull" : undefined),
    });
    const pod = (name: string, nodeName: string) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { containers: [{ name, image: name }], nodeSelector: { "kubernetes.io/hostname": nodeName } },
    });
    const pods = [pod("good", "simulated-2"), pod("bad", "simulated-3"), pod("nowhere", "elsewhere")];
    await controlPlane.kubectl(["apply", "-f", "-"], { input: pods.map((object) => stringify(object)).join("---\n") });
    await controlPlane.kubectl(["wait", "pod/good", "--for=condition=Ready", "--timeout=30s"]);

    await vi.waitFor(async () => {
      const rows = (await controlPlane.kubectl(["get", "pods", "--no-headers", "-o", "wide"])).trim().split("\n");
      const shown = rows
        .map((row) => row.split(/\s+/))
        .map(([name, , status, , , , node]) => `${name} ${status} ${node}`);
      expect(shown).toEqual(["bad ErrImagePull simulated-3", "good Running simulated-2", "nowhere Pending <none>"]);
    }, soon);

    const started = Date.now();
    await controlPlane.kubectl(["delete", "pod/good", "--wait"]);
    expect(Date.now() - started).toBeGreaterThanOrEqual(1400);
  });
});
