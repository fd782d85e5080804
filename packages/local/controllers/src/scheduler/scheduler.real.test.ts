/** Each check on ours, on a real API server without kube-scheduler, and on kube-scheduler: they are to agree. */
import type { Stored } from "@berg/apimachinery";
import { type Client, Events, findCondition, type Manager, Nodes, type Pod, Pods, systemClock } from "@berg/kube";
import { missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { startWorld, type World } from "../testing/workload-world.ts";
import { addScheduler } from "./scheduler.ts";

const nodes = ["simulated-1", "simulated-2"] as const;
const container = { name: "main", image: "web:1" };
const requesting = (requests: object) => ({
  containers: [{ ...container, resources: { requests, limits: requests } }],
});
const hopeless = (text: string) =>
  `0/2 nodes are available: ${text}. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.`;

describe.skipIf(await missingControlPlane()).each(["ours", "real"] as const)("scheduler, %s", (kind) => {
  let world: World;
  let client: Client;
  let namespace: string;

  beforeAll(async () => {
    const isReal = kind === "real";
    const plane = await startControlPlane({ controllerManager: isReal, scheduler: isReal });
    const add = (manager: Manager) => addScheduler(manager, { clock: systemClock });
    world = await startWorld(plane, isReal ? undefined : add, { nodes: 2, scheduler: "real" });
    client = world.client;
    // Kubernetes' node controller takes the taint off that each new node has; ours looks at the condition instead.
    const isFree = async () => (await client.list(Nodes)).items.every(({ spec }) => !spec?.taints?.length);
    if (isReal) await eventually("the nodes are free", isFree);
  });
  afterEach(async () => {
    await client.deleteCollection(Pods, { namespace, gracePeriodSeconds: 0 });
    await eventually("all pods are gone", async () => (await client.list(Pods, { namespace })).items.length === 0);
  });
  afterAll(async () => world?.[Symbol.asyncDispose]());

  async function make(spec: object, name = "web"): Promise<Stored<Pod>> {
    namespace = await world.newNamespace();
    return add(spec, name);
  }
  const add = (spec: object, name: string) =>
    client.create(Pods, {
      metadata: { namespace, name },
      spec: { terminationGracePeriodSeconds: 0, containers: [container], ...spec } as NonNullable<Pod["spec"]>,
    });
  const placed = (name = "web") =>
    eventually(`${name} has a node`, async () => (await client.get(Pods, namespace, name)).spec?.nodeName);
  const refused = (name = "web") =>
    eventually(`${name} is refused`, async () => {
      const { status } = await client.get(Pods, namespace, name);
      const condition = findCondition(status?.conditions, "PodScheduled");
      return condition?.status === "False" && condition;
    });
  const changeNode = (name: string, body: object) => client.patch(Nodes, "", name, { type: "merge", body });

  test("gives a pod a node, and says so", async () => {
    await make({});
    const node = await placed();
    const event = await eventually("the event is there", async () => {
      const { items } = await client.list(Events, { namespace });
      return items.find(({ reason }) => reason === "Scheduled");
    });
    expect(event.message).toBe(`Successfully assigned ${namespace}/web to ${node}`);
  });

  test.each([
    ["asks for too much", requesting({ cpu: "2000" }), hopeless("2 Insufficient cpu")],
    [
      "asks for too much of everything",
      requesting({ cpu: "2000", memory: "100Ti", "ephemeral-storage": "100Ti", "example.com/gpu": "1" }),
      hopeless(
        "2 Insufficient cpu, 2 Insufficient ephemeral-storage, 2 Insufficient example.com/gpu, 2 Insufficient memory",
      ),
    ],
    [
      "wants another node",
      { nodeSelector: { disk: "ssd" } },
      hopeless("2 node(s) didn't match Pod's node affinity/selector"),
    ],
    [
      "wants other nodes by expressions",
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "disk", operator: "Exists" }] }],
            },
          },
        },
      },
      hopeless("2 node(s) didn't match Pod's node affinity/selector"),
    ],
  ])("says why a pod that %s has none", async (_, spec, message) => {
    await make(spec);
    const condition = await refused();
    expect(condition).toEqual({
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastProbeTime: null,
      lastTransitionTime: expect.any(String),
      observedGeneration: 1,
    });
    const event = await eventually("the event is there", async () => {
      const { items } = await client.list(Events, { namespace });
      return items.find(({ reason }) => reason === "FailedScheduling");
    });
    expect(event).toMatchObject({ type: "Warning", message });
  });

  test("gives a pod that waited its node when there is room", async () => {
    await make(requesting({ cpu: "700" }), "one");
    await add(requesting({ cpu: "700" }), "two");
    expect([await placed("one"), await placed("two")].sort()).toEqual([...nodes]);
    await add(requesting({ cpu: "700" }), "three");
    expect((await refused("three")).message).toBe(
      "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
    );
    const free = await placed("one");
    await client.delete(Pods, namespace, "one", { gracePeriodSeconds: 0 });
    expect(await placed("three")).toBe(free);
  });

  test("stays off cordoned and tainted nodes, until a pod tolerates it or they are free", async () => {
    const taint = { key: "for", value: "others", effect: "NoSchedule" };
    await changeNode(nodes[0], { spec: { unschedulable: true } });
    await changeNode(nodes[1], { spec: { taints: [taint] } });
    await make({});
    expect((await refused()).message).toBe(
      hopeless("1 node(s) had untolerated taint(s), 1 node(s) were unschedulable"),
    );
    await add({ tolerations: [{ key: "for", operator: "Equal", value: "others" }] }, "other");
    expect(await placed("other")).toBe(nodes[1]);
    await changeNode(nodes[1], { spec: { taints: null } });
    expect(await placed()).toBe(nodes[1]);
    await changeNode(nodes[0], { spec: { unschedulable: null, taints: null } });
  });

  test("one port of a node is for one pod", async () => {
    const spec = { containers: [{ ...container, ports: [{ containerPort: 80, hostPort: 8080 }] }] };
    await make(spec, "one");
    await add(spec, "two");
    expect([await placed("one"), await placed("two")].sort()).toEqual([...nodes]);
    await add(spec, "three");
    expect((await refused("three")).message).toMatch(
      /^0\/2 nodes are available: 2 node\(s\) didn't have free ports for the requested pod ports\. /,
    );
  });

  test("places a hundred pods at once, on both nodes", async () => {
    await make({}, "first");
    await Promise.all(Array.from({ length: 100 }, (_, n) => add(requesting({ cpu: "1" }), `pod-${n}`)));
    const pods = await eventually("all have a node", async () => {
      const { items } = await client.list(Pods, { namespace });
      return items.every(({ spec }) => spec?.nodeName) && items;
    });
    const onFirst = pods.filter(({ spec }) => spec?.nodeName === nodes[0]).length;
    expect(onFirst).toBeGreaterThan(25);
    expect(onFirst).toBeLessThan(76);
  });

  // The real one knows it.
  if (kind === "ours") {
    test("says plainly what it does not know", async () => {
      const podAntiAffinity = {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "web" } } },
        ],
      };
      await make({ affinity: { podAntiAffinity } });
      expect((await refused()).message).toBe("this scheduler does not know required pod anti-affinity");
    });
  }
});
