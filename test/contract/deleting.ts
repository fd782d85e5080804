import { isConflict, isNotFound } from "@berg/apimachinery";
import { ConfigMaps, type DeleteOptions, Pods } from "@berg/kube";
import { expect, test } from "vitest";
import { createPod, eventually, exists, type Given, refusal, untilGone } from "./given.ts";

const finalizers = ["berg.test/hold"];
const release = { type: "merge", body: { metadata: { finalizers: null } } } as const;

export function deleting(given: Given): void {
  const create = (name: string, metadata: object = {}) =>
    given.client.create(ConfigMaps, { metadata: { namespace: given.namespace, name, ...metadata } });
  const remove = (name: string, options?: DeleteOptions) =>
    given.client.delete(ConfigMaps, given.namespace, name, options);
  const get = (name: string) => given.client.get(ConfigMaps, given.namespace, name);

  test("deletes once", async () => {
    const { metadata } = await create("one");
    await remove("one");
    expect(await exists(given.client, ConfigMaps, metadata)).toBe(false);
    expect(isNotFound(await refusal(remove("one")))).toBe(true);
  });

  test("only the life and the version that are meant", async () => {
    const { uid, resourceVersion } = (await create("one")).metadata;
    await given.client.patch(ConfigMaps, given.namespace, "one", { type: "merge", body: { data: { a: "1" } } });
    expect(isConflict(await refusal(remove("one", { preconditions: { uid: "another" } })))).toBe(true);
    expect(isConflict(await refusal(remove("one", { preconditions: { uid, resourceVersion } })))).toBe(true);
    await expect(remove("one", { preconditions: { uid: undefined } })).rejects.toThrow("preconditions.uid is empty");
    expect((await get("one")).metadata.uid).toBe(uid);
    await remove("one", { preconditions: { uid } });
    expect(isNotFound(await refusal(get("one")))).toBe(true);
  });

  test("a finalizer holds it, and it takes no new one", async () => {
    const { client, namespace } = given;
    await create("held", { finalizers });
    await remove("held");
    const held = await get("held");
    expect(held.metadata.deletionTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    await remove("held");
    expect((await get("held")).metadata.deletionTimestamp).toBe(held.metadata.deletionTimestamp);
    const more = { type: "merge", body: { metadata: { finalizers: [...finalizers, "berg.test/late"] } } } as const;
    expect((await refusal(client.patch(ConfigMaps, namespace, "held", more))).code).toBe(422);
    await client.patch(ConfigMaps, namespace, "held", release);
    expect(isNotFound(await refusal(get("held")))).toBe(true);
  });

  test("a pod on a node is given its grace; without any it goes at once", async () => {
    const { client, namespace } = given;
    const { metadata } = await createPod(given, "bound", {}, { nodeName: "none", terminationGracePeriodSeconds: 77 });
    await client.delete(Pods, namespace, "bound");
    expect((await client.get(Pods, namespace, "bound")).metadata.deletionGracePeriodSeconds).toBe(77);
    await client.delete(Pods, namespace, "bound", { gracePeriodSeconds: 5 });
    expect((await client.get(Pods, namespace, "bound")).metadata.deletionGracePeriodSeconds).toBe(5);
    await client.delete(Pods, namespace, "bound", { gracePeriodSeconds: 0 });
    expect(await exists(client, Pods, metadata)).toBe(false);
  });

  test("deletes what a selector selects", async () => {
    const { client, namespace } = given;
    for (const name of ["a-1", "a-2", "b-1"]) await create(name, { labels: { group: name.slice(0, 1) } });
    await client.deleteCollection(ConfigMaps, { namespace, labelSelector: "group=a" });
    const { items } = await client.list(ConfigMaps, { namespace, labelSelector: "group" });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["b-1"]);
    await expect(client.deleteCollection(ConfigMaps, { labelSelector: "group" })).rejects.toThrow("needs a namespace");
  });

  /** An owner, and one that depends on it and holds it up. */
  async function createFamily() {
    const owner = await create("owner");
    const { apiVersion, kind } = owner;
    const reference = { apiVersion, kind, name: "owner", uid: owner.metadata.uid, blockOwnerDeletion: true };
    const child = await create("child", { ownerReferences: [reference], finalizers });
    return { owner: owner.metadata, child: child.metadata };
  }

  test("in the background the owner goes first", async () => {
    const { client, namespace } = given;
    const { owner, child } = await createFamily();
    await remove("owner", { propagationPolicy: "Background" });
    expect(await exists(client, ConfigMaps, owner)).toBe(false);
    await eventually(async () => expect((await get("child")).metadata.deletionTimestamp).toBeDefined());
    await client.patch(ConfigMaps, namespace, "child", release);
    await untilGone(client, ConfigMaps, child);
  });

  test("in the foreground the owner goes last", async () => {
    const { client, namespace } = given;
    const { owner, child } = await createFamily();
    await remove("owner", { propagationPolicy: "Foreground" });
    await eventually(async () => expect((await get("child")).metadata.deletionTimestamp).toBeDefined());
    expect((await get("owner")).metadata).toMatchObject({ finalizers: ["foregroundDeletion"] });
    await client.patch(ConfigMaps, namespace, "child", release);
    await untilGone(client, ConfigMaps, owner);
    expect(await exists(client, ConfigMaps, child)).toBe(false);
  });

  test("orphans stay, and forget their owner", async () => {
    const { owner } = await createFamily();
    await remove("owner", { propagationPolicy: "Orphan" });
    await untilGone(given.client, ConfigMaps, owner);
    const { metadata } = await get("child");
    expect(metadata.ownerReferences ?? []).toEqual([]);
    expect(metadata.deletionTimestamp).toBeUndefined();
  });
}
