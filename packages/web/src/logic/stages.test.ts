import type { Instance, Stage } from "@berg/api/wire";
import { expect, test } from "vitest";
import { stageProgress, startOf } from "./stages.ts";

const order: Stage[] = ["requested", "accepted", "namespace", "workloads", "ready"];

/** `seconds[i]` is when stage i was reached, null where it was not. */
function stages(...seconds: (number | null)[]): Instance["stages"] {
  return order.map((stage, index) => {
    const at = seconds[index] ?? null;
    return { stage, at: at === null ? null : new Date(at * 1000).toISOString() };
  });
}

const statesOf = (list: Instance["stages"]) => stageProgress(list).map(({ state }) => state);

test("the first stage that is not reached is the current one", () => {
  expect(statesOf(stages(10, 11))).toEqual(["done", "done", "current", "upcoming", "upcoming"]);
});

test("nothing is current once all are reached", () => {
  expect(statesOf(stages(1, 2, 3, 4, 5))).toEqual(["done", "done", "done", "done", "done"]);
});

test("a stage that was passed without being seen counts as done", () => {
  expect(statesOf(stages(1, null, 3))).toEqual(["done", "done", "done", "current", "upcoming"]);
});

test("tells how long after the request each stage was reached", () => {
  expect(stageProgress(stages(10, 12, null)).map(({ reachedAfterMs }) => reachedAfterMs)).toEqual([
    0,
    2000,
    undefined,
    undefined,
    undefined,
  ]);
});

test("a start begins with its first stage, else with startedAt", () => {
  expect(startOf({ stages: stages(10), startedAt: "1970-01-01T00:00:20Z" })).toBe(10_000);
  expect(startOf({ stages: [], startedAt: "1970-01-01T00:00:20Z" })).toBe(20_000);
  expect(startOf({ stages: [], startedAt: null })).toBeUndefined();
});
