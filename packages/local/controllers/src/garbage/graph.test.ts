import type { KubeObject, OwnerReference, Stored } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ServedKind } from "../served/read-served.ts";
import { foreground, Graph, type Node, ownersOf } from "./graph.ts";

const kind = {
  group: "",
  version: "v1",
  resource: "things",
  kind: "Thing",
  namespaced: true,
  verbs: [],
  preferred: true,
};

function node(
  uid: string,
  owners: (string | Partial<OwnerReference>)[] = [],
  more: Partial<KubeObject["metadata"]> = {},
): Node {
  const ownerReferences = owners.map((owner) => {
    const given = typeof owner === "string" ? { uid: owner } : owner;
    return { apiVersion: "v1", kind: "Thing", name: `name-${given.uid}`, ...given } as OwnerReference;
  });
  const metadata = { name: `name-${uid}`, namespace: "one", uid, resourceVersion: "1", creationTimestamp: "", ...more };
  const object = {
    apiVersion: "v1",
    kind: "Thing",
    metadata: { ...metadata, ...(owners.length > 0 && { ownerReferences }) },
  };
  return { kind: kind as ServedKind, object: object as Stored<KubeObject> };
}
const waiting = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [foreground] };
const uidsOf = (nodes: Node[]) => nodes.map(({ object }) => object.metadata.uid).sort();

describe("the graph of owners", () => {
  test("asks for a look at what is owned, and at nothing else that comes", () => {
    const graph = new Graph();
    expect(graph.put(node("owner"))).toEqual([]);
    expect(graph.put(node("child", ["owner"]))).toEqual(["child"]);
  });

  test("asks for none where only other things change", () => {
    const graph = new Graph();
    graph.put(node("child", ["owner"]));
    expect(graph.put(node("child", ["owner"], { resourceVersion: "2", labels: { a: "b" } }))).toEqual([]);
    expect(graph.put(node("child", ["owner", "other"]))).toEqual(["child"]);
  });

  test("asks for a look at all dependents of what goes", () => {
    const graph = new Graph();
    graph.put(node("owner"));
    graph.put(node("a", ["owner"]));
    graph.put(node("b", ["owner"]));
    expect(graph.remove("owner")).toEqual(["a", "b"]);
    expect(graph.remove("owner")).toEqual([]);
  });

  test("knows dependents before their owner, and asks for those that call it by another name", () => {
    const graph = new Graph();
    graph.put(node("right", ["owner"]));
    graph.put(node("wrong", [{ uid: "owner", name: "another" }]));
    graph.put(node("elsewhere", ["owner"], { namespace: "two" }));
    expect(graph.put(node("owner"))).toEqual(["wrong", "elsewhere"]);
  });

  test("asks for all dependents once when their owner begins to wait for them", () => {
    const graph = new Graph();
    graph.put(node("owner"));
    graph.put(node("a", [{ uid: "owner", blockOwnerDeletion: true }]));
    graph.put(node("b", ["owner"]));
    expect(graph.put(node("owner", [], waiting))).toEqual(["owner", "a", "b"]);
    expect(graph.put(node("owner", [], { ...waiting, resourceVersion: "2" }))).toEqual([]);
    expect(uidsOf(graph.blockersOf("owner"))).toEqual(["a"]);
  });

  test.each([
    ["is gone", (graph: Graph) => graph.remove("a"), ["owner"]],
    ["lets go of it", (graph: Graph) => graph.put(node("a")), ["a", "owner"]],
    ["no longer blocks it", (graph: Graph) => graph.put(node("a", ["owner"])), ["a", "owner"]],
  ])("asks for an owner that waits when a dependent %s", (_, change, want) => {
    const graph = new Graph();
    graph.put(node("owner", [], waiting));
    graph.put(node("a", [{ uid: "owner", blockOwnerDeletion: true }]));
    expect(change(graph)).toEqual(want);
  });

  test("forgets without asking for anything", () => {
    const graph = new Graph();
    graph.put(node("owner"));
    graph.put(node("a", ["owner"]));
    graph.forget("a");
    expect(graph.dependentsOf("owner")).toEqual([]);
    expect(graph.get("a")).toBeUndefined();
  });

  test("always has as dependents exactly those that name the owner", () => {
    const uid = fc.constantFrom("a", "b", "c", "d");
    const step = fc.oneof(
      fc.record({ put: uid, owners: fc.uniqueArray(uid, { maxLength: 3 }) }),
      fc.record({ remove: uid }),
      fc.record({ forget: uid }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const graph = new Graph();
        const model = new Map<string, Node>();
        for (const one of steps) {
          if ("put" in one) {
            const put = node(one.put, one.owners);
            graph.put(put);
            model.set(one.put, put);
          } else {
            const gone = "remove" in one ? one.remove : one.forget;
            if ("remove" in one) graph.remove(gone);
            else graph.forget(gone);
            model.delete(gone);
          }
        }
        for (const owner of ["a", "b", "c", "d"]) {
          const want = [...model.values()].filter(({ object }) => ownersOf(object).some(({ uid }) => uid === owner));
          expect(uidsOf(graph.dependentsOf(owner))).toEqual(uidsOf(want));
        }
        expect([...graph.uids].sort()).toEqual([...model.keys()].sort());
      }),
    );
  });
});
