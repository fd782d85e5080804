/** Each check on ours, on a real API server without its controller-manager, and on Kubernetes' own: they are to agree. */
import { isNotFound, type KubeObject, type OwnerReference, type ResourceType, type Stored } from "@berg/apimachinery";
import { ConfigMaps, Events, Namespaces, Secrets, silentLogger, systemClock } from "@berg/kube";
import { missingControlPlane, startControlPlane } from "@berg/test";
import { describe, expect, test } from "vitest";
import { servedKinds } from "../served/served-kinds.ts";
import { eventually } from "../testing/eventually.ts";
import { useWorld, worlds } from "../testing/worlds.ts";
import { addGarbageController } from "./garbage.ts";

const CustomResourceDefinitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};
const Things = { group: "berg.test", version: "v1", resource: "things", kind: "Thing", namespaced: true };
const ClusterRoles = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  resource: "clusterroles",
  kind: "ClusterRole",
  namespaced: false,
};

describe.skipIf(await missingControlPlane()).each(worlds)("garbage, %s", (world) => {
  const plane = useWorld(startControlPlane, world, (manager) => {
    const served = servedKinds(manager, systemClock);
    addGarbageController(manager, { served, clock: systemClock, log: silentLogger });
  });
  let count = 0;

  async function newNamespace(): Promise<string> {
    const { metadata } = await plane.client.create(Namespaces, { metadata: { name: `garbage-${count++}` } });
    return metadata.name;
  }
  const make = (
    type: ResourceType,
    namespace: string,
    name: string,
    owners: OwnerReference[] = [],
    finalizers: string[] = [],
  ): Promise<Stored<KubeObject>> =>
    plane.client.create(type, {
      metadata: { ...(namespace && { namespace }), name, ownerReferences: owners, finalizers },
    });
  const ownedBy = (
    { apiVersion, kind, metadata: { name, uid } }: Stored<KubeObject>,
    more: Partial<OwnerReference> = {},
  ) => {
    return { apiVersion, kind, name, uid, ...more };
  };
  const find = (type: ResourceType, namespace: string, name: string) =>
    plane.client.get(type, namespace, name).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const gone = (type: ResourceType, namespace: string, name: string) =>
    eventually(`${name} is gone`, async () => !(await find(type, namespace, name)));
  /** The longest that the real one takes to see something, or to do what it should not do. */
  const soon = () => new Promise((resolve) => setTimeout(resolve, 1_500));

  test("dependents go with their owner, and theirs with them", async () => {
    const namespace = await newNamespace();
    const owner = await make(ConfigMaps, namespace, "owner");
    const child = await make(Secrets, namespace, "child", [ownedBy(owner)]);
    await make(ConfigMaps, namespace, "grandchild", [ownedBy(child)]);
    await make(ConfigMaps, namespace, "stranger");
    await plane.client.delete(ConfigMaps, namespace, "owner");
    await gone(Secrets, namespace, "child");
    await gone(ConfigMaps, namespace, "grandchild");
    expect(await find(ConfigMaps, namespace, "stranger")).toBeDefined();
  });

  test("a dependent with an owner left stays, and loses the reference to the other", async () => {
    const namespace = await newNamespace();
    const [one, two] = [await make(ConfigMaps, namespace, "one"), await make(ConfigMaps, namespace, "two")];
    await make(Secrets, namespace, "child", [ownedBy(one), ownedBy(two)]);
    await plane.client.delete(ConfigMaps, namespace, "one");
    const child = await eventually("one reference is left", async () => {
      const found = await plane.client.get(Secrets, namespace, "child");
      return found.metadata.ownerReferences?.length === 1 && found;
    });
    expect(child.metadata.ownerReferences).toEqual([ownedBy(two)]);
    await plane.client.delete(ConfigMaps, namespace, "two");
    await gone(Secrets, namespace, "child");
  });

  test("in the foreground the owner waits for those that block it, and for no others", async () => {
    const namespace = await newNamespace();
    const owner = await make(ConfigMaps, namespace, "owner");
    await make(Secrets, namespace, "blocking", [ownedBy(owner, { blockOwnerDeletion: true })], ["berg.test/held"]);
    await make(Secrets, namespace, "not-blocking", [ownedBy(owner)], ["berg.test/held"]);
    // Kubernetes' own leaves one that it sees only later, and that blocks nothing, until the owner is gone.
    await soon();
    await plane.client.delete(ConfigMaps, namespace, "owner", { propagationPolicy: "Foreground" });
    for (const name of ["blocking", "not-blocking"]) {
      await eventually(`${name} is deleted`, async () =>
        Boolean((await plane.client.get(Secrets, namespace, name)).metadata.deletionTimestamp),
      );
    }
    await soon();
    expect((await plane.client.get(ConfigMaps, namespace, "owner")).metadata.finalizers).toEqual([
      "foregroundDeletion",
    ]);
    const release = { type: "merge", body: { metadata: { finalizers: null } } } as const;
    await plane.client.patch(Secrets, namespace, "blocking", release);
    await gone(ConfigMaps, namespace, "owner");
    expect(await find(Secrets, namespace, "not-blocking")).toBeDefined();
    await plane.client.patch(Secrets, namespace, "not-blocking", release);
  });

  test("in the foreground, a chain goes from its end, and a ring goes too", async () => {
    const namespace = await newNamespace();
    const block = { blockOwnerDeletion: true };
    const a = await make(ConfigMaps, namespace, "a");
    const b = await make(ConfigMaps, namespace, "b", [ownedBy(a, block)]);
    const c = await make(ConfigMaps, namespace, "c", [ownedBy(b, block)]);
    await plane.client.patch(ConfigMaps, namespace, "a", {
      type: "merge",
      body: { metadata: { ownerReferences: [ownedBy(c, block)] } },
    });
    await plane.client.delete(ConfigMaps, namespace, "a", { propagationPolicy: "Foreground" });
    for (const name of ["a", "b", "c"]) await gone(ConfigMaps, namespace, name);
  });

  test("a blocking reference that is taken back lets the owner go", async () => {
    const namespace = await newNamespace();
    const owner = await make(ConfigMaps, namespace, "owner");
    await make(Secrets, namespace, "child", [ownedBy(owner, { blockOwnerDeletion: true })], ["berg.test/held"]);
    await plane.client.delete(ConfigMaps, namespace, "owner", { propagationPolicy: "Foreground" });
    await eventually("the child is deleted", async () =>
      Boolean((await plane.client.get(Secrets, namespace, "child")).metadata.deletionTimestamp),
    );
    await plane.client.patch(Secrets, namespace, "child", {
      type: "merge",
      body: { metadata: { ownerReferences: null } },
    });
    await gone(ConfigMaps, namespace, "owner");
  });

  test("orphans stay, without the reference", async () => {
    const namespace = await newNamespace();
    const owner = await make(ConfigMaps, namespace, "owner");
    const other = await make(ConfigMaps, namespace, "other");
    await make(Secrets, namespace, "child", [ownedBy(owner), ownedBy(other)]);
    await plane.client.delete(ConfigMaps, namespace, "owner", { propagationPolicy: "Orphan" });
    await gone(ConfigMaps, namespace, "owner");
    expect((await plane.client.get(Secrets, namespace, "child")).metadata.ownerReferences).toEqual([ownedBy(other)]);
  });

  test("what names an owner that is not there goes at once; what names one by another UID, too", async () => {
    const namespace = await newNamespace();
    const owner = await make(ConfigMaps, namespace, "owner");
    const uid = "00000000-0000-4000-8000-000000000000";
    await make(Secrets, namespace, "of-nobody", [{ apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid }]);
    await make(Secrets, namespace, "of-another", [{ ...ownedBy(owner), uid: uid.replace("8", "9") }]);
    await gone(Secrets, namespace, "of-nobody");
    await gone(Secrets, namespace, "of-another");
    expect(await find(ConfigMaps, namespace, "owner")).toBeDefined();
  });

  test("what names an owner of a kind that is not served stays", async () => {
    const namespace = await newNamespace();
    const uid = "00000000-0000-4000-8000-000000000001";
    await make(Secrets, namespace, "child", [{ apiVersion: "nobody.test/v1", kind: "Nothing", name: "nobody", uid }]);
    await soon();
    expect((await plane.client.get(Secrets, namespace, "child")).metadata.deletionTimestamp).toBeUndefined();
  });

  test("an owner in another namespace is none: the dependent goes, and an event says why", async () => {
    const [here, there] = [await newNamespace(), await newNamespace()];
    const owner = await make(ConfigMaps, there, "owner");
    const { uid } = owner.metadata;
    await soon();
    await make(Secrets, here, "child", [ownedBy(owner)]);
    await gone(Secrets, here, "child");
    const [event] = await eventually("there is an event", async () => {
      const { items } = await plane.client.list(Events, { namespace: here });
      return items.length > 0 && items;
    });
    expect([event?.type, event?.reason, event?.message]).toEqual([
      "Warning",
      "OwnerRefInvalidNamespace",
      `ownerRef [v1/ConfigMap, namespace: ${here}, name: owner, uid: ${uid}] does not exist in namespace "${here}"`,
    ]);
    expect(await find(ConfigMaps, there, "owner")).toBeDefined();
  });

  test("an owner without a namespace owns what has one", async () => {
    const namespace = await newNamespace();
    const owner = await make(ClusterRoles, "", `owner-${namespace}`);
    await make(Secrets, namespace, "child", [ownedBy(owner)]);
    await soon();
    expect(await find(Secrets, namespace, "child")).toBeDefined();
    await plane.client.delete(ClusterRoles, "", owner.metadata.name);
    await gone(Secrets, namespace, "child");
  });

  test("what has no namespace, and names an owner that has one, stays", async () => {
    const namespace = await newNamespace();
    const owner = await make(ConfigMaps, namespace, "owner");
    await make(ClusterRoles, "", `child-${namespace}`, [ownedBy(owner)]);
    await plane.client.delete(ConfigMaps, namespace, "owner");
    await soon();
    expect(await find(ClusterRoles, "", `child-${namespace}`)).toBeDefined();
  });

  test("custom objects own and are owned", async () => {
    const namespace = await newNamespace();
    const names = { plural: "things", singular: "thing", kind: "Thing" };
    const schema = { openAPIV3Schema: { type: "object" } };
    const spec = {
      group: Things.group,
      scope: "Namespaced",
      names,
      versions: [{ name: "v1", served: true, storage: true, schema }],
    };
    await plane.client.create(CustomResourceDefinitions, { metadata: { name: "things.berg.test" }, spec } as never);
    const owner = await eventually("the kind is served", () => make(Things, namespace, "owner").catch(() => undefined));
    await make(Secrets, namespace, "child", [ownedBy(owner)]);
    const map = await make(ConfigMaps, namespace, "map");
    await make(Things, namespace, "owned", [ownedBy(map), ownedBy(owner)]);
    await plane.client.delete(Things, namespace, "owner", { propagationPolicy: "Foreground" });
    await eventually(
      "the custom object lost an owner",
      async () => (await plane.client.get(Things, namespace, "owned")).metadata.ownerReferences?.length === 1,
      60_000,
    );
    await gone(Secrets, namespace, "child");
    await gone(Things, namespace, "owner");
    await plane.client.delete(ConfigMaps, namespace, "map");
    await gone(Things, namespace, "owned");
  });
});
