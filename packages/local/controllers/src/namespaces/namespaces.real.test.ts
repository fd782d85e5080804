/** On a real API server without its controller-manager; and with it, to see that both say the same. */
import { type Condition, isNotFound } from "@berg/apimachinery";
import { type Client, ConfigMaps, createClient, Namespaces, Pods, Secrets, systemClock, unlimited } from "@berg/kube";
import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { servedKinds } from "../served/served-kinds.ts";
import { addServiceAccountController } from "../service-accounts/service-accounts.ts";
import { eventually } from "../testing/eventually.ts";
import { type Running, runControllers } from "../testing/run-controllers.ts";
import { addNamespaceController } from "./namespaces.ts";

const held = "berg.test/held";

/** Ours, and Kubernetes' own: every check here holds for both. */
const worlds = ["ours", "real"] as const;
type World = (typeof worlds)[number];

describe.skipIf(await missingControlPlane())("a namespace that is deleted", () => {
  const planes = new Map<World, ControlPlane>();
  const clients = new Map<World, Client>();
  let running: Running;

  beforeAll(async () => {
    const [ours, real] = await Promise.all([
      startControlPlane({ controllerManager: false, scheduler: false }),
      startControlPlane({ scheduler: false }),
    ]);
    planes.set("ours", ours).set("real", real);
    running = await runControllers(ours.connection, (manager) => {
      addNamespaceController(manager, { served: servedKinds(manager, systemClock), clock: systemClock });
      addServiceAccountController(manager);
    });
    clients.set("ours", running.client).set("real", createClient({ connection: real.connection, rate: unlimited }));
  });
  afterAll(async () => {
    await clients.get("real")?.close();
    await running?.[Symbol.asyncDispose]();
    await Promise.all([...planes.values()].map((plane) => plane.stop()));
  });

  const isGone = (client: Client, name: string) =>
    client.get(Namespaces, "", name).then(
      () => false,
      (error) => isNotFound(error),
    );
  const conditions = async (client: Client, name: string) => {
    const { status } = await client.get(Namespaces, "", name);
    return (status?.conditions as Condition[] | undefined)?.map(({ lastTransitionTime: _, ...rest }) => rest);
  };

  test("is deleted with its contents", async () => {
    const { client } = running;
    const namespace = "full";
    await client.create(Namespaces, { metadata: { name: namespace } });
    await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        await client.create(ConfigMaps, { metadata: { namespace, name: `map-${n}` } });
        await client.create(Secrets, { metadata: { namespace, name: `secret-${n}` } });
      }),
    );
    await client.delete(Namespaces, "", namespace);
    await eventually("the namespace is gone", () => isGone(client, namespace));
    expect((await client.list(ConfigMaps, { namespace })).items).toEqual([]);
    expect((await client.list(Secrets, { namespace })).items).toEqual([]);
  });

  test("with custom objects of a kind that was made just before goes with them", async () => {
    const { client } = running;
    const group = "berg.test";
    const crd = {
      group: "apiextensions.k8s.io",
      version: "v1",
      resource: "customresourcedefinitions",
      kind: "CustomResourceDefinition",
      namespaced: false,
    };
    const names = { plural: "things", singular: "thing", kind: "Thing" };
    const schema = { openAPIV3Schema: { type: "object" } };
    const spec = { group, scope: "Namespaced", names, versions: [{ name: "v1", served: true, storage: true, schema }] };
    await client.create(crd, { metadata: { name: `things.${group}` }, spec } as never);
    const Things = { group, version: "v1", resource: "things", kind: "Thing", namespaced: true };
    await client.create(Namespaces, { metadata: { name: "custom" } });
    await eventually("the kind is served", () =>
      client.create(Things, { metadata: { namespace: "custom", name: "one" } }).then(
        () => true,
        () => false,
      ),
    );
    await client.delete(Namespaces, "", "custom");
    await eventually("the namespace is gone", () => isGone(client, "custom"));
    expect((await client.list(Things)).items).toEqual([]);
  });

  test.each(worlds)("says what holds it, and goes when that is let go: %s", async (world) => {
    const client = clients.get(world) as Client;
    const namespace = "holding";
    await client.create(Namespaces, { metadata: { name: namespace } });
    for (const name of ["one", "two"]) {
      await client.create(ConfigMaps, { metadata: { namespace, name, finalizers: [held] } });
    }
    await client.delete(Namespaces, "", namespace);
    const said = await eventually("it says what remains", async () => {
      const found = await conditions(client, namespace);
      return found?.some(({ type, status }) => type === "NamespaceContentRemaining" && status === "True") && found;
    });
    expect(said).toEqual([
      {
        type: "NamespaceDeletionDiscoveryFailure",
        status: "False",
        reason: "ResourcesDiscovered",
        message: "All resources successfully discovered",
      },
      {
        type: "NamespaceDeletionGroupVersionParsingFailure",
        status: "False",
        reason: "ParsedGroupVersions",
        message: "All legacy kube types successfully parsed",
      },
      {
        type: "NamespaceDeletionContentFailure",
        status: "False",
        reason: "ContentDeleted",
        message: "All content successfully deleted, may be waiting on finalization",
      },
      {
        type: "NamespaceContentRemaining",
        status: "True",
        reason: "SomeResourcesRemain",
        message: "Some resources are remaining: configmaps. has 2 resource instances",
      },
      {
        type: "NamespaceFinalizersRemaining",
        status: "True",
        reason: "SomeFinalizersRemain",
        message: `Some content in the namespace has finalizers remaining: ${held} in 2 resource instances`,
      },
    ]);
    for (const name of ["one", "two"]) {
      await client.patch(ConfigMaps, namespace, name, { type: "merge", body: { metadata: { finalizers: null } } });
    }
    await eventually("the namespace is gone", () => isGone(client, namespace), 30_000);
  });

  test.each(worlds)("keeps the rest while a pod is left, and then says no more than that: %s", async (world) => {
    const client = clients.get(world) as Client;
    const namespace = "with-pod";
    await client.create(Namespaces, { metadata: { name: namespace } });
    await client.create(ConfigMaps, { metadata: { namespace, name: "kept" } });
    const spec = {
      containers: [{ name: "one", image: "none" }],
      nodeName: "nowhere",
      terminationGracePeriodSeconds: 3,
    };
    await eventually("the pod is made", () =>
      client.create(Pods, { metadata: { namespace, name: "one" }, spec }).then(
        () => true,
        () => false,
      ),
    );
    await client.delete(Namespaces, "", namespace);
    const failed = await eventually("the pod is overdue", async () => {
      const found = await conditions(client, namespace);
      return (
        found?.some(({ type, status }) => type === "NamespaceDeletionContentFailure" && status === "True") && found
      );
    });
    expect(failed.map(({ status, reason }) => [status, reason])).toEqual([
      ["False", "ResourcesDiscovered"],
      ["False", "ParsedGroupVersions"],
      ["True", "ContentDeletionFailed"],
      ["False", "ContentRemoved"],
      ["False", "ContentHasNoFinalizers"],
    ]);
    expect(failed[2]?.message).toBe(
      "Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: with-pod for gvr: /v1, Resource=pods",
    );
    await client.get(ConfigMaps, namespace, "kept");
    await client.delete(Pods, namespace, "one", { gracePeriodSeconds: 0 });
    await eventually("the namespace is gone", () => isGone(client, namespace), 60_000);
  });

  test("goes beside 30 others", async () => {
    const { client } = running;
    const names = Array.from({ length: 30 }, (_, n) => `many-${n}`);
    await Promise.all(names.map((name) => client.create(Namespaces, { metadata: { name } })));
    await Promise.all(names.map((namespace) => client.create(ConfigMaps, { metadata: { namespace, name: "one" } })));
    await Promise.all(names.map((name) => client.delete(Namespaces, "", name)));
    for (const name of names) await eventually(`${name} is gone`, () => isGone(client, name), 60_000);
  });
});
