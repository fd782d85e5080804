import { describe, expect, test } from "vitest";
import { makeNamespace, marksOf, start } from "../removing/testing/objects.ts";
import { findGhosts, Sightings, sinceCreation } from "./find.ts";

const ghostly = makeNamespace("challenge-gone", { labels: marksOf("gone"), created: 7 });
const namesOf = (ghosts: ReturnType<typeof findGhosts>) => ghosts.map(({ namespace }) => namespace.metadata.name);

test("a ghost is ours, has no living instance, and does not go yet", () => {
  const namespaces = [
    ghostly,
    makeNamespace("challenge-alive", { labels: marksOf("alive") }),
    makeNamespace("challenge-going", { labels: marksOf("gone"), deleted: 0 }),
    makeNamespace("challenge-unmarked"),
    makeNamespace("kube-system", { labels: marksOf("gone") }),
  ];
  expect(namesOf(findGhosts(namespaces, new Set(["alive"])))).toEqual(["challenge-gone"]);
});

describe("since when it is one", () => {
  const [ghost] = findGhosts([ghostly], new Set());
  if (!ghost) throw new Error("no ghost");

  test("for whoever remembers nothing, since it was made", () => {
    expect(sinceCreation(ghost)).toBe(start + 7000);
  });

  test("for whoever remembers, since it was first seen without a break", () => {
    const sightings = new Sightings();
    expect(sightings.firstSeen(ghost)).toBe(Number.POSITIVE_INFINITY);
    sightings.note([ghost], 1);
    sightings.note([ghost], 2);
    expect(sightings.firstSeen(ghost)).toBe(1);
    sightings.note([], 3);
    sightings.note([ghost], 4);
    expect(sightings.firstSeen(ghost)).toBe(4);
  });

  test("one that was marked for another instance, or made anew, is another", () => {
    const sightings = new Sightings();
    sightings.note([ghost], 1);
    const anew = { ...ghost, namespace: makeNamespace("challenge-gone", { uid: "another" }) };
    for (const other of [{ ...ghost, instanceUid: "another" }, anew])
      expect(sightings.firstSeen(other)).toBe(Number.POSITIVE_INFINITY);
  });
});
