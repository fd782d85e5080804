/** What somebody else does in the moment of a deletion is not undone by it. */
import { Namespaces } from "@berg/kube";
import { expect, test } from "vitest";
import { GoingNamespaces } from "./going.ts";
import { remove, removeNamespace } from "./remove.ts";
import { ModelCluster } from "./testing/model-cluster.ts";
import { makeNamespace, marksOf, start } from "./testing/objects.ts";

/** A namespace of the instance `a-1`, as it was seen, and the cluster in which it is. */
function place() {
  const cluster = new ModelCluster(start);
  cluster.put(makeNamespace("challenge-a", { uid: "n-1", labels: marksOf("a-1") }));
  const [seen] = cluster.list(Namespaces);
  if (!seen) throw new Error("it is not there");
  const going = new GoingNamespaces(() => []);
  const removing = { client: cluster.client, report() {}, going, signal: new AbortController().signal };
  return { cluster, seen, removing };
}

const another = makeNamespace("challenge-a", { uid: "n-2", labels: marksOf("a-1") });
const claimed = makeNamespace("challenge-a", { uid: "n-1", labels: marksOf("b-1") });
const unmarked = makeNamespace("challenge-a", { uid: "n-1" });

test("an object is deleted, and its name is told", async () => {
  const { cluster, seen, removing } = place();
  expect(await remove(removing, Namespaces, seen, "why")).toBe(true);
  expect(cluster.deletions.map(({ object }) => object.metadata.uid)).toEqual(["n-1"]);
});

test("one that was made anew under the same name is another, and stays", async () => {
  const { cluster, seen, removing } = place();
  cluster.put(another);
  expect(await remove(removing, Namespaces, seen, "why")).toBe(false);
  expect(cluster.deletions).toEqual([]);
});

test("one that somebody has changed since stays where it has to be unchanged", async () => {
  const { cluster, seen, removing } = place();
  cluster.put(claimed);
  expect(await remove(removing, Namespaces, seen, "why", { unchanged: true })).toBe(false);
  expect(cluster.deletions).toEqual([]);
});

test.each([
  ["made anew", another],
  ["claimed by another instance", claimed],
  ["without our marks", unmarked],
])("a namespace that by now is %s stays, when it was asked for and when it comes in between", async (_, now) => {
  const before = place();
  before.cluster.put(now);
  expect(await removeNamespace(before.removing, before.seen, "a-1", "why")).toBe(false);

  // Between the question whose it is and the deletion.
  const between = place();
  let requests = 0;
  between.cluster.meanwhile = () => {
    if (++requests === 2) between.cluster.put(now);
  };
  expect(await removeNamespace(between.removing, between.seen, "a-1", "why")).toBe(false);
  expect([...before.cluster.deletions, ...between.cluster.deletions]).toEqual([]);
});
