import type { KubeObject, Stored } from "@berg/apimachinery";
import { expect, test } from "vitest";
import { type ConfigMap, ConfigMaps } from "../kinds.ts";
import { FakeObjects } from "../testing/fake-objects.ts";
import { refusal } from "../testing/refusal.ts";
import { ensureChild, NotOurs } from "./ensure-child.ts";

const labels = { "owner-uid": "o1" };
const manifest = { metadata: { namespace: "default", name: "card", labels }, data: { title: "Cookie Jar" } };
const isOurs = ({ metadata }: Stored<KubeObject>) => metadata.labels?.["owner-uid"] === "o1";

function ensure(world: FakeObjects, found?: Stored<ConfigMap>) {
  const { signal } = new AbortController();
  return ensureChild(world.client, { type: ConfigMaps, manifest }, { fieldManager: "cards", isOurs, found, signal });
}

test("a child that was not seen is created, under the name of its manager", async () => {
  const world = new FakeObjects();
  const stored = await ensure(world);
  expect(stored.metadata.uid).toBe("card-1");
  expect(world.asked).toEqual(["create card"]);
  expect(world.sent).toEqual([manifest, { fieldManager: "cards" }]);
});

test("one that was seen is applied with its UID, so that no other life of its name is taken over", async () => {
  const world = new FakeObjects();
  await ensure(world, world.put("card", { uid: "u7", labels }));
  expect(world.asked).toEqual(["apply card"]);
  const metadata = { ...manifest.metadata, uid: "u7" };
  expect(world.sent).toEqual([
    { ...manifest, metadata },
    { fieldManager: "cards", force: true },
  ]);
});

test("one that is there without having been seen is applied when it is ours and another", async () => {
  const world = new FakeObjects();
  world.put("card", { uid: "u7", labels, data: { title: "Old" } });
  await ensure(world);
  expect(world.asked).toEqual(["create card", "get card", "apply card"]);
  expect(world.sent[2]).toMatchObject({ metadata: { uid: "u7" } });
});

test("one that is ours and as wanted is left as it is, whether it was seen or not", async () => {
  const world = new FakeObjects();
  const there = world.put("card", { labels, data: { title: "Cookie Jar" } });
  expect(await ensure(world)).toBe(there);
  expect(await ensure(world, there)).toBe(there);
  expect(world.asked).toEqual(["create card", "get card"]);
});

test("one of somebody else is not touched, whether it was seen or not", async () => {
  const world = new FakeObjects();
  const there = world.put("card", { labels: { "owner-uid": "o2" } });
  const error = await ensure(world).catch((error) => error);
  expect(error).toBeInstanceOf(NotOurs);
  expect(error).toMatchObject({ type: ConfigMaps, namespace: "default", objectName: "card" });
  expect(error.message).toContain('the ConfigMap "default/card" is there already and does not carry our mark');
  await expect(ensure(world, there)).rejects.toThrow(NotOurs);
  expect(world.asked).toEqual(["create card", "get card"]);
});

test("every other refusal is told as it is", async () => {
  const world = new FakeObjects();
  world.refusal = refusal(403, { reason: "Forbidden", message: "exceeded quota" });
  await expect(ensure(world)).rejects.toBe(world.refusal);
  await expect(ensure(world, world.put("card", { labels }))).rejects.toBe(world.refusal);
  expect(world.asked).toEqual(["create card", "apply card"]);
});
