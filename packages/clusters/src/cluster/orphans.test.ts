import { expect, test } from "vitest";
import { orphansOf } from "./orphans.ts";
import { makeCluster, makeShoot } from "./testing/make-objects.ts";

test("a Shoot has outlived its Cluster where none has the UID that it carries", () => {
  const cluster = makeCluster();
  const ours = makeShoot(cluster);
  const theirs = makeShoot(cluster);
  theirs.metadata.annotations = {};
  expect(orphansOf([ours, theirs], [cluster])).toEqual([]);
  expect(orphansOf([ours, theirs], [makeCluster({ uid: "made anew under the same name" })])).toEqual([ours]);
});
