import { finalizers } from "@berg/resources";
import { expect, test } from "vitest";
import type { Surroundings } from "../observe/gather.ts";
import { makeInstance } from "../testing/make-objects.ts";
import { performAll } from "./perform.ts";

const { signal } = new AbortController();
const { object } = makeInstance().held();
const { uid } = object.metadata;

function around(patch: (released: Set<string>) => Promise<unknown>) {
  const released = new Set<string>();
  const caches = { instances: { view: {} } };
  return { released, caches, client: { patch: () => patch(released) } } as unknown as Surroundings;
}

test("an instance that is let go is not looked at any more while its copy is still there", async () => {
  const world = around(async (released) => expect(released.has(uid)).toBe(true));
  await performAll([{ do: "removeFinalizer" }], object, world, signal);
  expect(world.released.has(uid)).toBe(true);
});

test("one whose end was seen before the answer came is not kept in mind for ever", async () => {
  const world = around(async (released) => released.delete(uid));
  await performAll([{ do: "removeFinalizer" }], object, world, signal);
  expect(world.released.size).toBe(0);
});

test("one that could not be let go is looked at again", async () => {
  const world = around(async () => Promise.reject(new Error("connection lost")));
  await expect(performAll([{ do: "removeFinalizer" }], object, world, signal)).rejects.toMatchObject({
    message: `cannot remove the finalizer ${finalizers.controller}`,
    cause: new Error("connection lost"),
  });
  expect(world.released.size).toBe(0);
});
