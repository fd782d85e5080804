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
