/** What an instance waits for without anybody having made a mistake; it goes on by itself. */
import { randomUUID } from "node:crypto";
import { isNotFound, type KubeObject, type Stored } from "@berg/apimachinery";
import { Namespaces, Secrets } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, labels, managedByBerg } from "@berg/resources";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { RunningController } from "./controllers.ts";
import { conditionOf, endOf, eventsOf, isIn, isRunning, namespaceOf, Objects, type StartWorld } from "./seeing.ts";
import type { World } from "./world.ts";

type Instance = Stored<ChallengeInstance>;

interface Routed {
  spec: { hostnames: string[] };
}

export function describeWaiting(startWorld: StartWorld): void {
  let world: World;
  let controller: RunningController | undefined;

  beforeAll(async () => {
    // With Kubernetes' policies besides: Cilium's come so late that the watcher does not know them.
    world = await startWorld({ foreignCrds: { which: [] }, env: { NETWORK_POLICY: "both" } });
  });
  afterEach(async () => {
    await controller?.stop();
    controller = undefined;
  });
  afterAll(async () => {
    await world?.stop();
  });

  describe("for kinds that the cluster lacks", () => {
    const texts: [port: string | undefined, condition: string, message: string][] = [
      [
        "publicHttpRoute",
        "RoutesCreated",
        "The cluster has no HTTPRoute, or they cannot be listed (the log says why): install the Gateway API with its CRD httproutes.gateway.networking.k8s.io.",
      ],
      [
        "publicTlsRoute",
        "RoutesCreated",
        "The cluster has no TLSRoute, or they cannot be listed (the log says why): install the Gateway API with its CRD tlsroutes.gateway.networking.k8s.io.",
      ],
      [
        undefined,
        "NetworkPolicyCreated",
        "The cluster has no CiliumNetworkPolicy, or they cannot be listed (the log says why): install Cilium with its CRD ciliumnetworkpolicies.cilium.io, or set NETWORK_POLICY=kubernetes.",
      ],
    ];

    async function expectWaiting(port: string | undefined, type: string, message: string): Promise<Instance> {
      const challenge = world.challenge().container("web");
      if (port !== undefined) challenge.port(443, port);
      const instance = await world.instance(await challenge.create()).create();
      const held = await world.until(instance, isIn("Pending", "KindMissing"));
      expect(held.status?.message).toBe(message);
      expect(conditionOf(held, type)).toMatchObject({ status: "False", reason: "KindMissing", message });
      const told = await eventsOf(world, held, "KindMissing");
      expect(told).toEqual([{ type: "Warning", reason: "KindMissing", message }]);
      const namespace = world.client.get(Namespaces, "", namespaceOf(instance));
      await expect(namespace.catch((error) => isNotFound(error))).resolves.toBe(true);
      return instance;
    }

    test("it says which CRD to install, makes nothing, and goes on soon after they are there", async () => {
      const [http, tls, cilium] = texts as [(typeof texts)[0], (typeof texts)[0], (typeof texts)[0]];
      controller = await world.startController({ env: { NETWORK_POLICY: "kubernetes" } });
      const waiting = await Promise.all([expectWaiting(...http), expectWaiting(...tls)]);
      await controller.stop();
      controller = await world.startController();
      waiting.push(await expectWaiting(...cilium));

      // TLSRoutes as clusters have them that are a little older.
      await world.installForeignCrds({ tlsRouteVersion: "v1alpha2" });
      const running = await Promise.all(waiting.map((one) => world.until(one, isRunning, { within: 25_000 })));
      for (const one of running) {
        const conditions = ["NetworkPolicyCreated", "RoutesCreated"].map((type) => conditionOf(one, type)?.status);
        expect(conditions).toEqual(["True", "True"]);
        const objects = await Objects.of(world, one);
        expect(objects.has("CiliumNetworkPolicy")).toBe(true);
        const routes = objects.all.filter(({ kind }) => kind.endsWith("Route")) as (KubeObject & Routed)[];
        expect(one.status?.services?.map(({ hostname }) => hostname)).toEqual(
          routes.flatMap(({ spec }) => spec.hostnames),
        );
        if (objects.has("TLSRoute"))
          expect(objects.get("TLSRoute").apiVersion).toBe("gateway.networking.k8s.io/v1alpha2");
      }
      await Promise.all(running.map((one) => endOf(world, one)));
    });
  });

  describe("for the pull secret", () => {
    test("it says where to create it, copies no more of it than the credentials, and goes on", async () => {
      controller = await world.startController({ env: { PULL_SECRET_NAME: "registry" } });
      const instance = await world.instance(await world.challenge().create()).create();
      const held = await world.until(instance, isIn("Pending", "PullSecretMissing"));
      const message = `There is no Secret registry (PULL_SECRET_NAME) in the namespace ${world.namespace}; create it there.`;
      expect(held.status?.message).toBe(message);
      expect(conditionOf(held, "DeploymentsCreated")).toMatchObject({ status: "False", reason: "PullSecretMissing" });
      expect(await eventsOf(world, held, "InstanceWaiting")).toEqual([
        { type: "Normal", reason: "InstanceWaiting", message },
      ]);

      const type = "kubernetes.io/dockerconfigjson";
      const data = { ".dockerconfigjson": Buffer.from('{"auths":{}}').toString("base64") };
      const { apiVersion = "", kind = "", metadata } = await world.client.get(Namespaces, "", world.namespace);
      await world.client.create(Secrets, {
        metadata: {
          namespace: world.namespace,
          name: "registry",
          labels: { "argocd.argoproj.io/instance": "berg" },
          annotations: { "reflector.example.com/mirror": "yes" },
          ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }],
        },
        type,
        data,
      });
      const objects = await Objects.of(world, await world.until(instance, isRunning));
      const copy = objects.get("Secret", "registry");
      expect(copy).toMatchObject({ type, data });
      expect(copy.metadata.ownerReferences).toBeUndefined();
      expect(copy.metadata.annotations).toBeUndefined();
      expect(Object.keys(copy.metadata.labels).filter((label) => label.startsWith("argocd"))).toEqual([]);
      expect(objects.podTemplate("web").spec.imagePullSecrets).toEqual([{ name: "registry" }]);
      await endOf(world, instance);
    });
  });

  describe("for the owner's namespace", () => {
    test("that nobody is about to remove: it says so, leaves it alone, and goes on when somebody has", async () => {
      controller = await world.startController({ env: { NETWORK_POLICY: "kubernetes" } });
      const ownerId = randomUUID();
      const name = `challenge-${ownerId}`;
      const marks = { [labels.managedBy]: managedByBerg, [labels.instanceUid]: randomUUID() };
      const left = await world.client.create(Namespaces, { metadata: { name, labels: marks } });
      const instance = await world
        .instance(await world.challenge().create())
        .ownedBy(ownerId)
        .create();
      const held = await world.until(instance, isIn("Pending", "LeftOver"));
      const message = `The namespace ${name} is left over from an instance that no longer exists; delete it. This instance starts by itself when it is gone.`;
      expect(conditionOf(held, "NamespaceCreated")).toMatchObject({ status: "False", reason: "LeftOver", message });
      const told = await eventsOf(world, held, "InstanceWaiting");
      expect(told.at(-1)).toMatchObject({ message });
      const { metadata } = await world.client.get(Namespaces, "", name);
      expect([metadata.uid, metadata.deletionTimestamp]).toEqual([left.metadata.uid, undefined]);
      await world.client.delete(Namespaces, "", name);
      await endOf(world, await world.until(instance, isRunning));
    });
  });

  describe("for a place", () => {
    test("two run, five wait, and whoever came first goes first", async () => {
      controller = await world.startController({ env: { MAX_INSTANCES: "2" } });
      const challenge = await world.challenge().create();
      const instances: Instance[] = [];
      // Apart by a second: that is how finely the server tells who came first.
      for (let count = 0; count < 3; count++) {
        instances.push(await world.instance(challenge).create());
        await new Promise((resolve) => setTimeout(resolve, 1_050));
      }
      for (let count = 0; count < 4; count++) instances.push(await world.instance(challenge).create());
      const [first, second, third, ...others] = instances as [Instance, Instance, Instance, ...Instance[]];
      await Promise.all([world.until(first, isRunning), world.until(second, isRunning)]);
      for (const one of [third, ...others]) {
        const waiting = await world.until(one, isIn("Pending", "CapacityReached"));
        expect(conditionOf(waiting, "Admitted")).toMatchObject({ status: "False", reason: "CapacityReached" });
        expect(waiting.status?.message).toBe(
          "All 2 places are taken; this instance starts by itself when one becomes free.",
        );
      }
      await eventsOf(world, third, "InstanceWaiting");

      await world.client.delete(ChallengeInstances, world.namespace, first.metadata.name);
      const running = await world.until(third, isRunning);
      expect(conditionOf(running, "Admitted")).toMatchObject({ status: "True" });
      expect(running.status?.history?.at(-1)?.reason).toBe("Admitted");
      const phases = await Promise.all(instances.slice(1).map(phaseOf));
      expect(phases).toEqual(["Running", "Running", "Pending", "Pending", "Pending", "Pending"]);

      const rest = instances.slice(1);
      await Promise.all(rest.map((one) => endOf(world, one)));
    });

    async function phaseOf({ metadata }: Instance) {
      const { status } = await world.client.get(ChallengeInstances, world.namespace, metadata.name);
      return status?.phase;
    }
  });

  test("after all of them nothing was broken that must never be", () => world.check());
}
