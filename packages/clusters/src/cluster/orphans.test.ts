import { setTimeout as delay } from "node:timers/promises";
import { type Logger, silentLogger } from "@berg/kube";
import { expect, test } from "vitest";
import { Shoots } from "../gardener/kinds.ts";
import { orphansOf } from "./orphans.ts";
import { makeCluster, makeShoot } from "./testing/make-objects.ts";
import { named, untilPhase } from "./testing/told.ts";
import { gardenNamespace, startWorld } from "./testing/world.ts";

test("a Shoot has outlived its Cluster where none has the UID that it carries", () => {
  const cluster = makeCluster();
  const ours = makeShoot(cluster);
  const theirs = makeShoot(cluster);
  theirs.metadata.annotations = {};
  theirs.metadata.labels = {};
  const stripped = makeShoot(cluster);
  stripped.metadata.annotations = {};
  const all = [ours, theirs, stripped];
  expect(orphansOf(all, [cluster])).toEqual([]);
  expect(orphansOf(all, [makeCluster({ uid: "made anew under the same name" })])).toEqual([ours, stripped]);
});

test("it is told of once, however often it is found, and is neither changed nor deleted", async () => {
  await using world = await startWorld();
  {
    await using _ = await world.startOperator();
    for (const name of ["orphan", "kept"]) await world.create(name, named(name));
    for (const name of ["orphan", "kept"]) await untilPhase(world, name, "Ready");
  }
  // While nobody looks, somebody takes our finalizer away.
  await world.edit("orphan", ({ metadata }) => {
    metadata.finalizers = [];
  });
  await world.remove("orphan");
  expect(await world.get("orphan")).toBeUndefined();
  const found = async () => {
    const { metadata, spec } = await world.client.get(Shoots, gardenNamespace, "orphan");
    const { uid, annotations, deletionTimestamp } = metadata;
    return { uid, annotations, deletionTimestamp, spec };
  };
  const before = await found();

  const lines: string[] = [];
  const warn = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Logger = { ...silentLogger, warn, child: () => log };
  await using operator = await world.startOperator({ log, resyncMs: 50 });
  const told = () => lines.filter((line) => line.includes("outlived"));
  await expect.poll(told).toHaveLength(1);
  expect(told()[0]).toContain('"shoot":"orphan","cluster":"clusters/orphan"');
  await delay(500);
  expect(told()).toHaveLength(1);
  expect(operator.calls.filter(({ server, isWrite }) => server === "garden" && isWrite)).toEqual([]);
  expect(await found()).toEqual(before);
});
