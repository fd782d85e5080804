import type { ClusterPhase } from "@berg/resources";
import { expect, test } from "vitest";
import { eventsOf } from "./events.ts";

const condition = (type: string, status: "True" | "False", message: string) => ({ type, status, message });

test("a phase that changes is told, with why", () => {
  const conditions = [condition("ClusterProvisioned", "True", "there"), condition("ClusterHealthy", "False", "unwell")];
  const told = (before: ClusterPhase | undefined, phase: ClusterPhase) =>
    eventsOf(before && { phase: before }, { phase, conditions }).map(({ type, reason, message }) => [
      type,
      reason,
      message,
    ]);
  expect(told("Provisioning", "Ready")).toEqual([["Normal", "ClusterReady", "there"]]);
  expect(told("Ready", "Degraded")).toEqual([["Warning", "ClusterDegraded", "unwell"]]);
  expect(told("Updating", "Failed")).toEqual([["Warning", "ClusterFailed", "unwell"]]);
  expect(told("Ready", "Deleting")).toEqual([["Normal", "ClusterDeleting", "Deleting"]]);
  expect(told("Ready", "Ready")).toEqual([]);
});

test("where the Secret leads to another server, it is told who is administrator at the one before", () => {
  const one = { phase: "Ready", apiServerURL: "https://one", administrators: ["a@x", "b@x"] } as const;
  const before = { ...one, administrators: [...one.administrators] };
  const other = { phase: "Ready", apiServerURL: "https://other" } as const;
  const warning = { type: "Warning", reason: "OrphanedAccessObjects" };
  const [told, ...more] = eventsOf(before, other);
  expect([told, more]).toMatchObject([warning, []]);
  expect(told?.message).toContain("2 administrators stay cluster-admin at https://one,");
  expect(eventsOf(before, { ...other, administrators: ["a@x"] })).toHaveLength(1);

  const shootRef = { name: "c", uid: "u" };
  expect(eventsOf({ ...before, shootRef }, { ...other, shootRef })).toEqual([]);
  expect(eventsOf({ ...before, administrators: [] }, other)).toEqual([]);
  expect(eventsOf(before, { ...before, administrators: [] })).toEqual([]);
  expect(eventsOf(before, { phase: "Ready" })).toEqual([]);
  expect(eventsOf(other, { ...other, administrators: ["a@x"] })).toEqual([]);
});
