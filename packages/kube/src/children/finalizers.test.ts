import { expect, test } from "vitest";
import { ConfigMaps } from "../kinds.ts";
import { FakeObjects } from "../testing/fake-objects.ts";
import { refusal } from "../testing/refusal.ts";
import { addFinalizer, removeFinalizer } from "./finalizers.ts";

const options = { signal: new AbortController().signal };
const seen = { op: "replace", path: "/metadata/resourceVersion", value: "1" };
const set = (value: string[]) => ({ op: "add", path: "/metadata/finalizers", value });

test.each([
  { before: undefined, want: ["ours"] },
  { before: ["theirs"], want: ["theirs", "ours"] },
])("a finalizer is added to $before, for the version that was seen", async ({ before, want }) => {
  const world = new FakeObjects();
  const object = world.put("a", before && { finalizers: before });
  await addFinalizer(world.client, ConfigMaps, object, "ours", options);
  expect(world.sent[0]).toEqual({ type: "json", operations: [seen, set(want)] });
});

test("only ours is removed, for the version that was seen", async () => {
  const world = new FakeObjects();
  const object = world.put("a", { finalizers: ["theirs", "ours", "others"] });
  await removeFinalizer(world.client, ConfigMaps, object, "ours", options);
  expect(world.sent[0]).toEqual({ type: "json", operations: [seen, set(["theirs", "others"])] });
});

test("nothing is asked for where nothing changes", async () => {
  const world = new FakeObjects();
  const held = world.put("a", { finalizers: ["ours"] });
  const free = world.put("b");
  expect(await addFinalizer(world.client, ConfigMaps, held, "ours", options)).toBe(held);
  expect(await removeFinalizer(world.client, ConfigMaps, free, "ours", options)).toBe(free);
  expect(world.asked).toEqual([]);
});

test("from what is gone none needs to be removed, though none can be added to it", async () => {
  const world = new FakeObjects();
  const object = world.put("a", { finalizers: ["ours"] });
  world.refusal = refusal(404, { reason: "NotFound" });
  expect(await removeFinalizer(world.client, ConfigMaps, object, "ours", options)).toBeUndefined();
  await expect(addFinalizer(world.client, ConfigMaps, object, "more", options)).rejects.toBe(world.refusal);
});

test("a conflict is told, so that whoever decided looks again", async () => {
  const world = new FakeObjects();
  const object = world.put("a", { finalizers: ["ours"] });
  world.refusal = refusal(409, { reason: "Conflict" });
  await expect(removeFinalizer(world.client, ConfigMaps, object, "ours", options)).rejects.toBe(world.refusal);
});
