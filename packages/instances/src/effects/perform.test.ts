import { FewAtOnce, Namespaces } from "@berg/kube";
import { settle } from "@berg/kube/testing";
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

test("what comes into a new namespace waits until the namespace was seen", async () => {
  const seen = Promise.withResolvers<void>();
  const manifest = { metadata: { name: "challenge-a" } };
  const world = {
    client: { create: async () => manifest },
    making: new FewAtOnce(1),
    settled: { wrote() {} },
    namespaceVisibility: { waitFor: () => seen.promise },
    caches: { instances: { view: {} }, pods: { view: { byIndex: () => [] } }, children: new Map(), written: new Map() },
  } as unknown as Surroundings;
  let isDone = false;
  const making = performAll([{ do: "make", child: { type: Namespaces, manifest } }], object, world, signal).then(() => {
    isDone = true;
  });
  await settle();
  expect(isDone).toBe(false);
  // It has been made: others need not wait with it.
  await world.making.run(async () => {}, signal);
  seen.resolve();
  await making;
});
