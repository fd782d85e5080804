/** Zones of a Cluster whose Shoot Gardener does not take: stored, and nothing stands in them. */
import { refusal } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { operatorAtWork } from "./testing/at-work.ts";
import { named, untilCondition, untilPhase } from "./testing/told.ts";
import type { World } from "./testing/world.ts";

let world: World;
let isFull = true;

operatorAtWork((started) => ({ world } = started), undefined, {
  listener: {
    before({ server, what }) {
      if (isFull && server === "garden" && what === "create shoots") throw refusal(422);
    },
  },
});

const [a, b, c] = ["a", "b", "c"].map((letter) => `eu-central-1${letter}`) as [string, string, string];

test("may be others until it does, and are settled then", async () => {
  await world.create("picky", named("picky"), { numberOfZones: 2, zones: [a, b] });
  await untilCondition(world, "picky", "ShootCreated", "False/GardenerInvalid");
  const stored = async () => (await world.get("picky"))?.status?.zones;
  const name = (...zones: string[]) =>
    world.edit("picky", ({ spec }) => {
      if (spec.infrastructure) Object.assign(spec.infrastructure, { zones, numberOfZones: zones.length });
    });
  expect(await stored()).toEqual([a, b]);
  await name(b);
  await expect.poll(stored).toEqual([b]);
  await untilCondition(world, "picky", "ShootCreated", "False/GardenerInvalid");
  isFull = false;
  await name(c, b);
  await untilPhase(world, "picky", "Ready");
  expect((await world.shootOf("picky"))?.spec.provider.workers?.[0]?.zones).toEqual([c, b]);
  expect(await stored()).toEqual([c, b]);
  await expect(name(a, b)).rejects.toThrow("zones must name every zone");
});
