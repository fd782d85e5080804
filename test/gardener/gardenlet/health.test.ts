import { expect, test } from "vitest";
import type { TestShoot, TestShootStatus } from "../kinds.ts";
import { conditionsOf, statusLabelOf } from "./health.ts";

const shoot: TestShoot = {
  apiVersion: "core.gardener.cloud/v1beta1",
  kind: "Shoot",
  metadata: { name: "one", namespace: "garden-berg" },
  spec: {},
};
const [early, late] = ["2026-01-01T00:00:00Z", "2026-01-01T00:05:00Z"];

test("all is well unless told otherwise", () => {
  const conditions = conditionsOf(shoot, { EveryNodeReady: "Progressing" }, early);
  expect(conditions.map(({ status }) => status)).toEqual(["True", "True", "True", "Progressing", "True"]);
});

test("a time of transition stays until there is one", () => {
  const before = { ...shoot, status: { conditions: conditionsOf(shoot, {}, early) } };
  const after = conditionsOf(before, { EveryNodeReady: "False" }, late);
  expect(after.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([early, early, early, late, early]);
});

test("a cluster that sleeps is not looked at", () => {
  const asleep = { ...shoot, spec: { hibernation: { enabled: true } } };
  const conditions = conditionsOf(asleep, { EveryNodeReady: "False" }, early);
  expect(new Set(conditions.map(({ status, reason }) => `${status}/${reason}`))).toEqual(
    new Set(["True/ConditionNotChecked"]),
  );
});

test.each<[string, TestShootStatus]>([
  ["unknown", {}],
  ["progressing", status("Processing")],
  ["healthy", status("Succeeded")],
  ["unhealthy", status("Failed")],
  ["unhealthy", { ...status("Error"), lastErrors: [{ description: "no" }] }],
  ["unhealthy", { ...status("Succeeded"), conditions: conditionsOf(shoot, { EveryNodeReady: "False" }, early) }],
  [
    "progressing",
    { ...status("Succeeded"), conditions: conditionsOf(shoot, { EveryNodeReady: "Progressing" }, early) },
  ],
  ["unknown", { ...status("Succeeded"), conditions: conditionsOf(shoot, { EveryNodeReady: "Unknown" }, early) }],
])("is %s", (label, of) => {
  expect(statusLabelOf(of)).toBe(label);
});

function status(state: "Processing" | "Succeeded" | "Failed" | "Error"): TestShootStatus {
  return { lastOperation: { type: "Create", state, progress: 0, description: "", lastUpdateTime: early } };
}
