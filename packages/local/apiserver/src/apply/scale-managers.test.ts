import type { ManagedFieldsEntry } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import { parentEntries, replicasPath, scaleEntries } from "./scale-managers.ts";
import { deployments } from "./testing/kinds.ts";

const time = "2026-01-01T00:00:00Z";
const path = replicasPath(".spec.replicas");

function entry(manager: string, fieldsV1: object, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry {
  const base = { manager, operation: "Update" as const, apiVersion: "apps/v1", time, fieldsType: "FieldsV1" as const };
  return { ...base, fieldsV1, ...more } as ManagedFieldsEntry;
}

const number = { "f:spec": { "f:replicas": {} } };
const both = { "f:spec": { "f:paused": {}, "f:replicas": {} } };
const paused = { "f:spec": { "f:paused": {} } };
const ofScale = { apiVersion: "autoscaling/v1", subresource: "scale" };

test("a scale is owned by those who own the number", () => {
  const entries = [entry("one", both), entry("two", paused), entry("three", number, { operation: "Apply" })];
  expect(scaleEntries(entries, path)).toEqual([
    entry("three", number, { operation: "Apply", apiVersion: "autoscaling/v1" }),
    entry("one", number, { apiVersion: "autoscaling/v1" }),
  ]);
  expect(scaleEntries([entry("two", paused)], path)).toBeUndefined();
});

test("the number of a custom kind is where it says", () => {
  const sized = { "f:spec": { "f:size": {} } };
  expect(scaleEntries([entry("one", sized)], replicasPath(".spec.size"))).toHaveLength(1);
  expect(parentEntries(deployments, [], replicasPath(".spec.size"), [entry("one", number, ofScale)])).toEqual([
    entry("one", sized, { subresource: "scale", time: undefined } as never),
  ]);
});

describe("what a change of the scale leaves", () => {
  const cases: Record<string, { before: ManagedFieldsEntry[]; scale: ManagedFieldsEntry[]; want: unknown[] }> = {
    "the number goes to who set it, without a time": {
      before: [entry("one", both)],
      scale: [entry("two", number, ofScale)],
      want: [expect.not.objectContaining({ time }), entry("one", paused)],
    },
    "who owned nothing else is gone": {
      before: [entry("one", number)],
      scale: [entry("two", number, ofScale)],
      want: [expect.objectContaining({ manager: "two", apiVersion: "apps/v1", subresource: "scale" })],
    },
    "who applied it keeps it, and the time": {
      before: [entry("one", both, { operation: "Apply" })],
      scale: [entry("one", number, { operation: "Apply", apiVersion: "autoscaling/v1" })],
      want: [entry("one", both, { operation: "Apply" })],
    },
    "one who owns it in two ways has two entries": {
      before: [entry("one", both)],
      scale: [entry("one", number, { apiVersion: "autoscaling/v1" })],
      want: [expect.objectContaining({ manager: "one", fieldsV1: number }), entry("one", paused)],
    },
    "others stay as they are": {
      before: [entry("one", paused)],
      scale: [],
      want: [entry("one", paused)],
    },
    "who owns something else of the scale owns nothing of the object": {
      before: [],
      scale: [entry("one", { "f:status": { "f:replicas": {} } }, ofScale)],
      want: [],
    },
  };
  test.each(Object.entries(cases))("%s", (_name, { before, scale, want }) =>
    expect(parentEntries(deployments, before, path, scale) ?? []).toEqual(want),
  );
});
