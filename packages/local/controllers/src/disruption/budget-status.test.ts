import type { Stored } from "@berg/apimachinery";
import type { Pod, PodDisruptionBudget } from "@berg/kube";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { budgetStatus, dependsOnScale, failedStatus, nextRecheckMs } from "./budget-status.ts";

const timestamp = "2026-01-01T00:10:00Z";
const now = Date.parse(timestamp);
const budget = (spec: object, status?: object) =>
  ({ metadata: { name: "one", generation: 2 }, spec, status }) as Stored<PodDisruptionBudget>;
const pod = (name: string, ready = true, more: object = {}) =>
  ({
    metadata: { name, ...more },
    status: { conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  }) as Stored<Pod>;
const three = [pod("a"), pod("b"), pod("c", false)];
const counts = (spec: object, scale = 0, pods = three) => {
  const status = budgetStatus({ budget: budget(spec), pods, scale, now, timestamp });
  return [status.expectedPods, status.desiredHealthy, status.currentHealthy, status.disruptionsAllowed];
};

describe("a budget", () => {
  test.each([
    ["so many available", { minAvailable: 1 }, 10, [3, 1, 2, 1]],
    ["more than there are", { minAvailable: 5 }, 10, [3, 5, 2, 0]],
    ["a part available, rounded up", { minAvailable: "34%" }, 3, [3, 2, 2, 0]],
    ["none need be available", { minAvailable: "0%" }, 3, [3, 0, 2, 2]],
    ["so many away", { maxUnavailable: 2 }, 3, [3, 1, 2, 1]],
    ["a part away, rounded up", { maxUnavailable: "34%" }, 3, [3, 1, 2, 1]],
    ["more away than there should be", { maxUnavailable: 9 }, 3, [3, 0, 2, 2]],
    ["nobody makes the pods", { maxUnavailable: 1 }, 0, [0, 0, 2, 0]],
    ["nothing asked for", {}, 3, [0, 0, 2, 0]],
  ])("with %s", (_, spec, scale, want) => {
    expect(counts(spec, scale)).toEqual(want);
  });

  test.each([
    [{ minAvailable: 1 }, false],
    [{ minAvailable: "1%" }, true],
    [{ maxUnavailable: 1 }, true],
    [{ maxUnavailable: "1%" }, true],
    [{}, false],
  ])("%j depends on how many there should be: %s", (spec, want) => {
    expect(dependsOnScale(budget(spec))).toBe(want);
  });

  test("counts no pod that goes, or whose eviction was granted lately", () => {
    const old = { disruptedPods: { b: "2026-01-01T00:09:00Z", c: "2026-01-01T00:07:59Z", gone: timestamp } };
    const pods = [pod("a", true, { deletionTimestamp: timestamp }), pod("b"), pod("c"), pod("d")];
    const status = budgetStatus({ budget: budget({ minAvailable: 1 }, old), pods, scale: 0, now, timestamp });
    expect(status).toMatchObject({ currentHealthy: 2, disruptedPods: { b: "2026-01-01T00:09:00Z" } });
    expect(nextRecheckMs(status, now)).toBe(60_001);
  });

  test("needs no second look where no eviction is under way", () => {
    const status = budgetStatus({ budget: budget({ minAvailable: 1 }), pods: three, scale: 0, now, timestamp });
    expect("disruptedPods" in status).toBe(false);
    expect(nextRecheckMs(status, now)).toBeUndefined();
  });

  test("never allows more than are healthy, nor any without pods", () => {
    const amount = fc.oneof(
      fc.nat(20),
      fc.integer({ min: 0, max: 100 }).map((n) => `${n}%`),
    );
    const spec = fc.oneof(fc.record({ minAvailable: amount }), fc.record({ maxUnavailable: amount }));
    fc.assert(
      fc.property(spec, fc.nat(20), fc.array(fc.boolean(), { maxLength: 20 }), (asked, scale, readiness) => {
        const pods = readiness.map((ready, n) => pod(`${n}`, ready));
        const [expected = 0, desired = 0, healthy = 0, allowed = 0] = counts(asked, scale, pods);
        expect(allowed).toBeGreaterThanOrEqual(0);
        expect(allowed).toBeLessThanOrEqual(healthy);
        if (allowed > 0) expect(healthy - allowed).toBeGreaterThanOrEqual(desired);
        if (expected === 0) expect(allowed).toBe(0);
      }),
    );
  });

  test("that cannot be counted allows nothing, and keeps the rest of what it said", () => {
    const before = budgetStatus({ budget: budget({ minAvailable: 1 }), pods: three, scale: 0, now, timestamp });
    const failed = failedStatus(budget({}, before), "why", timestamp);
    expect(failed).toMatchObject({
      ...before,
      disruptionsAllowed: 0,
      conditions: [{ status: "False", reason: "SyncFailed", message: "why" }],
    });
  });
});
