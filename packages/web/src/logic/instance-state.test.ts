import type { Instance } from "@berg/api/wire";
import { expect, test } from "vitest";
import { makeInstance } from "../testing/wire-objects.ts";
import { isEnding, stateOf, timeLeft } from "./instance-state.ts";

test.each<{ want: string; instance: Partial<Instance> }>([
  { want: "none", instance: { name: "", status: 0, phase: "" } },
  { want: "starting", instance: { status: 1, phase: "Requested" } },
  { want: "starting", instance: { status: 1, phase: "Creating" } },
  { want: "running", instance: { status: 2, phase: "Running" } },
  { want: "stopping", instance: { status: 3, phase: "Terminating" } },
  // The original platform gives 0 for a failed instance; ours may give 1 while it keeps trying.
  { want: "failed", instance: { status: 0, phase: "Failed" } },
  { want: "failed", instance: { status: 1, phase: "Failed" } },
  { want: "stopping", instance: { status: 3, phase: "Failed" } },
])("$instance.phase with status $instance.status is $want", ({ instance, want }) => {
  expect(stateOf(makeInstance(instance))).toBe(want);
});

test("an instance that was not read yet is none", () => {
  expect(stateOf(undefined)).toBe("none");
  expect(stateOf(null)).toBe("none");
});

test("the time left counts from the server's time", () => {
  const instance = makeInstance({ timeout: "1970-01-01T00:01:00Z" });
  expect(timeLeft(instance, 45_000)).toBe(15_000);
  expect(timeLeft(makeInstance({ timeout: null }), 45_000)).toBeUndefined();
});

test.each([
  { title: "11 minutes before the end of a long life", life: 120, left: 11, want: false },
  { title: "10 minutes before the end of a long life", life: 120, left: 10, want: true },
  { title: "before the last quarter of a short life", life: 20, left: 6, want: false },
  { title: "in the last quarter of a short life", life: 20, left: 5, want: true },
  { title: "after the end", life: 20, left: -1, want: true },
])("warning $title: $want", ({ life, left, want }) => {
  const at = (minutes: number) => new Date(minutes * 60_000).toISOString();
  expect(isEnding(makeInstance({ startedAt: at(0), timeout: at(life) }), (life - left) * 60_000)).toBe(want);
});

test("an instance without an end is never ending", () => {
  expect(isEnding(makeInstance({ timeout: null }), 0)).toBe(false);
});
