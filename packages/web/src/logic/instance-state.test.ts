import type { Instance } from "@berg/api/wire";
import { expect, test } from "vitest";
import { makeInstance } from "../testing/wire-objects.ts";
import { stateOf, timeLeft } from "./instance-state.ts";

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
