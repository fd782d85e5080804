import { expect, test } from "vitest";
import { orphansOf } from "./orphans.ts";
import { makeCluster, makeShoot } from "./testing/make-objects.ts";

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
