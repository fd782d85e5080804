import type { Stored } from "@berg/apimachinery";
import type { Namespace } from "@berg/kube";
import { labels } from "@berg/resources";
import { expect, test } from "vitest";
import { planMirror } from "./plan-mirror.ts";
import { makeNetwork, makeObject } from "./testing/make-network.ts";

const networkOf = (namespace: string, name = `berg-0-${namespace}`) =>
  makeNetwork(name, { "berg.local/namespace": namespace });
const mirrorOf = (namespace: string, networkName = `berg-0-${namespace}`, isDeleted = false) =>
  makeObject({
    name: namespace,
    uid: `uid-${namespace}`,
    mode: "existing",
    networkName,
    isDeleted,
    labels: { [labels.managedBy]: "berg", [labels.networkOfNamespace]: namespace },
  });

/** Names of namespaces that are there; those with a cross are about to go. */
const among = (names: string[]) => (name: string) => {
  const isGoing = names.includes(`${name}†`);
  if (!names.includes(name) && !isGoing) return undefined;
  return { metadata: { name, ...(isGoing && { deletionTimestamp: "now" }) } } as Stored<Namespace>;
};

function plan(
  networks: ReturnType<typeof makeNetwork>[],
  namespaces: string[],
  objects: ReturnType<typeof makeObject>[],
) {
  const { create, remove, inTheWay } = planMirror(networks, among(namespaces), objects);
  const names = (all: readonly { metadata: object }[]) =>
    all.map(({ metadata }) => (metadata as { name: string }).name);
  return { create: names(create), remove: names(remove), inTheWay: names(inTheWay) };
}
const nothing = { create: [], remove: [], inTheWay: [] };

test("the network of a namespace is shown under its name, as somebody else's, with a mark", () => {
  expect(planMirror([networkOf("alice")], among(["alice"]), []).create).toEqual([
    {
      metadata: {
        name: "alice",
        labels: { "app.kubernetes.io/managed-by": "berg", "berg.norelect.ch/network-of-namespace": "alice" },
      },
      spec: { networkName: "berg-0-alice", mode: "existing", ipv6: false },
    },
  ]);
});

test.each<[string, ReturnType<typeof plan>, object]>([
  ["shown already", plan([networkOf("alice")], ["alice"], [mirrorOf("alice")]), nothing],
  ["no network", plan([], ["alice"], []), nothing],
  ["a network of this node that is no namespace's", plan([makeNetwork("x")], ["alice"], []), nothing],
  ["the network is gone", plan([], ["alice"], [mirrorOf("alice")]), { ...nothing, remove: ["alice"] }],
  ["the namespace is gone", plan([networkOf("alice")], [], [mirrorOf("alice")]), { ...nothing, remove: ["alice"] }],
  [
    "the namespace goes",
    plan([networkOf("alice")], ["alice†"], [mirrorOf("alice")]),
    { ...nothing, remove: ["alice"] },
  ],
  ["the namespace goes, and nothing shows it", plan([networkOf("alice")], ["alice†"], []), nothing],
  ["it goes already", plan([], [], [mirrorOf("alice", undefined, true)]), nothing],
  [
    "it goes, and is wanted again",
    plan([networkOf("alice")], ["alice"], [mirrorOf("alice", undefined, true)]),
    nothing,
  ],
  [
    "another network",
    plan([networkOf("alice", "other")], ["alice"], [mirrorOf("alice")]),
    { ...nothing, remove: ["alice"] },
  ],
  [
    "somebody else's of its name is left",
    plan([networkOf("alice")], ["alice"], [makeObject({ name: "alice" })]),
    { ...nothing, inTheWay: ["alice"] },
  ],
  [
    "somebody else's is left where the network is gone",
    plan([], ["alice"], [makeObject({ name: "alice", networkName: "lab" })]),
    nothing,
  ],
  [
    "the mark of another namespace is no mark",
    plan([], [], [makeObject({ name: "x", networkName: "lab", labels: mirrorOf("alice").metadata.labels ?? {} })]),
    nothing,
  ],
  [
    "one that is only marked as shown, and not as ours",
    plan([], [], [makeObject({ name: "x", networkName: "lab", labels: { [labels.networkOfNamespace]: "x" } })]),
    nothing,
  ],
  [
    "each for itself",
    plan([networkOf("alice"), networkOf("bob")], ["alice", "bob", "carol"], [mirrorOf("bob"), mirrorOf("carol")]),
    { ...nothing, create: ["alice"], remove: ["carol"] },
  ],
])("%s", (_, done, want) => expect(done).toEqual(want));
