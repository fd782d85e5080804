/** What others do to a running instance: it is put back as it was recorded, or reported, and nothing of theirs is lost. */
import { randomUUID } from "node:crypto";
import { defineResource, type KubeObject, type ResourceType, type Stored } from "@berg/apimachinery";
import {
  ConfigMaps,
  ControllerRevisions,
  Deployments,
  LimitRanges,
  Namespaces,
  NetworkPolicies,
  type Patch,
  PodDisruptionBudgets,
  Pods,
  ResourceQuotas,
  Secrets,
  Services,
} from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, Challenges, labels, managedByBerg } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../runtime/eventually.ts";
import { Cell } from "./cells.ts";
import {
  conditionOf,
  endOf,
  eventsOf,
  HTTPRoutes,
  isIn,
  isRunning,
  namespaceOf,
  Objects,
  type StartWorld,
} from "./seeing.ts";
import { SkippingClock } from "./skipping-clock.ts";
import type { World } from "./world.ts";

type Instance = Stored<ChallengeInstance>;

const foreign = (group: string, version: string, resource: string, kind: string) =>
  defineResource<KubeObject>({ group, version, resource, kind, namespaced: true });
const TLSRoutes = foreign("gateway.networking.k8s.io", "v1", "tlsroutes", "TLSRoute");
const CiliumNetworkPolicies = foreign("cilium.io", "v2", "ciliumnetworkpolicies", "CiliumNetworkPolicy");

const merge = (body: object): Patch => ({ type: "merge", body });
const json = (op: string, path: string, value?: unknown): Patch => ({
  type: "json",
  operations: [{ op, path, ...(value !== undefined && { value }) }] as never,
});
const policy = "challenge-network-policy";

/** What somebody does to each kind of child. */
const edits: [what: string, type: ResourceType, name: string, edit: Patch][] = [
  ["a Service leads elsewhere", Services, "web", merge({ spec: { selector: { [labels.container]: "nobody" } } })],
  ["a Service selects less", Services, "web", merge({ spec: { selector: { extra: "label" } } })],
  ["a Service's port is another one", Services, "web-node-port", json("replace", "/spec/ports/0/targetPort", 1)],
  ["a Deployment is scaled to 0", Deployments, "web", merge({ spec: { replicas: 0 } })],
  ["a Deployment is scaled up", Deployments, "web", merge({ spec: { replicas: 2 } })],
  [
    "a Deployment runs another image",
    Deployments,
    "web",
    json("replace", "/spec/template/spec/containers/0/image", "evil:1"),
  ],
  [
    "a Deployment's container has another variable",
    Deployments,
    "web",
    json("replace", "/spec/template/spec/containers/0/env/0/value", "other"),
  ],
  ["the flag is another one", ConfigMaps, "flag-content", merge({ binaryData: { content: "bm90IGl0" } })],
  ["a pull secret is another one", Secrets, "pull", merge({ data: { ".dockerconfigjson": "e30=" } })],
  ["a Cilium rule is added", CiliumNetworkPolicies, policy, json("add", "/spec/egress/-", { toEntities: ["world"] })],
  ["a Cilium rule is removed", CiliumNetworkPolicies, policy, json("remove", "/spec/egress/0")],
  ["a network rule is added", NetworkPolicies, policy, json("add", "/spec/egress/-", {})],
  ["a network rule is removed", NetworkPolicies, policy, json("remove", "/spec/egress/0")],
  ["a budget lets go", PodDisruptionBudgets, "web", merge({ spec: { minAvailable: 0 } })],
  ["a quota grows", ResourceQuotas, "challenge-quota", merge({ spec: { hard: { pods: "100" } } })],
  ["a limit grows", LimitRanges, "challenge-limits", json("replace", "/spec/limits/0/max/cpu", "64")],
  ["an HTTPRoute has another hostname", HTTPRoutes, "web-80", merge({ spec: { hostnames: ["evil.example.com"] } })],
  ["a TLSRoute leads elsewhere", TLSRoutes, "web-443", json("replace", "/spec/rules/0/backendRefs/0/name", "evil")],
];

const kinds = [...new Map(edits.map(([, type, name]) => [`${type.kind} ${name}`, [type, name] as const])).entries()];

