/** Who is renewed in the moment in which the janitor comes keeps the instance. */
import { Deployments, Namespaces } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { expect, test } from "vitest";
import { GoingNamespaces } from "../removing/going.ts";
import { sightOf } from "../removing/sight.ts";
import { ModelCluster } from "../removing/testing/model-cluster.ts";
import { makeDeployment, makeInstance, makeNamespace, marksOf, start } from "../removing/testing/objects.ts";
import { endIfDue } from "./end.ts";

/** An instance whose time was up ten seconds ago, and that still runs. */
function place() {
  const cluster = new ModelCluster(start + 20_000);
  cluster.put(makeInstance("a", { uid: "a-1", expires: 10 }));
  cluster.put(makeNamespace("challenge-a", { labels: marksOf("a-1") }));
  cluster.put(makeDeployment("web", { labels: marksOf("a-1") }));
  const [instance] = cluster.list(ChallengeInstances);
  if (!instance) throw new Error("it is not there");
  const namespaces = cluster.list(Namespaces);
  const sight = sightOf({ instances: [instance], namespaces, deployments: cluster.list(Deployments), pods: [] });
  const going = new GoingNamespaces(() => namespaces);
  const removing = { client: cluster.client, report() {}, going, signal: new AbortController().signal };
  const end = () => endIfDue(removing, instance, sight, { graceMs: 2000, now: cluster.now });
  return { cluster, end };
}

test("an instance past its time goes first, then what runs", async () => {
  const { cluster, end } = place();
  await end();
  expect(cluster.deletions.map(({ kind }) => kind)).toEqual(["ChallengeInstance", "Deployment"]);
});

test("one that was renewed since it was seen goes on, and is looked at again", async () => {
  const { cluster, end } = place();
  cluster.put(makeInstance("a", { uid: "a-1", expires: 3600 }));
  expect(await end()).toBeGreaterThan(cluster.now);
  expect(cluster.deletions).toEqual([]);
});

test("another one of the same name is not touched", async () => {
  const { cluster, end } = place();
  cluster.put(makeInstance("a", { uid: "a-2", expires: 3600 }));
  await end();
  expect(cluster.deletions).toEqual([]);
});

test("where the controller has begun the end, the empty namespace is left to it for a minute", async () => {
  const { cluster } = place();
  const instance = makeInstance("a", { uid: "a-1", expires: 10, deleted: 10, phase: "Terminating" });
  const sight = sightOf({ instances: [instance], namespaces: cluster.list(Namespaces), deployments: [], pods: [] });
  const going = new GoingNamespaces(() => []);
  const removing = { client: cluster.client, report() {}, going, signal: new AbortController().signal };
  const endAt = (now: number) => endIfDue(removing, instance, sight, { graceMs: 2000, now });
  expect(await endAt(start + 71_999)).toBe(start + 72_000);
  expect(cluster.deletions).toEqual([]);
  await endAt(start + 72_000);
  expect(cluster.deletions.map(({ kind }) => kind)).toEqual(["Namespace"]);
});
