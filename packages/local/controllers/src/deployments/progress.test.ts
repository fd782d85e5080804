import type { Stored } from "@berg/apimachinery";
import type { Deployment, ReplicaSet } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { nextCheckMs, rolloutStatus } from "./progress.ts";
import type { DeploymentStatus } from "./status.ts";

const start = Date.parse("2026-01-01T00:00:00Z");
const at = (seconds: number) => {
  const nowMs = start + seconds * 1000;
  return { now: new Date(nowMs).toISOString().replace(".000", ""), nowMs };
};
const created = {
  type: "Progressing",
  status: "True",
  reason: "NewReplicaSetCreated",
  message: "",
  lastUpdateTime: at(0).now,
  lastTransitionTime: at(0).now,
};
const deployment = (status: DeploymentStatus = {}, spec: object = {}) =>
  ({
    metadata: { name: "web", generation: 1 },
    spec: { replicas: 2, progressDeadlineSeconds: 60, strategy: { type: "RollingUpdate" }, ...spec },
    status,
  }) as Stored<Deployment>;
const set = (status: object, replicas = 2) =>
  ({
    metadata: { name: "web-1" },
    spec: { replicas },
    status: { observedGeneration: 1, terminatingReplicas: 0, ...status },
  }) as unknown as Stored<ReplicaSet>;
const progressing = ({ conditions }: DeploymentStatus) => conditions?.find(({ type }) => type === "Progressing");
const full = { replicas: 2, readyReplicas: 2, availableReplicas: 2 };

describe("a rollout", () => {
  test("is complete when all are there and available", () => {
    const status = rolloutStatus(deployment({ conditions: [created] }), set(full), [], at(5));
    expect(progressing(status)).toMatchObject({
      status: "True",
      reason: "NewReplicaSetAvailable",
      lastTransitionTime: at(0).now,
      lastUpdateTime: at(5).now,
    });
    expect(status).toMatchObject({ replicas: 2, updatedReplicas: 2, availableReplicas: 2, terminatingReplicas: 0 });
    expect(status.unavailableReplicas).toBeUndefined();
  });
  test("gets on with each pod that is ready, and its deadline begins anew", () => {
    const before = { replicas: 2, updatedReplicas: 2, conditions: [created] };
    const status = rolloutStatus(deployment(before), set({ replicas: 2, readyReplicas: 1 }), [], at(70));
    expect(progressing(status)).toMatchObject({ reason: "ReplicaSetUpdated", lastUpdateTime: at(70).now });
  });
  test.each([
    [60, "NewReplicaSetCreated"],
    [61, "ProgressDeadlineExceeded"],
  ])("that stands still for %d s has the reason %s", (seconds, reason) => {
    const before = { replicas: 2, updatedReplicas: 2, conditions: [created] };
    const status = rolloutStatus(deployment(before), set({ replicas: 2 }), [], at(seconds));
    expect(progressing(status)?.reason).toBe(reason);
  });
  test("that was complete stays so when a pod dies", () => {
    const done = { ...created, reason: "NewReplicaSetAvailable" };
    const before = { replicas: 2, updatedReplicas: 2, availableReplicas: 2, conditions: [done] };
    const status = rolloutStatus(deployment(before), set({ replicas: 2, availableReplicas: 1 }), [], at(500));
    expect(progressing(status)).toEqual(done);
    expect(status.unavailableReplicas).toBe(1);
  });
  test("without a deadline says nothing of it", () => {
    const endless = deployment({ conditions: [created] }, { progressDeadlineSeconds: 2 ** 31 - 1 });
    expect(progressing(rolloutStatus(endless, set(full), [], at(5)))).toBeUndefined();
  });
  test("shows what its ReplicaSet failed at, and no longer when that is over", () => {
    const failure = {
      type: "ReplicaFailure",
      status: "True",
      reason: "FailedCreate",
      message: "no",
      lastTransitionTime: at(1).now,
    };
    const failed = rolloutStatus(deployment(), set({ conditions: [failure] }), [], at(5));
    expect(failed.conditions?.at(-1)).toEqual({ ...failure, lastUpdateTime: at(1).now });
    const fine = rolloutStatus(deployment(failed), set(full), [], at(9));
    expect(fine.conditions?.map(({ type }) => type).sort()).toEqual(["Available", "Progressing"]);
  });
});

describe("the next look", () => {
  test("is when the deadline is over", () => {
    expect(nextCheckMs(deployment(), { conditions: [created] }, at(10).nowMs)).toBe(51_000);
    expect(nextCheckMs(deployment(), { conditions: [created] }, at(100).nowMs)).toBe(1000);
  });
  test.each(["NewReplicaSetAvailable", "ProgressDeadlineExceeded"])("is not needed after %s", (reason) => {
    expect(nextCheckMs(deployment(), { conditions: [{ ...created, reason }] }, at(10).nowMs)).toBeUndefined();
  });
});
