import { expect, test } from "vitest";
import type { GardenTarget } from "../target.ts";
import { Tenancies } from "./tenancies.ts";

function targets(...names: string[]): { targets: GardenTarget[]; done: string[] } {
  const done: string[] = [];
  const made = names.map((name) => {
    const apiServer = { stop: async () => done.push(`${name} stops`), start: async () => done.push(`${name} starts`) };
    return { name, server: `https://${name}`, controlPlane: { apiServer } } as unknown as GardenTarget;
  });
  return { targets: made, done };
}

test("each Shoot has a cluster of its own while there are some, a fresh one if possible, and keeps it", () => {
  const tenancies = new Tenancies(targets("a", "b").targets, "berg");
  expect(["one", "two", "one"].map((shoot) => tenancies.begin(shoot)?.name)).toEqual(["a", "b", "a"]);
  tenancies.end("one");
  expect(tenancies.of("one")).toBeUndefined();
  expect(["three", "four"].map((shoot) => tenancies.begin(shoot)?.name)).toEqual(["a", "b"]);
});

test("without clusters there is an address all the same", () => {
  const tenancies = new Tenancies([], "berg");
  expect(tenancies.begin("one")).toBeUndefined();
  expect(tenancies.urlOf("one")).toBe("https://api.one.berg.garden.test");
});

test("a cluster sleeps once, wakes once, and not while others are in it", async () => {
  const { targets: made, done } = targets("a");
  const tenancies = new Tenancies(made, "berg");
  tenancies.begin("one");
  for (const asleep of [false, true, true, false, false]) await tenancies.sleep("one", asleep);
  expect(done).toEqual(["a stops", "a starts"]);
  tenancies.begin("two");
  await tenancies.sleep("one", true);
  expect(done).toHaveLength(2);
});
