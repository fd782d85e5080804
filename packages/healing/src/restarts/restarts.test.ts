import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Caches } from "../observe/caches.ts";
import { OpenRecords } from "../observe/open-records.ts";
import { lifeNumber } from "../records/testing/place.ts";
import { MemoryRecords } from "../testing/memory-records.ts";
import { at, containing, makePod, readyStatus } from "../testing/objects.ts";
import { InOrder } from "./in-order.ts";
import { currentPod, notePod } from "./note-pod.ts";

describe("the pod that runs a container is", () => {
  const old = makePod(readyStatus(), { name: "old", created: 0 });
  const young = makePod(containing({}), { name: "young", created: 9 });
  test.each([
    { what: "the newest", pods: [young, old], want: "young" },
    {
      what: "not one that goes",
      pods: [old, makePod({}, { name: "x", created: 9, deletionTimestamp: at(9) })],
      want: "old",
    },
    {
      what: "not one that was evicted",
      pods: [makePod({ phase: "Failed" }, { name: "x", created: 9 }), old],
      want: "old",
    },
    { what: "not one of another container", pods: [old, makePod({}, { created: 9, container: "db" })], want: "old" },
    {
      what: "not a copy in another namespace",
      pods: [old, makePod({}, { name: "x", created: 9, namespace: "elsewhere" })],
      want: "old",
    },
    { what: "none where there is none", pods: [makePod({ phase: "Failed" })], want: undefined },
  ])("$what", ({ pods, want }) => {
    expect(currentPod(pods, "challenge-1", "web")?.metadata.name).toBe(want);
    expect(currentPod(pods.toReversed(), "challenge-1", "web")?.metadata.name).toBe(want);
  });
});

test("a record never names a pod outside the namespace of its instance", async () => {
  const { signal } = new AbortController();
  const records = new MemoryRecords();
  const open = new OpenRecords(records.asRecords());
  await open.live({ ...lifeNumber(1), uid: "instance-1", namespace: "challenge-1" }, signal);
  const inside = makePod(readyStatus());
  const copy = makePod(readyStatus(), { name: "copy", created: 9, namespace: "elsewhere" });
  const note = (pod: typeof copy, pods: (typeof copy)[]) => {
    const caches = { pods: { byIndex: () => pods } } as unknown as Caches;
    return notePod("instance-1", pod, { caches, open, inOrder: new InOrder() }, signal);
  };
  await note(copy, [copy]);
  expect(records.get("instance-1")?.pods).toEqual({});
  await note(copy, [inside, copy]);
  expect(records.get("instance-1")?.pods).toMatchObject({ web: { uid: inside.metadata.uid } });
});

test("work on one thing is done in order, on several things at once, and a failure harms none", async () => {
  const inOrder = new InOrder();
  const done: string[] = [];
  const work = (name: string, turns: number) => async () => {
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    done.push(name);
    if (name === "a1") throw new Error("failed");
  };
  const all = [inOrder.run("a", work("a1", 5)), inOrder.run("a", work("a2", 0)), inOrder.run("b", work("b1", 1))];
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(done).toEqual(["b1", "a1", "a2"]);
});