export function describeDrift(startWorld: StartWorld): void {
  let world: World;
  let cell: Cell;

  beforeAll(async () => {
    const env = { NETWORK_POLICY: "both", PULL_SECRET_NAME: "pull" };
    world = await startWorld({ env, simulator: { nodes: 2 } });
    await world.client.create(Secrets, {
      metadata: { namespace: world.namespace, name: "pull" },
      type: "kubernetes.io/dockerconfigjson",
      data: { ".dockerconfigjson": Buffer.from('{"auths":{}}').toString("base64") },
    });
    cell = await Cell.start(world);
  });
  afterAll(() => world?.end());

  const challenge = () =>
    world
      .challenge()
      .container("web")
      .port(80, "publicHttpRoute", { name: "web" })
      .port(443, "publicTlsRoute")
      .port(1337, "publicPort")
      .flag({ content: { path: "/flag" } });
  const running = async (own = cell) => {
    const instance = await own.instance(await challenge().create()).create();
    return world.until(instance, isRunning);
  };
  const find = (type: ResourceType, instance: Instance, name: string) =>
    world.client.get(type, namespaceOf(instance), name).catch(() => undefined);
  const writesFor = (instance: Instance, own = cell) =>
    own.controller
      .writes()
      .filter(({ namespace, name }) => namespace === namespaceOf(instance) || name === namespaceOf(instance));
  /** Nothing of it is written for a while. */
  const isQuiet = async (instance: Instance, ms = 500) => {
    const before = writesFor(instance).length;
    await new Promise((resolve) => setTimeout(resolve, ms));
    return writesFor(instance).length === before;
  };
  const specOf = (object: KubeObject | undefined) => {
    const { spec, data, binaryData } = (object ?? {}) as Record<string, unknown>;
    return JSON.parse(
      JSON.stringify({ spec, data, binaryData }, (key, value) =>
        /^(clusterIPs?|nodePort|healthCheckNodePort)$/.test(key) ? undefined : value,
      ),
    );
  };

  describe.concurrent("a child", () => {
    test.each(edits)("%s: it is put back", async (_, type, name, edit) => {
      const instance = await running();
      const stranger = {
        metadata: { labels: { "stranger.example.com/a": "b" }, annotations: { "stranger.example.com/c": "d" } },
      };
      const before = await world.client.patch(type, namespaceOf(instance), name, merge(stranger));
      const spoilt = await world.client.patch(type, namespaceOf(instance), name, edit);
      expect(specOf(spoilt)).not.toEqual(specOf(before));
      await eventually(
        "it is as before",
        async () => {
          const found = await find(type, instance, name);
          return JSON.stringify(specOf(found)) === JSON.stringify(specOf(before));
        },
        15_000,
      );
      const after = await find(type, instance, name);
      expect(after?.metadata.uid).toBe(before.metadata.uid);
      expect(after?.metadata.labels).toEqual(before.metadata.labels);
      expect(after?.metadata.annotations?.["stranger.example.com/c"]).toBe("d");
      // Of the copy of the pull secret nobody can tell whether it was edited, or the organiser has renewed the original.
      if (type !== Secrets) {
        const events = await eventsOf(world, instance, "ObjectRepaired");
        const text = `The ${type.kind} ${name} was changed by somebody else and was put back`;
        expect(events.map(({ message }) => message)).toContain(text);
      }
      await world.until(instance, isRunning);
      await eventually("it comes to rest", () => isQuiet(instance));
    });

    test.each(kinds)(
      "%s is deleted: it is made again as it was, with its numbers and names",
      async (_, [type, name]) => {
        const instance = await running();
        const before = await find(type, instance, name);
        await world.client.delete(type, namespaceOf(instance), name);
        await eventually(
          "it is there again",
          async () => {
            const found = await find(type, instance, name);
            return (
              found &&
              found.metadata.uid !== before?.metadata.uid &&
              JSON.stringify(specOf(found)) === JSON.stringify(specOf(before))
            );
          },
          15_000,
        );
        const healthy = await world.until(instance, (object) => conditionOf(object, "Healthy")?.status === "True");
        expect(healthy.status?.services).toEqual(instance.status?.services);
        await eventually("it comes to rest", () => isQuiet(instance));
        const { status } = await world.client.get(ChallengeInstances, cell.namespace, instance.metadata.name);
        expect(status?.services).toEqual(instance.status?.services);
      },
    );

    test("whose number at the nodes was given to somebody else gets another one", async () => {
      const own = await Cell.start(world);
      const instance = await running(own);
      const told = instance.status?.services?.find(({ port }) => port >= 30_000)?.port ?? 0;
      await own.controller.stop();
      await world.client.delete(Services, namespaceOf(instance), "web-node-port");
      await world.client.create(Services, {
        metadata: { namespace: own.namespace, name: "squatter" },
        spec: { type: "NodePort", ports: [{ port: 1, nodePort: told }] },
      });
      await own.restart();
      const moved = await world.until(
        instance,
        ({ status }) => status?.services?.some(({ port }) => port >= 30_000 && port !== told),
        { within: 60_000 },
      );
      expect(moved.status?.phase).toBe("Running");
      await own.controller.stop();
    });

    test("is put back while the instance is Starting, too", async () => {
      const slow = await challenge().behaving("never-ready").create();
      const instance = await cell.instance(slow).create();
      await world.until(instance, ({ status }) => status?.phase === "Starting");
      await world.client.delete(Services, namespaceOf(instance), "web");
      await world.client.delete(NetworkPolicies, namespaceOf(instance), policy);
      await world.client.patch(Deployments, namespaceOf(instance), "web", merge({ spec: { replicas: 0 } }));
      await eventually(
        "all is as it was",
        async () => {
          const [service, rules, deployment] = await Promise.all([
            find(Services, instance, "web"),
            find(NetworkPolicies, instance, policy),
            find(Deployments, instance, "web"),
          ]);
          return service && rules && (deployment as { spec?: { replicas?: number } }).spec?.replicas === 1;
        },
        15_000,
      );
    });

    test("is not put back once the instance is ending", async () => {
      const own = await Cell.start(world);
      const instance = await running(own);
      const held = { namespace: namespaceOf(instance), name: "held", finalizers: ["example.com/mine"] };
      await world.client.create(ConfigMaps, { metadata: held });
      const since = performance.now();
      await world.client.delete(ChallengeInstances, own.namespace, instance.metadata.name);
      await eventually("its Service is gone", async () => !(await find(Services, instance, "web")));
      const creates = writesFor(instance, own).filter(({ verb, at }) => verb === "create" && at > since);
      expect(creates).toEqual([]);
      await world.client.patch(ConfigMaps, held.namespace, "held", merge({ metadata: { finalizers: [] } }));
      await world.untilGone(instance);
      await own.controller.stop();
    });

    test("that has lost our marks is reported and left alone, until they are put back", async () => {
      const instance = await running();
      const before = await find(Services, instance, "web");
      const unmarked = merge({ metadata: { labels: { [labels.managedBy]: null } } });
      await world.client.patch(Services, namespaceOf(instance), "web", unmarked);
      const told = await world.until(
        instance,
        (object) => conditionOf(object, "ServicesCreated")?.reason === "NameConflict",
      );
      expect(told.status?.phase).toBe("Running");
      const left = await find(Services, instance, "web");
      expect(left?.metadata.uid).toBe(before?.metadata.uid);
      expect(left?.metadata.labels).not.toHaveProperty([labels.managedBy]);
      const marked = merge({ metadata: { labels: { [labels.managedBy]: managedByBerg } } });
      await world.client.patch(Services, namespaceOf(instance), "web", marked);
      await world.until(instance, (object) => conditionOf(object, "ServicesCreated")?.status === "True");
    });

    test("the namespace that somebody else had under its name is made within a minute of their removing it", async () => {
      const clock = new SkippingClock();
      const own = await Cell.start(world, { clock });
      const ownerId = randomUUID();
      const name = `challenge-${ownerId}`;
      await world.client.create(Namespaces, { metadata: { name } });
      const instance = await own
        .instance(await challenge().create())
        .ownedBy(ownerId)
        .create();
      await world.until(instance, isIn("Failed", "NameConflict"));
      await world.client.delete(Namespaces, "", name);
      const left = () => world.client.get(Namespaces, "", name).catch(() => undefined);
      await eventually("it is gone", async () => !(await left()), 30_000);
      clock.skip(60_000);
      await world.until(instance, isRunning);
      await own.controller.stop();
    });

    test.each(["managed-by", "instance-uid"])(
      "the namespace that has lost its mark %s is never deleted",
      async (mark) => {
        const clock = new SkippingClock();
        const own = await Cell.start(world, { clock });
        const instance = await running(own);
        const label = mark === "managed-by" ? labels.managedBy : labels.instanceUid;
        const value = mark === "managed-by" ? managedByBerg : instance.metadata.uid;
        await world.client.patch(
          Namespaces,
          "",
          namespaceOf(instance),
          merge({ metadata: { labels: { [label]: null } } }),
        );
        const told = await world.until(instance, (object) => conditionOf(object, "Healthy")?.status !== "True");
        expect(conditionOf(told, "Healthy")?.reason).toBe("NameConflict");
        await world.client.delete(ChallengeInstances, own.namespace, instance.metadata.name);
        const left = await world.until(
          instance,
          (object) => conditionOf(object, "NamespaceDeleted")?.reason === "NameConflict",
        );
        expect(left.status?.phase).toBe("Terminating");
        clock.skip(61_000);
        await new Promise((resolve) => setTimeout(resolve, 500));
        const namespace = await world.client.get(Namespaces, "", namespaceOf(instance));
        expect(namespace.metadata.deletionTimestamp).toBeUndefined();
        await world.client.patch(
          Namespaces,
          "",
          namespaceOf(instance),
          merge({ metadata: { labels: { [label]: value } } }),
        );
        const last = await world.untilGone(instance);
        expect(last.status).toMatchObject({ phase: "Terminated", terminationReason: "UserRequest" });
        await own.controller.stop();
      },
    );

    test("a namespace whose other labels were changed gets them back", async () => {
      const instance = await running();
      const label = "pod-security.kubernetes.io/enforce";
      await world.client.patch(
        Namespaces,
        "",
        namespaceOf(instance),
        merge({ metadata: { labels: { [label]: "privileged" } } }),
      );
      await eventually(
        "it is baseline again",
        async () => {
          const { metadata } = await world.client.get(Namespaces, "", namespaceOf(instance));
          return metadata.labels?.[label] === "baseline";
        },
        15_000,
      );
    });
  });

  describe.concurrent("the Challenge of a running instance", () => {
    const versions = async (instance: Instance) =>
      (await Objects.of(world, instance)).all
        .filter(({ kind }) => !["Pod", "ResourceQuota", "Deployment", "PodDisruptionBudget"].includes(kind))
        .map(({ kind, metadata }) => `${kind}/${metadata.name} ${metadata.resourceVersion}`)
        .sort();

    test("is edited: nothing changes, and what is missing is put back as it was recorded", async () => {
      const instance = await running();
      const before = await versions(instance);
      const name = instance.spec.challengeRef.name;
      const {
        metadata: { generation },
      } = (await find(Deployments, instance, "web")) as Stored<KubeObject>;
      const [container] = (await world.client.get(Challenges, world.namespace, name)).spec.containers;
      const edited = {
        spec: { allowOutboundTraffic: true, containers: [{ ...container, image: "other:2", ports: [] }] },
      };
      await world.client.patch(Challenges, world.namespace, name, merge(edited));
      expect(await isQuiet(instance, 1500)).toBe(true);
      expect(await versions(instance)).toEqual(before);
      expect((await find(Deployments, instance, "web"))?.metadata.generation).toBe(generation);
      await world.client.delete(Deployments, namespaceOf(instance), "web");
      await eventually("it runs again", () => find(Deployments, instance, "web"), 15_000);
      const objects = await Objects.of(world, instance);
      expect(objects.container("web").image).toBe("web:1");
      await world.until(instance, (object) => conditionOf(object, "Healthy")?.status === "True");
    });

    test("is deleted: it goes on, says so, and is still repaired", async () => {
      const instance = await running();
      const before = await versions(instance);
      await world.client.delete(Challenges, world.namespace, instance.spec.challengeRef.name);
      const told = await world.until(
        instance,
        (object) => conditionOf(object, "ChallengeFound")?.reason === "ChallengeDeleted",
      );
      expect(told.status?.phase).toBe("Running");
      expect(await versions(instance)).toEqual(before);
      await world.client.delete(Services, namespaceOf(instance), "web");
      await eventually("its Service is there again", () => find(Services, instance, "web"), 15_000);
      expect((await endOf(world, instance)).status?.terminationReason).toBe("UserRequest");
    });

    test("and its record: deleted, it is made again; with both gone nothing is torn down", async () => {
      const instance = await running();
      const revision = instance.status?.revision ?? "";
      await world.client.delete(ControllerRevisions, cell.namespace, revision);
      await eventually("the record is there again", () =>
        world.client.get(ControllerRevisions, cell.namespace, revision).catch(() => undefined),
      );
      const before = await versions(instance);
      await world.client.delete(Challenges, world.namespace, instance.spec.challengeRef.name);
      await world.client.delete(ControllerRevisions, cell.namespace, revision);
      const told = await world.until(
        instance,
        (object) => conditionOf(object, "DeploymentsCreated")?.reason === "RevisionLost",
      );
      expect(told.status?.phase).toBe("Running");
      expect(await versions(instance)).toEqual(before);

      await world.client.delete(Deployments, namespaceOf(instance), "web");
      const empty = await world.until(instance, isIn("Running", "PodsMissing"));
      const message = "Its containers are gone.";
      expect(conditionOf(empty, "Healthy")).toMatchObject({ status: "False", reason: "PodsMissing", message });
      expect((await endOf(world, instance)).status?.terminationReason).toBe("UserRequest");
    });
  });

  const podOf = async (instance: Instance) => {
    const { items } = await world.client.listAll(Pods, { namespace: namespaceOf(instance) });
    const [pod] = items.filter(({ status }) => status?.phase === "Running");
    if (!pod) throw new Error(`there is no pod in ${namespaceOf(instance)}`);
    return pod;
  };
  const untilHealthy = (instance: Instance, status: string) =>
    world.until(instance, (object) => conditionOf(object, "Healthy")?.status === status);

  describe.concurrent("a pod", () => {
    test("that is no longer ready makes its instance unhealthy, and healthy again when it is", async () => {
      const instance = await running();
      const pod = await podOf(instance);
      await world.simulator.behave(pod, "never-ready");
      const unhealthy = await untilHealthy(instance, "False");
      expect(unhealthy.status?.phase).toBe("Running");
      expect(unhealthy.status?.readyAt).toBe(instance.status?.readyAt);
      await world.simulator.behave(pod, "ready");
      const healthy = await untilHealthy(instance, "True");
      expect(healthy.status?.reason).toBeUndefined();
      await eventsOf(world, instance, "InstanceHealthy");
    });

    test("that crashes is named in plain words", async () => {
      const instance = await running();
      await world.simulator.behave(await podOf(instance), "crash-loop exitCode=3 backoff=1m");
      const unhealthy = await world.until(instance, ({ status }) => status?.reason === "ContainerCrashes");
      expect(unhealthy.status).toMatchObject({
        phase: "Running",
        message: "Container web: it ends by itself (exit code 3)",
      });
    });

    test("that is deleted, or evicted by its node, is replaced; its budget refuses whoever asks", async () => {
      const instance = await running();
      const first = await podOf(instance);
      await expect(world.simulator.evict(first)).rejects.toThrow(/disruption budget/);
      await world.simulator.behave(first, "evicted");
      await untilHealthy(instance, "False");
      await untilHealthy(instance, "True");
      const second = await podOf(instance);
      expect(second.metadata.uid).not.toBe(first.metadata.uid);
      await world.client.delete(Pods, namespaceOf(instance), second.metadata.name, { gracePeriodSeconds: 0 });
      await untilHealthy(instance, "False");
      await untilHealthy(instance, "True");
    });
  });

  // Alone: a node takes everybody's pods with it.
  test("a node that dies takes its pods' health with it, and gives it back", async () => {
    const instance = await running();
    const { spec } = await podOf(instance);
    const node = spec?.nodeName ?? "";
    world.simulator.killNode(node);
    await untilHealthy(instance, "False");
    world.simulator.reviveNode(node);
    await untilHealthy(instance, "True");
    await world.simulator.removeNode(node);
    await untilHealthy(instance, "False");
    await untilHealthy(instance, "True");
    expect((await podOf(instance)).spec?.nodeName).not.toBe(node);
  });
}
