/** Copies are of different moments: one of namespaces may be ahead of the one of ChallengeInstances. */
import { Deployments, Namespaces } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { GoingNamespaces } from "../removing/going.ts";
import { sightOf } from "../removing/sight.ts";
import { ModelCluster } from "../removing/testing/model-cluster.ts";
import { makeDeployment, makeInstance, makeNamespace, marksOf, start } from "../removing/testing/objects.ts";
import { findGhosts } from "./find.ts";
import { sweepGhosts } from "./sweep.ts";

/** A namespace with something that runs, as whoever has not heard of its instance sees it. */
function seenWithoutInstance() {
  const cluster = new ModelCluster(start + 100_000);
  cluster.put(makeNamespace("challenge-a", { labels: marksOf("a-1") }));
  cluster.put(makeDeployment("web", { labels: marksOf("a-1") }));
  const namespaces = cluster.list(Namespaces);
  const deployments = cluster.list(Deployments);
  const sight = sightOf({ instances: [], namespaces, deployments, pods: [] });
  const sweep = (client = cluster.client) => {
    const going = new GoingNamespaces(() => namespaces);
    const removing = { client, report() {}, going, signal: new AbortController().signal };
    return sweepGhosts(findGhosts(namespaces, new Set()), { removing, sight, now: cluster.now });
  };
  return { cluster, sweep };
}

test("a ghost that nobody owns is stopped first", async () => {
  const { cluster, sweep } = seenWithoutInstance();
  await sweep();
  expect(cluster.deletions.map(({ kind }) => kind)).toEqual(["Deployment"]);
});

test("what the copies take for a ghost is left alone where the server has its instance", async () => {
  const { cluster, sweep } = seenWithoutInstance();
  cluster.put(makeInstance("a", { uid: "a-1" }));
  await sweep();
  expect(cluster.deletions).toEqual([]);
});

test("where the instances cannot be read nothing is swept", async () => {
  const { cluster, sweep } = seenWithoutInstance();
  const client = { ...cluster.client, listAll: () => Promise.reject(refusal(404, { reason: "NotFound" })) };
  await expect(sweep(client)).rejects.toThrow();
  expect(cluster.deletions).toEqual([]);
});

test("in a namespace that a fresh instance has just claimed nothing is stopped", async () => {
  const { cluster, sweep } = seenWithoutInstance();
  cluster.put(makeNamespace("challenge-a", { labels: marksOf("a-2") }));
  cluster.put(makeInstance("a", { uid: "a-2" }));
  await sweep();
  expect(cluster.deletions).toEqual([]);
});
