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

const progressOf = (list: Instance["stages"], now = 20) => stageProgress(list, now * 1000);
const statesOf = (list: Instance["stages"]) => progressOf(list).map(({ state }) => state);
const secondsOf = (list: Instance["stages"], now?: number) =>
  progressOf(list, now).map(({ tookMs }) => (tookMs === undefined ? undefined : tookMs / 1000));

test("the first stage that is not reached is the current one", () => {
  expect(statesOf(stages(10, 11))).toEqual(["done", "done", "current", "upcoming", "upcoming"]);
});

test("nothing is current once all are reached", () => {
  expect(statesOf(stages(1, 2, 3, 4, 5))).toEqual(["done", "done", "done", "done", "done"]);
});

test("a stage that was passed without being seen counts as done", () => {
  expect(statesOf(stages(1, null, 3))).toEqual(["done", "done", "done", "current", "upcoming"]);
});

test("a stage takes from the one before it until its own time, the current one until now", () => {
  expect(secondsOf(stages(10, 11, 14), 20)).toEqual([0, 1, 3, 6, undefined]);
});

test("a stage that was not seen takes nothing; the next one that was takes its time", () => {
  expect(secondsOf(stages(10, null, 14), 14)).toEqual([0, undefined, 4, 0, undefined]);
});

test("clocks that disagree give no negative time", () => {
  expect(secondsOf(stages(10, 9, 12), 11)).toEqual([0, 0, 2, 0, undefined]);
});

test("each stage begins where the one before it ended", () => {
  const began = progressOf(stages(10, 11, 14, 15, 30)).map(({ beganAfterMs }) => beganAfterMs);
  expect(began).toEqual([0, 0, 1000, 4000, 5000]);
});

test("without any time, nothing has a duration", () => {
  expect(secondsOf(stages())).toEqual([undefined, undefined, undefined, undefined, undefined]);
});

test("the start is the first stage with a time, else that of the instance", () => {
  expect(startOf({ startedAt: null, stages: stages(null, 11) })).toBe(11_000);
  expect(startOf({ startedAt: "1970-01-01T00:00:09Z", stages: [] })).toBe(9_000);
  expect(startOf({ startedAt: null, stages: [] })).toBeUndefined();
});
