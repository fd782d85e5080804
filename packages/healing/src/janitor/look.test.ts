import { expect, test } from "vitest";
import { findGhosts } from "../ghosts/find.ts";
import { ModelCluster } from "../removing/testing/model-cluster.ts";
import { makeInstance, makeNamespace, marksOf, start } from "../removing/testing/objects.ts";
import { look } from "./look.ts";

test("an instance that starts while everything is listed is not taken for a ghost", async () => {
  const cluster = new ModelCluster(start);
  let started = 0;
  cluster.meanwhile = () => {
    const uid = `uid-${started++}`;
    cluster.put(makeInstance(uid, { uid }));
    cluster.put(makeNamespace(`challenge-${uid}`, { labels: marksOf(uid) }));
  };
  const { instances, namespaces } = await look(cluster.client, new AbortController().signal);
  expect(namespaces.length).toBeGreaterThan(0);
  expect(findGhosts(namespaces, new Set(instances.map(({ metadata }) => metadata.uid)))).toEqual([]);
});
