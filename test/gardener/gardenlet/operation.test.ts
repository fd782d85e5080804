import { expect, test } from "vitest";
import type { OperationState, OperationType, TestShoot } from "../kinds.ts";
import { operationDue } from "./operation.ts";

interface Look {
  last?: [OperationType, OperationState];
  asked?: string;
  generation?: number;
  observed?: number;
  deleted?: boolean;
}

function shootLike({ last, asked, generation = 1, observed = 1, deleted }: Look): TestShoot {
  const [type, state] = last ?? [];
  return {
    apiVersion: "core.gardener.cloud/v1beta1",
    kind: "Shoot",
    metadata: {
      name: "one",
      namespace: "garden-berg",
      generation,
      ...(asked && { annotations: { "gardener.cloud/operation": asked } }),
      ...(deleted && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: {},
    status: {
      observedGeneration: observed,
      ...(type && state && { lastOperation: { type, state, progress: 0, description: "", lastUpdateTime: "" } }),
    },
  };
}

test.each<{ what: string; look: Look; due: object | undefined }>([
  { what: "a new one", look: {}, due: { type: "Create", consumes: false } },
  { what: "one that is being made", look: { last: ["Create", "Processing"] }, due: undefined },
  { what: "one that is done", look: { last: ["Create", "Succeeded"] }, due: undefined },
  { what: "a change", look: { last: ["Create", "Succeeded"], generation: 2 }, due: { type: "Reconcile" } },
  {
    what: "a change before the first success",
    look: { last: ["Create", "Failed"], generation: 2 },
    due: { type: "Create" },
  },
  { what: "a failure", look: { last: ["Create", "Failed"] }, due: undefined },
  { what: "a retry", look: { last: ["Create", "Failed"], asked: "retry" }, due: { type: "Create", consumes: true } },
  { what: "a retry of what has not failed", look: { last: ["Create", "Error"], asked: "retry" }, due: undefined },
  {
    what: "a retry that came too early",
    look: { last: ["Create", "Error"], asked: "retry", generation: 2 },
    due: { type: "Create", consumes: false },
  },
  {
    what: "a reconcile",
    look: { last: ["Reconcile", "Succeeded"], asked: "reconcile" },
    due: { type: "Reconcile", consumes: true },
  },
  {
    what: "a reconcile of what has failed",
    look: { last: ["Reconcile", "Failed"], asked: "reconcile" },
    due: undefined,
  },
  {
    what: "a deletion",
    look: { last: ["Create", "Processing"], deleted: true },
    due: { type: "Delete", consumes: false },
  },
  { what: "a deletion that is under way", look: { last: ["Delete", "Processing"], deleted: true }, due: undefined },
  {
    what: "a deletion that failed, again",
    look: { last: ["Delete", "Failed"], deleted: true, asked: "retry" },
    due: { type: "Delete", consumes: true },
  },
  { what: "one that was moved away", look: { last: ["Migrate", "Succeeded"], generation: 2 }, due: undefined },
  {
    what: "a rotation",
    look: { last: ["Reconcile", "Succeeded"], asked: "rotate-credentials-start" },
    due: {
      type: "Reconcile",
      consumes: true,
      rotation: { of: ["certificateAuthorities", "serviceAccountKey"], step: "start" },
    },
  },
  {
    what: "a rotation that has to wait",
    look: { last: ["Reconcile", "Processing"], asked: "rotate-ca-start" },
    due: undefined,
  },
])("$what", ({ look, due }) => {
  if (due) expect(operationDue(shootLike(look))).toMatchObject(due);
  else expect(operationDue(shootLike(look))).toBeUndefined();
});
